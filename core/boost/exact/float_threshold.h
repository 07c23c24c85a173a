// The xgboost package sends a row to the left when x < t, both in single precision; our trees test x <= T in
// double precision. T is the largest double whose nearest float is below t, so both tests send every x the
// same way: a float32 as it is, and a float64 that the package would round first.
#pragma once

#include <cmath>
#include <limits>

namespace treewright {

inline double threshold_below(float t) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // All doubles from here on round to an infinite float.
  constexpr double kRoundsToInfinity = 0x1.ffffffp127;
  if (t == std::numeric_limits<float>::infinity()) return std::nextafter(kRoundsToInfinity, 0.0);
  const float below = std::nextafter(t, -std::numeric_limits<float>::infinity());
  if (std::isinf(below)) return -kRoundsToInfinity;
  // Exact. Halfway cases go to the float whose last bit is 0.
  const double middle = 0.5 * (static_cast<double>(below) + static_cast<double>(t));
  return static_cast<float>(middle) < t ? middle : std::nextafter(middle, -kInfinity);
}

// Where between two different values the package cuts. Where its rounding would put the cut onto the lower
// value (or, for huge values, nowhere between them), the upper one is the cut: x < t then does what the gain
// was worked out for.
inline float cut_between(float lower, float upper) {
  const float middle = (lower + upper) * 0.5F;
  return middle > lower && middle <= upper ? middle : upper;
}

// Cuts that leave all values on one side and missing values alone on the other.
inline constexpr float kCutMargin = 1e-6F;
inline float cut_above(float value) {
  return value + (std::abs(value) + kCutMargin);
}
inline float cut_below(float value) {
  return value - (std::abs(value) + kCutMargin);
}

}  // namespace treewright
