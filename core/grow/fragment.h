// Joins subtrees that were grown on their own into the tree that holds their roots.
#pragma once

#include <cstddef>
#include <vector>

#include "tree/tree.h"

namespace treewright {

struct Fragment {
  NodeId root = 0;  // the node of the whole tree that node 0 of `tree` stands for
  Tree tree;
};

// Surrogates stand in the order of splits while a tree grows (grow/surrogates.h), so those of a part
// come last.
inline void graft_surrogates(Tree& tree, const Tree& part, std::int64_t table_shift) {
  if (part.surrogate_begin.empty()) return;
  const auto before = static_cast<std::int64_t>(tree.surrogate_feature.size());
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(tree.surrogate_feature, part.surrogate_feature);
  append(tree.surrogate_kind, part.surrogate_kind);
  append(tree.surrogate_threshold, part.surrogate_threshold);
  append(tree.surrogate_flip, part.surrogate_flip);
  append(tree.surrogate_agreement, part.surrogate_agreement);
  for (const std::int64_t at : part.surrogate_table)
    tree.surrogate_table.push_back(at < 0 ? at : at + table_shift);
  if (tree.surrogate_begin.empty()) tree.surrogate_begin.push_back(0);
  for (std::size_t i = 1; i < part.surrogate_begin.size(); ++i) {
    tree.surrogate_begin.push_back(part.surrogate_begin[i] + before);
  }
}

inline void graft_candidates(Tree& tree, const Fragment& fragment, NodeId shift, std::int64_t table_shift) {
  const Tree& part = fragment.tree;
  for (const NodeId node : part.candidate_node) {
    tree.candidate_node.push_back(node == 0 ? fragment.root : node + shift);
  }
  for (const std::int64_t at : part.candidate_table)
    tree.candidate_table.push_back(at < 0 ? at : at + table_shift);
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(tree.candidate_feature, part.candidate_feature);
  append(tree.candidate_kind, part.candidate_kind);
  append(tree.candidate_threshold, part.candidate_threshold);
  append(tree.candidate_branches, part.candidate_branches);
  append(tree.candidate_tries, part.candidate_tries);
  append(tree.candidate_left, part.candidate_left);
  append(tree.candidate_right, part.candidate_right);
  append(tree.candidate_gain, part.candidate_gain);
  append(tree.candidate_split_info, part.candidate_split_info);
  append(tree.candidate_least_gain, part.candidate_least_gain);
}

inline void graft(Tree& tree, const Fragment& fragment) {
  const Tree& part = fragment.tree;
  const auto root = static_cast<std::size_t>(fragment.root);
  const std::size_t before = tree.size();
  const auto outputs = static_cast<std::size_t>(tree.outputs);
  const auto shift =
      static_cast<NodeId>(before) - 1;  // node i of the part becomes node i + shift, but 0 the root
  const auto table_shift = static_cast<std::int64_t>(tree.tables.size());
  tree.tables.insert(tree.tables.end(), part.tables.begin(), part.tables.end());

  const auto place = [&](auto& to, const auto& from, auto change) {
    to[root] = change(from[0]);
    for (std::size_t i = 1; i < part.size(); ++i) to.push_back(change(from[i]));
  };
  const auto same = [](auto x) { return x; };
  place(tree.kind, part.kind, same);
  place(tree.feature, part.feature, same);
  place(tree.first_child, part.first_child, [&](NodeId id) { return id == kNoNode ? kNoNode : id + shift; });
  place(tree.n_children, part.n_children, same);
  place(tree.threshold, part.threshold, same);
  place(tree.table, part.table, [&](std::int64_t at) { return at < 0 ? at : at + table_shift; });
  place(tree.missing, part.missing, same);
  place(tree.rows, part.rows, same);
  place(tree.weight, part.weight, same);
  place(tree.loss, part.loss, same);
  place(tree.gain, part.gain, same);
  place(tree.missing_rows, part.missing_rows, same);
  place(tree.missing_weight, part.missing_weight, same);
  tree.value.insert(tree.value.end(), part.value.begin() + static_cast<std::ptrdiff_t>(outputs),
                    part.value.end());
  for (std::size_t k = 0; k < outputs; ++k) tree.value[root * outputs + k] = part.value[k];
  graft_surrogates(tree, part, table_shift);
  graft_candidates(tree, fragment, shift, table_shift);
}

}  // namespace treewright
