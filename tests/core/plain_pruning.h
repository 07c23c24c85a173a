// Pessimistic pruning as it is defined: recursive, every estimate from all rows, one list per node.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grow_data.h"
#include "prune/extra_errors.h"
#include "prune/pessimistic.h"

namespace treewright::test {

class PlainPruning {
 public:
  struct Node {
    std::size_t test = 0;  // the node of the grown tree whose test stands here
    bool leaf = true;
    std::vector<std::unique_ptr<Node>> children;
    std::vector<double> counts;
    std::size_t n_rows = 0;
    double errors = 0;
  };
  struct Row {
    RowId row;
    double weight;
  };

  PlainPruning(const Tree& tree, const GrowData& data, const std::vector<double>& weights,
               const PessimisticPlan& plan)
      : tree_(tree), data_(data), plan_(plan), extra_(plan.program, plan.confidence) {
    for (RowId row = 0; row < data.dataset.n_rows; ++row) {
      rows_.push_back({row, weights.empty() ? 1.0 : weights[row]});
    }
  }

  std::unique_ptr<Node> run() {
    std::unique_ptr<Node> root = copy(0);
    estimate(*root, rows_, true);
    return root;
  }

  // Empty if the pruned tree is this one; otherwise what differs.
  std::string difference(const Node& expected, const Tree& pruned, std::size_t node = 0) const {
    if (expected.leaf != (pruned.kind[node] == NodeKind::kLeaf)) return "another kind of node";
    if (expected.n_rows != static_cast<std::size_t>(pruned.rows[node])) return "another number of rows";
    double weight = 0;
    for (const double count : expected.counts) weight += count;
    if (!near(weight, pruned.weight[node])) return "another weight";
    for (std::size_t k = 0; k < expected.counts.size() && expected.n_rows > 0; ++k) {
      const double share = pruned.value[node * expected.counts.size() + k];
      if (!near(expected.counts[k], share * weight)) return "another class distribution";
    }
    if (expected.leaf) return "";
    if (pruned.feature[node] != tree_.feature[expected.test]) return "another feature";
    if (pruned.kind[node] == NodeKind::kThreshold &&
        pruned.threshold[node] != tree_.threshold[expected.test]) {
      return "another threshold";
    }
    if (pruned.n_children[node] != expected.children.size()) return "another number of children";
    for (std::size_t b = 0; b < expected.children.size(); ++b) {
      const std::size_t child = static_cast<std::size_t>(pruned.first_child[node]) + b;
      const std::string fault = difference(*expected.children[b], pruned, child);
      if (!fault.empty()) return fault;
    }
    return "";
  }

 private:
  using Rows = std::vector<Row>;

  bool is_j48() const { return plan_.program == PruneProgram::kJ48; }
  bool at_most(double a, double b) const { return a <= b || (is_j48() && a - b < 1e-6); }

  std::unique_ptr<Node> copy(std::size_t id) const {
    auto node = std::make_unique<Node>();
    node->test = id;
    node->leaf = tree_.kind[id] == NodeKind::kLeaf;
    node->counts.assign(static_cast<std::size_t>(tree_.outputs), 0.0);
    for (std::uint32_t b = 0; b < tree_.n_children[id]; ++b) {
      node->children.push_back(copy(static_cast<std::size_t>(tree_.first_child[id]) + b));
    }
    return node;
  }

  std::vector<double> count(const Rows& rows) const {
    std::vector<double> counts(static_cast<std::size_t>(tree_.outputs), 0.0);
    for (const Row& row : rows) counts[static_cast<std::size_t>(data_.labels[row.row])] += row.weight;
    return counts;
  }

  double leaf_errors(const std::vector<double>& counts) const {
    double weight = 0;
    for (const double count : counts) weight += count;
    const double seen = weight - *std::max_element(counts.begin(), counts.end());
    return weight > (is_j48() ? 1e-6 : 0.0) ? seen + extra_(weight, seen) : 0.0;
  }

  // The rows of every branch; `known` receives the weight of those that are not shared.
  std::vector<Rows> distribute(const Node& node, const Rows& rows, std::vector<double>& known) const {
    std::vector<Rows> parts(node.children.size());
    known.assign(parts.size(), 0.0);
    double all = 0;
    for (const Row& row : rows) {
      const std::uint32_t branch = branch_of_row(tree_, node.test, data_.dataset, row.row);
      if (!is_branch(branch)) continue;
      known[branch] += row.weight;
      all += row.weight;
    }
    for (const Row& row : rows) {
      const std::uint32_t branch = branch_of_row(tree_, node.test, data_.dataset, row.row);
      if (is_branch(branch)) parts[branch].push_back(row);
      if (branch != kEveryBranch) continue;
      for (std::size_t b = 0; b < parts.size(); ++b) {
        const double share = known[b] / all;
        if (share > (is_j48() ? 1e-6 : 0.0)) parts[b].push_back({row.row, row.weight * share});
      }
    }
    return parts;
  }

  double estimate(Node& node, const Rows& rows, bool update) {
    const std::vector<double> counts = count(rows);
    const double leaf = leaf_errors(counts);
    if (update) {
      node.counts = counts;
      node.n_rows = rows.size();
      node.errors = leaf;
    }
    if (node.leaf) return leaf;
    std::vector<double> known;
    const std::vector<Rows> parts = distribute(node, rows, known);
    double tree = 0, most = 0;
    std::size_t largest = 0;
    bool tells = false;
    for (std::size_t b = 0; b < parts.size(); ++b) {
      if (!(known[b] > 0)) {
        if (update) empty(*node.children[b]);
        continue;
      }
      tells = true;
      tree += estimate(*node.children[b], parts[b], update);
      if (at_most(most, known[b])) {
        most = known[b];
        largest = b;
      }
    }
    if (!tells) {
      if (update) node.leaf = true;
      return leaf;
    }
    if (!update) return tree;
    const double raised = plan_.raising ? estimate(*node.children[largest], rows, false)
                                        : std::numeric_limits<double>::infinity();
    if (at_most(leaf, raised + 0.1) && at_most(leaf, tree + 0.1)) {
      node.leaf = true;
      node.children.clear();
    } else if (at_most(raised, tree + 0.1)) {
      std::unique_ptr<Node> branch = std::move(node.children[largest]);
      node = std::move(*branch);
      return estimate(node, rows, true);
    } else {
      node.errors = tree;
    }
    return node.errors;
  }

  void empty(Node& node) const {
    node.leaf = true;
    node.children.clear();
    node.counts.assign(node.counts.size(), 0.0);
    node.n_rows = 0;
    node.errors = 0;
  }

  const Tree& tree_;
  const GrowData& data_;
  const PessimisticPlan plan_;
  ExtraErrors extra_;
  Rows rows_;
};

}  // namespace treewright::test
