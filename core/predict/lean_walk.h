// Walks eight rows at a time down lean nodes: while one row waits for memory, the others go on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/types.h"
#include "predict/lean_nodes.h"
#include "predict/matrix.h"

namespace treewright {

// What a step may leave out.
enum class MissingGoes { kLeft, kByNode };  // kLeft: no node sends missing values to branch 1

template <MissingGoes kMissingGoes, class Node, class T>
inline std::uint32_t next_position(const Node& node, const T* row) {
  const auto x = row[node.feature()];
  // NaN > t is false: a missing value goes left at no cost, and a row at a leaf stays where it is.
  std::uint32_t branch = x > node.threshold;
  if constexpr (kMissingGoes == MissingGoes::kByNode)
    branch |= static_cast<std::uint32_t>(x != x) & node.missing();
  return node.first_child() + branch;
}

// Writes the leaf id of row i to out[i * out_stride]. No leaf lies above depth `sure_steps`.
template <MissingGoes kMissingGoes, class Node, class T>
void walk_lean(const Node* nodes, std::size_t sure_steps, const MatrixRows<T>& rows, NodeId* out,
               std::size_t out_stride) {
  constexpr std::size_t kLanes = 8;
  constexpr std::size_t kStepsBetweenTests = 3;
  std::size_t i = 0;
  for (; i + kLanes <= rows.n_rows; i += kLanes) {
    std::array<const T*, kLanes> row;
    for (std::size_t lane = 0; lane < kLanes; ++lane) row[lane] = rows.row(i + lane);
    std::array<std::uint32_t, kLanes> at{};
    const auto step = [&] {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        at[lane] = next_position<kMissingGoes>(nodes[at[lane]], row[lane]);
      }
    };
    for (std::size_t s = 0; s < sure_steps; ++s) step();
    for (bool moving = true; moving;) {
      for (std::size_t s = 0; s < kStepsBetweenTests; ++s) step();
      moving = false;
      for (std::size_t lane = 0; lane < kLanes; ++lane) moving |= !nodes[at[lane]].is_leaf();
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      out[(i + lane) * out_stride] = nodes[at[lane]].leaf_id();
  }
  for (; i < rows.n_rows; ++i) {
    std::uint32_t at = 0;
    while (!nodes[at].is_leaf()) at = next_position<kMissingGoes>(nodes[at], rows.row(i));
    out[i * out_stride] = nodes[at].leaf_id();
  }
}

}  // namespace treewright
