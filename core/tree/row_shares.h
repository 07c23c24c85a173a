// Rows that take every branch are shared by weight: each branch gets its part of the node's.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/types.h"
#include "tree/table_spans.h"
#include "tree/tree.h"

namespace treewright {

// Whether some value takes every branch of an inner node. The node's table lies within the tables.
inline bool shares_rows(const Tree& tree, std::size_t node) {
  if (tree.missing[node] == kEveryBranch) return true;
  if (tree.kind[node] != NodeKind::kMultiway) return false;
  const TableSpan span = TableSpans::at(node, static_cast<std::size_t>(tree.table[node]), tree.tables);
  for (std::size_t i = span.begin + 2; i < span.end; ++i) {
    if (tree.tables[i] == kEveryBranch) return true;
  }
  return false;
}

// Whether the parts make 1. A fit adds up the same rows twice, so they do but for rounding.
inline bool shares_add_up(const Tree& tree, std::size_t node) {
  constexpr double kRounding = 1e-4;
  const auto first = static_cast<std::size_t>(tree.first_child[node]);
  double sum = 0;
  for (std::uint32_t b = 0; b < tree.n_children[node]; ++b) sum += tree.weight[first + b];
  return std::abs(sum - tree.weight[node]) <= kRounding * tree.weight[node];
}

}  // namespace treewright
