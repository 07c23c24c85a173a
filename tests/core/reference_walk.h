// What prediction has to do, written as plainly as possible: one row, the tree's own arrays, recursion.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "random_tree.h"
#include "tree/table.h"
#include "tree/tree.h"

namespace treewright::test {

struct Reached {
  std::map<NodeId, double> leaves;  // leaf → share of the row
  std::set<NodeId> nodes;

  NodeId main_leaf() const {
    NodeId best = leaves.begin()->first;
    for (const auto& [leaf, share] : leaves) {
      if (share > leaves.at(best)) best = leaf;
    }
    return best;
  }
};

class ReferenceWalk {
 public:
  ReferenceWalk(const Tree& tree, std::span<const Code> n_codes, std::span<const double> row)
      : tree_(tree), n_codes_(n_codes), row_(row) {
    visit(0, 1.0);
  }

  const Reached& reached() const { return reached_; }

  std::vector<double> values() const {
    std::vector<double> sum(static_cast<std::size_t>(tree_.outputs), 0.0);
    for (const auto& [leaf, share] : reached_.leaves) {
      for (std::size_t k = 0; k < sum.size(); ++k) {
        sum[k] += share * tree_.value[static_cast<std::size_t>(leaf) * sum.size() + k];
      }
    }
    return sum;
  }

 private:
  // No answer: the value is missing. An unseen category is an answer only to a node's own test.
  std::optional<std::uint32_t> answer(NodeKind kind, FeatureId feature, double threshold, std::int64_t table,
                                      bool unseen_counts) const {
    const double x = row_[static_cast<std::size_t>(feature)];
    if (x != x) return std::nullopt;
    if (kind == NodeKind::kThreshold) return x <= threshold ? 0 : 1;
    const auto code = static_cast<Code>(x);
    if (!unseen_counts && code > n_codes_[static_cast<std::size_t>(feature)]) return std::nullopt;
    return branch_of(tree_.tables.data() + table, code);
  }

  std::uint32_t branch(std::size_t node) const {
    const auto own =
        answer(tree_.kind[node], tree_.feature[node], tree_.threshold[node], tree_.table[node], true);
    if (own) return *own;
    if (!tree_.surrogate_begin.empty()) {
      for (std::int64_t i = tree_.surrogate_begin[node]; i < tree_.surrogate_begin[node + 1]; ++i) {
        const auto s = static_cast<std::size_t>(i);
        const auto other = answer(tree_.surrogate_kind[s], tree_.surrogate_feature[s],
                                  tree_.surrogate_threshold[s], tree_.surrogate_table[s], false);
        if (other) return tree_.surrogate_flip[s] == 1 ? 1 - *other : *other;
      }
    }
    return tree_.missing[node];
  }

  void visit(NodeId id, double share) {
    const auto node = static_cast<std::size_t>(id);
    reached_.nodes.insert(id);
    if (tree_.kind[node] == NodeKind::kLeaf) {
      reached_.leaves[id] = share;
      return;
    }
    const std::uint32_t taken = branch(node);
    if (taken == kStopHere) {
      reached_.leaves[id] = share;
      return;
    }
    if (taken != kEveryBranch) return visit(tree_.first_child[node] + static_cast<NodeId>(taken), share);
    bool any = false;
    for (std::uint32_t b = 0; b < tree_.n_children[node]; ++b) {
      const NodeId child = tree_.first_child[node] + static_cast<NodeId>(b);
      const double weight = tree_.weight[static_cast<std::size_t>(child)];
      if (weight <= 0 || tree_.weight[node] <= 0) continue;
      any = true;
      visit(child, share * (weight / tree_.weight[node]));
    }
    if (!any) reached_.leaves[id] = share;  // nobody to share with: the row ends here
  }

  const Tree& tree_;
  std::span<const Code> n_codes_;
  std::span<const double> row_;
  Reached reached_;
};

}  // namespace treewright::test
