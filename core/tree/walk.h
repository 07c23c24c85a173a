// Walks over a tree without recursion: depths, leaves, the way to the root.
// A parent's id is smaller than its children's, so every walk is a loop over ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/tree.h"

namespace treewright {

// Calls visit(child id, branch) for the children of a node, branch 0 first; not at all for a leaf.
template <class Visitor>
void for_each_child(const Tree& tree, std::size_t node, Visitor&& visit) {
  if (tree.kind[node] == NodeKind::kLeaf) return;
  const auto first = static_cast<std::size_t>(tree.first_child[node]);
  for (std::uint32_t branch = 0; branch < tree.n_children[node]; ++branch) visit(first + branch, branch);
}

// The parent of every node; kNoNode for the root.
inline std::vector<NodeId> parents(const Tree& tree) {
  std::vector<NodeId> parent(tree.size(), kNoNode);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    for_each_child(tree, node,
                   [&](std::size_t child, std::uint32_t) { parent[child] = static_cast<NodeId>(node); });
  }
  return parent;
}

// The number of splits above every node; 0 for the root.
inline std::vector<std::int32_t> depths(const Tree& tree) {
  std::vector<std::int32_t> depth(tree.size(), 0);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    for_each_child(tree, node, [&](std::size_t child, std::uint32_t) { depth[child] = depth[node] + 1; });
  }
  return depth;
}

inline std::int32_t max_depth(const Tree& tree) {
  const std::vector<std::int32_t> depth = depths(tree);
  return depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end());
}

inline std::size_t n_leaves(const Tree& tree) {
  return static_cast<std::size_t>(std::count(tree.kind.begin(), tree.kind.end(), NodeKind::kLeaf));
}

// The ids from the root to `node`, both included. `parent` is what parents() gave.
inline std::vector<NodeId> path_from_root(const std::vector<NodeId>& parent, NodeId node) {
  std::vector<NodeId> path;
  for (; node != kNoNode; node = parent[static_cast<std::size_t>(node)]) path.push_back(node);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace treewright
