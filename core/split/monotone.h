// Monotone constraints: what a test of a feature with a direction may do to the values of its children, and
// what it leaves to them. A direction is -1 (values fall), 0 (none) or 1 (values rise from branch 0 to
// branch 1).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/types.h"

namespace treewright {

// The values that leaves below a node may take.
template <class Number>
struct BoundsOf {
  Number lower = -std::numeric_limits<Number>::infinity();
  Number upper = std::numeric_limits<Number>::infinity();

  bool is_free() const { return std::isinf(lower) && std::isinf(upper); }
  Number clip(Number value) const { return value < lower ? lower : upper < value ? upper : value; }
  bool holds(Number value) const { return !(value < lower || value > upper); }
};

using ValueBounds = BoundsOf<double>;

// The direction of a feature; `directions` has one per feature, or none at all.
inline int direction_of(std::span<const std::int8_t> directions, FeatureId feature) {
  return directions.empty() ? 0 : directions[static_cast<std::size_t>(feature)];
}

template <class Number>
bool keeps_direction(int direction, Number left_value, Number right_value) {
  if (direction == 0) return true;
  return direction > 0 ? left_value <= right_value : left_value >= right_value;
}

// Below a test that has a direction, nothing crosses the middle between the values of its children.
template <class Number>
BoundsOf<Number> child_bounds(const BoundsOf<Number>& bounds, int direction, Number left_value,
                              Number right_value, std::uint32_t branch) {
  if (direction == 0) return bounds;
  BoundsOf<Number> child = bounds;
  const bool is_lower_side = (direction > 0) == (branch == 0);
  (is_lower_side ? child.upper : child.lower) = (left_value + right_value) / 2;
  return child;
}

}  // namespace treewright
