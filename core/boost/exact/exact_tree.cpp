#include "boost/exact/exact_tree.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tree/builder.h"

namespace treewright {

namespace {

std::size_t index(NodeId node) {
  return static_cast<std::size_t>(node);
}

Code code_at(const Column& column, std::size_t row) {
  return visit_codes(column, [&](const auto* codes) { return static_cast<Code>(codes[row]); });
}

void set_numbers(const ExactNode& node, std::size_t id, BoostedTree* boosted) {
  Tree& tree = boosted->tree;
  tree.value[id] = static_cast<double>(node.value);
  tree.rows[id] = static_cast<std::int64_t>(node.rows);
  tree.weight[id] = node.sum.hessian;
  // A loss is half of what the method compares.
  tree.loss[id] = -0.5 * static_cast<double>(node.gain_as_leaf);
  if (node.is_leaf()) return;
  tree.gain[id] = 0.5 * static_cast<double>(node.gain);
  tree.missing[id] = node.missing_left ? 0 : 1;
}

// The tree in canonical order, and the final number of every grown node: pruned ones have that of the leaf
// that took their place.
std::vector<NodeId> write_tree(std::span<const ExactNode> nodes, BoostedTree* boosted) {
  TreeBuilder builder(1);
  std::vector<NodeId> number(nodes.size(), kNoNode);
  std::vector<NodeId> waiting{0};
  number[0] = 0;
  while (!waiting.empty()) {
    const NodeId grown = waiting.back();
    waiting.pop_back();
    const ExactNode& node = nodes[index(grown)];
    if (node.is_leaf()) continue;
    const NodeId first = builder.split_at_threshold(number[index(grown)], node.feature, node.threshold);
    number[index(node.first_child)] = first;
    number[index(node.first_child) + 1] = first + 1;
    waiting.push_back(node.first_child + 1);
    waiting.push_back(node.first_child);
  }
  boosted->tree = builder.finish();
  boosted->gradient.resize(boosted->tree.size());
  for (std::size_t grown = 0; grown < nodes.size(); ++grown) {
    const ExactNode& node = nodes[grown];
    if (node.is_leaf() && node.first_child != kNoNode) {
      number[index(node.first_child)] = number[index(node.first_child) + 1] = number[grown];
    }
  }
  return number;
}

}  // namespace

void prune_small_gains(std::vector<ExactNode>& nodes, float min_gain) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    ExactNode& node = nodes[i];
    if (node.is_leaf() || !(node.gain < min_gain)) continue;
    const std::size_t child = index(node.first_child);
    if (nodes[child].is_leaf() && nodes[child + 1].is_leaf()) node.feature = kNoFeature;
  }
}

BoostedTree exact_tree(std::span<const ExactNode> nodes, std::span<const NodeId> leaf, const NodeRows& rows,
                       const Dataset& data, Team& team) {
  BoostedTree boosted;
  const std::vector<NodeId> number = write_tree(nodes, &boosted);
  // A pruned node comes after the leaf whose number it has, so going backwards the leaf writes last.
  for (std::size_t grown = nodes.size(); grown-- > 0;) {
    const std::size_t id = index(number[grown]);
    set_numbers(nodes[grown], id, &boosted);
    boosted.gradient[id] = nodes[grown].sum.gradient;
  }
  boosted.leaf.resize(data.n_rows);
  constexpr std::size_t kPart = std::size_t{1} << 14;
  const std::size_t n_parts = (data.n_rows + kPart - 1) / kPart;
  team.parallel_for(n_parts, 2 * data.n_rows, [&](std::size_t part, int) {
    const std::size_t end = std::min(data.n_rows, (part + 1) * kPart);
    for (std::size_t row = part * kPart; row < end; ++row) {
      NodeId node = 0;
      if (rows.takes_part(row)) {
        node = leaf[row];
      } else {
        while (!nodes[index(node)].is_leaf()) {
          node = nodes[index(node)].child_of(code_at(data.column(nodes[index(node)].feature), row));
        }
      }
      boosted.leaf[row] = number[index(node)];
    }
  });
  return boosted;
}

}  // namespace treewright
