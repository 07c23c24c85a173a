#include "grow/surrogate_arrays.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace treewright {

void append_surrogates(TreeBuilder& builder, std::span<const Surrogate> surrogates) {
  Tree& tree = builder.tree();
  if (tree.surrogate_begin.empty()) tree.surrogate_begin.push_back(0);
  for (const Surrogate& surrogate : surrogates) {
    tree.surrogate_feature.push_back(surrogate.feature);
    tree.surrogate_kind.push_back(surrogate.kind);
    tree.surrogate_threshold.push_back(surrogate.threshold);
    const bool is_subset = surrogate.kind == NodeKind::kSubset;
    tree.surrogate_table.push_back(is_subset ? static_cast<std::int64_t>(tree.tables.size()) : -1);
    tree.tables.insert(tree.tables.end(), surrogate.table.begin(), surrogate.table.end());
    tree.surrogate_flip.push_back(surrogate.flip ? 1 : 0);
    tree.surrogate_agreement.push_back(surrogate.agreement);
  }
  tree.surrogate_begin.push_back(static_cast<std::int64_t>(tree.surrogate_feature.size()));
}

void order_surrogates_by_node(Tree& tree) {
  // The number of a split is the rank of its first child among all first children.
  std::vector<NodeId> owner(tree.size(), kNoNode);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.first_child[node] != kNoNode) {
      owner[static_cast<std::size_t>(tree.first_child[node])] = static_cast<NodeId>(node);
    }
  }
  std::vector<std::size_t> split_of(tree.size(), 0);
  std::size_t n_splits = 0;
  for (const NodeId node : owner) {
    if (node != kNoNode) split_of[static_cast<std::size_t>(node)] = n_splits++;
  }

  std::vector<std::int64_t> begin{0};
  std::vector<std::size_t> order;
  begin.reserve(tree.size() + 1);
  order.reserve(tree.surrogate_feature.size());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (!tree.is_leaf(static_cast<NodeId>(node))) {
      const std::int64_t end = tree.surrogate_begin[split_of[node] + 1];
      for (std::int64_t i = tree.surrogate_begin[split_of[node]]; i < end; ++i) {
        order.push_back(static_cast<std::size_t>(i));
      }
    }
    begin.push_back(static_cast<std::int64_t>(order.size()));
  }
  const auto reorder = [&](auto& values) {
    auto old = values;
    std::transform(order.begin(), order.end(), values.begin(), [&](std::size_t i) { return old[i]; });
  };
  reorder(tree.surrogate_feature);
  reorder(tree.surrogate_kind);
  reorder(tree.surrogate_threshold);
  reorder(tree.surrogate_table);
  reorder(tree.surrogate_flip);
  reorder(tree.surrogate_agreement);
  tree.surrogate_begin = std::move(begin);
}

}  // namespace treewright
