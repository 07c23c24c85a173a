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

inline void graft(Tree& tree, const Fragment& fragment) {
  const Tree& part = fragment.tree;
  const auto root = static_cast<std::size_t>(fragment.root);
  const std::size_t before = tree.size();
  const auto outputs = static_cast<std::size_t>(tree.outputs);
  const auto shift = static_cast<NodeId>(before) - 1;  // node i of the part becomes node i + shift, but 0 the root
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
  tree.value.insert(tree.value.end(), part.value.begin() + static_cast<std::ptrdiff_t>(outputs), part.value.end());
  for (std::size_t k = 0; k < outputs; ++k) tree.value[root * outputs + k] = part.value[k];
}

}  // namespace treewright
