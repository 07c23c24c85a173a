#include "tree/canonical.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

namespace {

// The old ids in the new order. new_first_child[new id] is filled on the way.
std::vector<NodeId> canonical_order(const Tree& tree, std::vector<NodeId>& new_first_child) {
  std::vector<NodeId> order;
  order.reserve(tree.size());
  order.push_back(0);
  new_first_child.reserve(tree.size());
  new_first_child.assign(1, kNoNode);

  std::vector<std::size_t> to_visit{0};  // new ids, the next one on top
  while (!to_visit.empty()) {
    const std::size_t node = to_visit.back();
    to_visit.pop_back();
    const auto old = static_cast<std::size_t>(order[node]);
    if (tree.kind[old] == NodeKind::kLeaf) continue;
    const std::size_t first = order.size();
    const std::uint32_t n_children = tree.n_children[old];
    new_first_child[node] = static_cast<NodeId>(first);
    new_first_child.resize(first + n_children, kNoNode);
    for (std::uint32_t branch = 0; branch < n_children; ++branch) {
      order.push_back(tree.first_child[old] + static_cast<NodeId>(branch));
    }
    for (std::uint32_t branch = n_children; branch > 0; --branch) to_visit.push_back(first + branch - 1);
  }
  return order;
}

// Appends the table at `offset` to `to` and returns its new offset; -1 stays -1.
std::int64_t copy_table(const std::vector<std::uint32_t>& from, std::int64_t offset,
                        std::vector<std::uint32_t>& to) {
  if (offset < 0) return -1;
  const auto new_offset = static_cast<std::int64_t>(to.size());
  const auto begin = from.begin() + offset;
  to.insert(to.end(), begin, begin + 2 + begin[1]);
  return new_offset;
}

// Moves one array over and frees it, so that a large tree is never there twice.
template <class T>
void reorder(std::vector<T>& from, const std::vector<NodeId>& order, std::vector<T>& to,
             std::size_t width = 1) {
  to.reserve(order.size() * width);
  for (const NodeId old : order) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(old) * width);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  std::vector<T>().swap(from);
}

void copy_surrogates(const Tree& tree, std::size_t old, Tree& out) {
  for (std::int64_t i = tree.surrogate_begin[old]; i < tree.surrogate_begin[old + 1]; ++i) {
    const auto s = static_cast<std::size_t>(i);
    out.surrogate_feature.push_back(tree.surrogate_feature[s]);
    out.surrogate_kind.push_back(tree.surrogate_kind[s]);
    out.surrogate_threshold.push_back(tree.surrogate_threshold[s]);
    out.surrogate_table.push_back(copy_table(tree.tables, tree.surrogate_table[s], out.tables));
    out.surrogate_flip.push_back(tree.surrogate_flip[s]);
    out.surrogate_agreement.push_back(tree.surrogate_agreement[s]);
  }
  out.surrogate_begin.push_back(static_cast<std::int64_t>(out.surrogate_feature.size()));
}

// Candidates in the new order of their nodes; those of leaves and of nodes that are left out are dropped.
void copy_candidates(const Tree& tree, std::size_t n_nodes, const std::vector<NodeId>& order, Tree& out) {
  std::vector<std::int64_t> first(n_nodes, -1);  // of each old node
  for (std::size_t i = tree.candidate_node.size(); i-- > 0;) {
    first[static_cast<std::size_t>(tree.candidate_node[i])] = static_cast<std::int64_t>(i);
  }
  const std::size_t n = tree.candidate_node.size();
  out.candidate_node.reserve(n);
  out.candidate_feature.reserve(n);
  out.candidate_kind.reserve(n);
  out.candidate_threshold.reserve(n);
  out.candidate_table.reserve(n);
  out.candidate_branches.reserve(n);
  out.candidate_tries.reserve(n);
  out.candidate_left.reserve(n);
  out.candidate_right.reserve(n);
  out.candidate_gain.reserve(n);
  out.candidate_split_info.reserve(n);
  out.candidate_least_gain.reserve(n);
  for (std::size_t node = 0; node < order.size(); ++node) {
    const NodeId old = order[node];
    if (first[static_cast<std::size_t>(old)] < 0 || out.kind[node] == NodeKind::kLeaf) continue;
    auto i = static_cast<std::size_t>(first[static_cast<std::size_t>(old)]);
    for (; i < n && tree.candidate_node[i] == old; ++i) {
      out.candidate_node.push_back(static_cast<NodeId>(node));
      out.candidate_feature.push_back(tree.candidate_feature[i]);
      out.candidate_kind.push_back(tree.candidate_kind[i]);
      out.candidate_threshold.push_back(tree.candidate_threshold[i]);
      out.candidate_table.push_back(copy_table(tree.tables, tree.candidate_table[i], out.tables));
      out.candidate_branches.push_back(tree.candidate_branches[i]);
      out.candidate_tries.push_back(tree.candidate_tries[i]);
      out.candidate_left.push_back(tree.candidate_left[i]);
      out.candidate_right.push_back(tree.candidate_right[i]);
      out.candidate_gain.push_back(tree.candidate_gain[i]);
      out.candidate_split_info.push_back(tree.candidate_split_info[i]);
      out.candidate_least_gain.push_back(tree.candidate_least_gain[i]);
    }
  }
}

}  // namespace

Tree canonical(Tree tree) {
  Tree out;
  out.outputs = tree.outputs;
  if (tree.size() == 0) return out;
  const std::size_t n_nodes = tree.size();
  const std::vector<NodeId> order = canonical_order(tree, out.first_child);
  std::vector<NodeId>().swap(tree.first_child);

  reorder(tree.kind, order, out.kind);
  reorder(tree.feature, order, out.feature);
  reorder(tree.n_children, order, out.n_children);
  reorder(tree.threshold, order, out.threshold);
  reorder(tree.missing, order, out.missing);
  reorder(tree.rows, order, out.rows);
  reorder(tree.weight, order, out.weight);
  reorder(tree.loss, order, out.loss);
  reorder(tree.gain, order, out.gain);
  reorder(tree.missing_rows, order, out.missing_rows);
  reorder(tree.missing_weight, order, out.missing_weight);
  reorder(tree.value, order, out.value, static_cast<std::size_t>(tree.outputs));

  const bool has_surrogates = !tree.surrogate_begin.empty();
  if (has_surrogates) out.surrogate_begin.push_back(0);
  out.table.reserve(order.size());
  for (const NodeId old : order) {
    const auto node = static_cast<std::size_t>(old);
    out.table.push_back(copy_table(tree.tables, tree.table[node], out.tables));
    if (has_surrogates) copy_surrogates(tree, node, out);
  }
  if (!tree.candidate_node.empty()) copy_candidates(tree, n_nodes, order, out);
  return out;
}

}  // namespace treewright
