// What the branches of a node have together: its rows and its weight, except where rows are shared by all
// branches (each counts a part as a row) or stay at the node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/types.h"
#include "tree/table_spans.h"
#include "tree/tree.h"

namespace treewright {

// Which ways some value has beside one branch.
struct OtherWays {
  bool every_branch = false;
  bool stop_here = false;
};

// Of an inner node whose table lies within the tables.
inline OtherWays other_ways(const Tree& tree, std::size_t node) {
  OtherWays ways;
  const auto add = [&ways](std::uint32_t branch) {
    ways.every_branch |= branch == kEveryBranch;
    ways.stop_here |= branch == kStopHere;
  };
  add(tree.missing[node]);
  if (tree.kind[node] != NodeKind::kMultiway) return ways;
  const TableSpan span = TableSpans::at(node, static_cast<std::size_t>(tree.table[node]), tree.tables);
  for (std::size_t i = span.begin + 2; i < span.end; ++i) add(tree.tables[i]);
  return ways;
}

// A fit adds up the same rows in another order, and some formats keep single precision.
inline bool weights_add_up(double branches, double node, OtherWays ways) {
  constexpr double kRounding = 1e-4;
  constexpr double kLeast = std::numeric_limits<float>::min();
  const double margin = kRounding * node + kLeast;
  return branches <= node + margin && (ways.stop_here || branches >= node - margin);
}

// Numbers of rows below 2^63; their sum may be larger.
inline bool rows_add_up(std::uint64_t branches, std::uint64_t node, OtherWays ways) {
  if (ways.every_branch) return true;
  return ways.stop_here ? branches <= node : branches == node;
}

// "rows" or "weights" of an inner node; nullptr when both add up.
inline const char* what_does_not_add_up(const Tree& tree, std::size_t node) {
  const OtherWays ways = other_ways(tree, node);
  const auto first = static_cast<std::size_t>(tree.first_child[node]);
  std::uint64_t rows = 0;
  double weight = 0;
  for (std::uint32_t b = 0; b < tree.n_children[node]; ++b) {
    rows += static_cast<std::uint64_t>(tree.rows[first + b]);
    weight += tree.weight[first + b];
  }
  if (!weights_add_up(weight, tree.weight[node], ways)) return "weights";
  return rows_add_up(rows, static_cast<std::uint64_t>(tree.rows[node]), ways) ? nullptr : "rows";
}

}  // namespace treewright
