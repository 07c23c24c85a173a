// Lean nodes: the form in which trees of thresholds alone are walked, several rows at a time.
//
// A leaf is a node whose threshold is NaN and whose child is itself: no comparison with NaN is true, so a row
// that has arrived stays while its neighbours go on, and a step needs no branch. The NaN's spare bits hold
// the leaf's id.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/types.h"
#include "predict/matrix.h"

namespace treewright {

// 8 bytes: float32 rows, at most 512 features and 4 million nodes. `x <= threshold` for a float32 x and a
// float64 threshold is the same as for the threshold rounded down to float32, so nothing is lost.
struct PackedNode {
  static constexpr std::size_t kMostNodes = std::size_t{1} << 22;
  static constexpr std::size_t kMostFeatures = std::size_t{1} << 9;

  float threshold;
  std::uint32_t word;  // first child (22 bits), feature (9), 1 when a missing value goes to branch 1 (1)

  std::uint32_t first_child() const { return word >> 10; }
  std::uint32_t feature() const { return (word >> 1) & 511U; }
  std::uint32_t missing() const { return word & 1U; }
  bool is_leaf() const { return threshold != threshold; }
  NodeId leaf_id() const { return static_cast<NodeId>(std::bit_cast<std::uint32_t>(threshold) & 0x3FFFFFU); }

  static PackedNode leaf(NodeId id, std::uint32_t position) {
    return {std::bit_cast<float>(0x7FC00000U | static_cast<std::uint32_t>(id)), position << 10};
  }
  static PackedNode split(double threshold, FeatureId feature, std::uint32_t child, std::uint32_t missing) {
    return {round_down(threshold), child << 10 | static_cast<std::uint32_t>(feature) << 1 | missing};
  }
  static float round_down(double threshold);
};

// 16 bytes: any tree of thresholds.
struct WideNode {
  static constexpr std::size_t kMostNodes = std::numeric_limits<NodeId>::max();
  static constexpr std::size_t kMostFeatures = std::size_t{1} << 31;

  double threshold;
  std::uint32_t child;
  std::uint32_t word;  // feature (31 bits), 1 when a missing value goes to branch 1 (1)

  std::uint32_t first_child() const { return child; }
  std::uint32_t feature() const { return word >> 1; }
  std::uint32_t missing() const { return word & 1U; }
  bool is_leaf() const { return threshold != threshold; }
  NodeId leaf_id() const {
    return static_cast<NodeId>(std::bit_cast<std::uint64_t>(threshold) & 0x7FFFFFFFU);
  }

  static WideNode leaf(NodeId id, std::uint32_t position) {
    return {std::bit_cast<double>(0x7FF8000000000000U | static_cast<std::uint64_t>(id)), position, 0};
  }
  static WideNode split(double threshold, FeatureId feature, std::uint32_t child, std::uint32_t missing) {
    return {threshold, child, static_cast<std::uint32_t>(feature) << 1 | missing};
  }
};

static_assert(sizeof(PackedNode) == 8 && sizeof(WideNode) == 16);

// --- walking eight rows at a time: while one row waits for memory, the others go on

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
