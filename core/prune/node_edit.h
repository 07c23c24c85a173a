// The changes that pruning makes to a node. Ids stay; what becomes unreachable is left to canonical().
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tree/tree.h"

namespace treewright {

// Forgets the test. Rows, weight, value and loss stay.
inline void become_leaf(Tree& tree, std::size_t node) {
  tree.kind[node] = NodeKind::kLeaf;
  tree.feature[node] = kNoFeature;
  tree.first_child[node] = kNoNode;
  tree.n_children[node] = 0;
  tree.threshold[node] = std::numeric_limits<double>::quiet_NaN();
  tree.table[node] = -1;
  tree.missing[node] = 0;
  tree.gain[node] = 0;
  tree.missing_rows[node] = 0;
  tree.missing_weight[node] = 0;
}

// Puts the test of `branch`, a child of `node`, in the place of the node's own; the other children are lost.
inline void raise_branch(Tree& tree, std::size_t node, std::size_t branch) {
  tree.kind[node] = tree.kind[branch];
  tree.feature[node] = tree.feature[branch];
  tree.first_child[node] = tree.first_child[branch];
  tree.n_children[node] = tree.n_children[branch];
  tree.threshold[node] = tree.threshold[branch];
  tree.table[node] = tree.table[branch];
  tree.missing[node] = tree.missing[branch];
  tree.missing_rows[node] = tree.missing_rows[branch];
  tree.missing_weight[node] = tree.missing_weight[branch];
  become_leaf(tree, branch);  // its children have one parent only
}

// For trees with surrogates, after nodes became leaves: a leaf has none.
inline void drop_surrogates_of_leaves(Tree& tree) {
  std::size_t kept = 0;
  std::vector<std::int64_t> begin{0};
  for (std::size_t node = 0; node < tree.size(); ++node) {
    for (std::int64_t i = tree.surrogate_begin[node]; i < tree.surrogate_begin[node + 1]; ++i) {
      if (tree.kind[node] == NodeKind::kLeaf) break;
      const auto from = static_cast<std::size_t>(i);
      tree.surrogate_feature[kept] = tree.surrogate_feature[from];
      tree.surrogate_kind[kept] = tree.surrogate_kind[from];
      tree.surrogate_threshold[kept] = tree.surrogate_threshold[from];
      tree.surrogate_table[kept] = tree.surrogate_table[from];
      tree.surrogate_flip[kept] = tree.surrogate_flip[from];
      tree.surrogate_agreement[kept] = tree.surrogate_agreement[from];
      ++kept;
    }
    begin.push_back(static_cast<std::int64_t>(kept));
  }
  tree.surrogate_begin = std::move(begin);
  tree.surrogate_feature.resize(kept);
  tree.surrogate_kind.resize(kept);
  tree.surrogate_threshold.resize(kept);
  tree.surrogate_table.resize(kept);
  tree.surrogate_flip.resize(kept);
  tree.surrogate_agreement.resize(kept);
}

}  // namespace treewright
