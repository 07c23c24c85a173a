// Lean nodes: the form in which trees of thresholds alone are walked, several rows at a time.
//
// A leaf is a node whose threshold is NaN and whose child is itself: no comparison with NaN is true, so a row
// that has arrived stays while its neighbours go on, and a step needs no branch. The NaN's spare bits hold
// the leaf's id.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/types.h"

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

}  // namespace treewright
