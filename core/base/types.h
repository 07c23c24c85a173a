// Names for the integers that the engine passes around.
// Code 0 means "missing" in every column, so no column needs a flag for it.
#pragma once

#include <cstdint>
#include <limits>

namespace treewright {

using RowId = std::uint32_t;
using FeatureId = std::int32_t;
using NodeId = std::int32_t;
using Code = std::uint32_t;

inline constexpr Code kMissing = 0;
inline constexpr NodeId kNoNode = -1;
inline constexpr FeatureId kNoFeature = -1;

// "Every branch": a row whose value is missing goes down all branches with a share of its weight (C4.5).
inline constexpr std::uint32_t kEveryBranch = std::numeric_limits<std::uint32_t>::max();

// "Stop here": a row whose value has no branch ends at the node itself and takes the node's own value (ID3).
inline constexpr std::uint32_t kStopHere = kEveryBranch - 1;

inline constexpr bool is_branch(std::uint32_t entry) {
  return entry < kStopHere;
}

}  // namespace treewright
