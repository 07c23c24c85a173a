// Tree: a decision tree as a struct of arrays. It does not train, print, save or explain itself.
//
// Invariants (checked by tree/check.h): node 0 is the root; a parent's id is smaller than its children's;
// the children of a node are adjacent (child = first_child + branch); every node but the root has one parent.
// So every bottom-up pass is a loop from n - 1 to 0, and nothing here recurses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/types.h"

namespace treewright {

enum class NodeKind : std::uint8_t { kLeaf = 0, kThreshold = 1, kSubset = 2, kMultiway = 3 };

inline constexpr std::int64_t kUnknownRows = -1;

struct Tree {
  std::int32_t outputs = 1;  // values per node

  std::vector<NodeKind> kind;
  std::vector<FeatureId> feature;         // kNoFeature for a leaf
  std::vector<NodeId> first_child;        // kNoNode for a leaf
  std::vector<std::uint32_t> n_children;  // 0 for a leaf
  std::vector<double> threshold;          // threshold nodes: x <= threshold goes to branch 0; NaN elsewhere
  std::vector<std::int64_t> table;        // subset and multiway nodes: offset into `tables`; -1 elsewhere
  std::vector<std::uint32_t> missing;  // branch of a missing value, kEveryBranch or kStopHere; 0 for a leaf
  std::vector<double> value;           // n_nodes * outputs, for every node, not only for leaves
  std::vector<std::int64_t> rows;      // training rows that reached the node
  std::vector<double> weight;          // their weight
  std::vector<double> loss;            // their total loss as one leaf
  std::vector<double> gain;            // loss - sum of the children's losses; 0 for a leaf

  // Training rows of the node that have no value of the tested feature, and their weight; 0 for a leaf. Not
  // known (kUnknownRows and NaN) for trees from a forest or from elsewhere.
  std::vector<std::int64_t> missing_rows;
  std::vector<double> missing_weight;

  // Side tables of subset and multiway nodes, see tree/table.h.
  std::vector<std::uint32_t> tables;

  // Surrogate tests (CART): those of node i stand at surrogate_begin[i] ... surrogate_begin[i + 1] - 1, best
  // first. All empty when no surrogate was asked for.
  std::vector<std::int64_t> surrogate_begin;  // n_nodes + 1
  std::vector<FeatureId> surrogate_feature;
  std::vector<NodeKind> surrogate_kind;  // threshold or subset
  std::vector<double> surrogate_threshold;
  std::vector<std::int64_t> surrogate_table;  // offset into `tables`
  std::vector<std::uint8_t> surrogate_flip;   // 1: branch 0 and 1 change places
  std::vector<double> surrogate_agreement;    // share of rows sent the same way as by the node's own test

  // Tests that competed at some nodes (the larger ones): the winner of the search first, then the best tests
  // of the next features. For reports only; all empty when none was asked for.
  std::vector<NodeId> candidate_node;  // the node, ascending; an inner one
  std::vector<FeatureId> candidate_feature;
  std::vector<NodeKind> candidate_kind;
  std::vector<double> candidate_threshold;    // NaN for a test of categories
  std::vector<std::int64_t> candidate_table;  // offset into `tables`; -1 for a threshold and where each
                                              // category has a branch of its own
  std::vector<std::uint32_t> candidate_branches;
  std::vector<std::uint32_t> candidate_tries;  // cuts that it was chosen from, where that costs; else 0
  std::vector<double> candidate_left;   // weight of branch 0 and of branch 1, rows that were compared; NaN
  std::vector<double> candidate_right;  // for more branches
  std::vector<double> candidate_gain;   // what the algorithm compares, per unit of weight
  std::vector<double> candidate_split_info;  // the same unit; 0 where the algorithm does not ask for it
  std::vector<double> candidate_least_gain;  // what the gain had to reach (C4.5's average); -inf elsewhere

  std::size_t size() const { return kind.size(); }
  // Says of no test how many rows lacked its feature.
  void forget_missing_rows() {
    missing_rows.assign(size(), 0);
    missing_weight.assign(size(), 0.0);
    for (std::size_t node = 0; node < size(); ++node) {
      if (kind[node] == NodeKind::kLeaf) continue;
      missing_rows[node] = kUnknownRows;
      missing_weight[node] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  bool is_leaf(NodeId node) const { return kind[static_cast<std::size_t>(node)] == NodeKind::kLeaf; }
};

}  // namespace treewright
