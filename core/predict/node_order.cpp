#include "predict/node_order.h"

#include <cstdint>

#include "tree/walk.h"

namespace treewright {

namespace {

constexpr std::size_t kTopNodes = 1024;  // 8 to 16 KiB: half of a first-level cache
constexpr int kClusterLevels = 3;        // 1 + 2 + 4 families of two: 112 bytes of packed nodes

// Appends the families (adjacent children) below `roots` level by level until `levels` or `most` are reached,
// and leaves the nodes whose families come next in `roots`.
void append_levels(const Tree& tree, int levels, std::size_t most, std::vector<NodeId>& roots,
                   std::vector<NodeId>& order) {
  for (int level = 0; level < levels && !roots.empty() && order.size() < most; ++level) {
    std::vector<NodeId> next;
    for (const NodeId node : roots) {
      for_each_child(tree, static_cast<std::size_t>(node), [&](std::size_t child, std::uint32_t) {
        order.push_back(static_cast<NodeId>(child));
        if (!tree.is_leaf(static_cast<NodeId>(child))) next.push_back(static_cast<NodeId>(child));
      });
    }
    roots.swap(next);
  }
}

}  // namespace

std::vector<NodeId> memory_order(const Tree& tree) {
  std::vector<NodeId> order{0};
  order.reserve(tree.size());
  std::vector<NodeId> pending;
  if (!tree.is_leaf(0)) pending.push_back(0);
  append_levels(tree, static_cast<int>(kTopNodes), kTopNodes, pending, order);

  // Clusters depth first: a cluster is followed by the one below its first exit.
  std::vector<NodeId> roots;
  std::vector<NodeId> stack(pending.rbegin(), pending.rend());
  while (!stack.empty()) {
    roots.assign(1, stack.back());
    stack.pop_back();
    append_levels(tree, kClusterLevels, tree.size() + 1, roots, order);
    stack.insert(stack.end(), roots.rbegin(), roots.rend());
  }
  return order;
}

}  // namespace treewright
