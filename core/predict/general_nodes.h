// General nodes: every kind of test, surrogates and shares, one row at a time. Positions are the tree's own
// ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "tree/code_route.h"
#include "tree/table.h"
#include "tree/tree.h"

namespace treewright {

class GeneralNodes {
 public:
  // The tree has passed check_tree.
  GeneralNodes(const Tree& tree, std::span<const Code> n_codes);

  bool is_leaf(NodeId node) const { return nodes_[index(node)].kind == NodeKind::kLeaf; }
  NodeId first_child(NodeId node) const { return nodes_[index(node)].first_child; }
  std::uint32_t n_children(NodeId node) const { return nodes_[index(node)].n_children; }

  bool has_surrogates(NodeId node) const {
    return !surrogates_.empty() && surrogate_begin_[index(node)] < surrogate_begin_[index(node) + 1];
  }
  // Whether a feature may answer for a missing value at a node.
  bool asks_surrogate(NodeId node, FeatureId feature) const {
    if (surrogates_.empty()) return false;
    for (std::int64_t i = surrogate_begin_[index(node)]; i < surrogate_begin_[index(node) + 1]; ++i) {
      if (surrogates_[static_cast<std::size_t>(i)].feature == feature) return true;
    }
    return false;
  }

  // The branch that a row takes at a node that is no leaf; kEveryBranch when it is shared among all of them,
  // kStopHere when it ends at the node.
  template <class T>
  std::uint32_t branch(NodeId id, const T* row) const {
    const Node& node = nodes_[index(id)];
    const double x = row[node.feature];
    if (node.kind == NodeKind::kThreshold) {
      if (x <= node.threshold) return 0;
      return x > node.threshold ? 1 : branch_of_missing(id, row);
    }
    const Code code = code_of(x, node.n_codes);
    return code == kMissing ? branch_of_missing(id, row) : branch_of(tables_.data() + node.table, code);
  }

  struct Landing {
    NodeId node;
    bool shared;  // the node shares the row among its branches; otherwise the row ends here
  };

  // Goes down from `node` to where the row ends, or to the first node that shares it among its branches.
  // Calls visit(node) for every node on the way, both ends included.
  template <class T, class Visitor>
  Landing descend(NodeId node, const T* row, Visitor&& visit) const {
    for (;;) {
      visit(node);
      if (is_leaf(node)) return {node, false};
      const std::uint32_t taken = branch(node, row);
      if (!is_branch(taken)) return {node, taken == kEveryBranch};
      node = first_child(node) + static_cast<NodeId>(taken);
    }
  }

 private:
  struct Node {
    double threshold;
    std::int64_t table;
    FeatureId feature;
    NodeId first_child;
    std::uint32_t n_children;
    std::uint32_t missing;
    Code n_codes;
    NodeKind kind;
  };
  struct Surrogate {
    double threshold;
    std::int64_t table;
    FeatureId feature;
    Code n_codes;
    NodeKind kind;
    std::uint8_t flip;
  };

  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node); }

  // The first surrogate that can be answered decides. An unseen category is no answer: it says nothing about
  // the row's value of the node's own feature.
  template <class T>
  std::uint32_t branch_of_missing(NodeId id, const T* row) const {
    const Node& node = nodes_[index(id)];
    if (surrogates_.empty()) return node.missing;
    for (std::int64_t i = surrogate_begin_[index(id)]; i < surrogate_begin_[index(id) + 1]; ++i) {
      const Surrogate& surrogate = surrogates_[static_cast<std::size_t>(i)];
      const double x = row[surrogate.feature];
      if (surrogate.kind == NodeKind::kThreshold) {
        if (x == x) return static_cast<std::uint32_t>(x > surrogate.threshold) ^ surrogate.flip;
        continue;
      }
      const Code code = code_of(x, surrogate.n_codes);
      if (code != kMissing && code <= surrogate.n_codes) {
        return branch_of(tables_.data() + surrogate.table, code) ^ surrogate.flip;
      }
    }
    return node.missing;
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> tables_;
  std::vector<std::int64_t> surrogate_begin_;
  std::vector<Surrogate> surrogates_;
};

}  // namespace treewright
