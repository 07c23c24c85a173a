#include "tree/canonical.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

namespace {

// The old ids in the new order. new_first_child[new id] is filled on the way.
std::vector<std::size_t> canonical_order(const Tree& tree, std::vector<NodeId>& new_first_child) {
  std::vector<std::size_t> order;
  order.reserve(tree.size());
  order.push_back(0);
  new_first_child.assign(1, kNoNode);

  std::vector<std::size_t> to_visit{0};  // new ids, the next one on top
  while (!to_visit.empty()) {
    const std::size_t node = to_visit.back();
    to_visit.pop_back();
    const std::size_t old = order[node];
    if (tree.kind[old] == NodeKind::kLeaf) continue;
    const std::size_t first = order.size();
    const std::uint32_t n_children = tree.n_children[old];
    new_first_child[node] = static_cast<NodeId>(first);
    new_first_child.resize(first + n_children, kNoNode);
    for (std::uint32_t branch = 0; branch < n_children; ++branch) {
      order.push_back(static_cast<std::size_t>(tree.first_child[old]) + branch);
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

template <class T>
void reorder(const std::vector<T>& from, const std::vector<std::size_t>& order, std::vector<T>& to) {
  to.reserve(order.size());
  for (const std::size_t old : order) to.push_back(from[old]);
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

}  // namespace

Tree canonical(const Tree& tree) {
  Tree out;
  out.outputs = tree.outputs;
  if (tree.size() == 0) return out;
  const std::vector<std::size_t> order = canonical_order(tree, out.first_child);

  reorder(tree.kind, order, out.kind);
  reorder(tree.feature, order, out.feature);
  reorder(tree.n_children, order, out.n_children);
  reorder(tree.threshold, order, out.threshold);
  reorder(tree.missing, order, out.missing);
  reorder(tree.rows, order, out.rows);
  reorder(tree.weight, order, out.weight);
  reorder(tree.loss, order, out.loss);
  reorder(tree.gain, order, out.gain);

  const auto n_outputs = static_cast<std::size_t>(tree.outputs);
  out.value.reserve(order.size() * n_outputs);
  for (const std::size_t old : order) {
    const auto begin = tree.value.begin() + static_cast<std::ptrdiff_t>(old * n_outputs);
    out.value.insert(out.value.end(), begin, begin + static_cast<std::ptrdiff_t>(n_outputs));
  }

  const bool has_surrogates = !tree.surrogate_begin.empty();
  if (has_surrogates) out.surrogate_begin.push_back(0);
  out.table.reserve(order.size());
  for (const std::size_t old : order) {
    out.table.push_back(copy_table(tree.tables, tree.table[old], out.tables));
    if (has_surrogates) copy_surrogates(tree, old, out);
  }
  return out;
}

}  // namespace treewright
