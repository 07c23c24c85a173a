// SingleNewton: values and gains of the exact method, digit for digit as the xgboost package works them out:
// sums in double precision, values and gains in single precision (no factor ½, see BoostPlan::min_gain).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "boost/boost_plan.h"
#include "split/monotone.h"

namespace treewright {

// --- gradients and hessians of rows, one by one in single and summed in double precision

struct RowGradient {
  float gradient;
  float hessian;

  // A row without any weight is not part of the round, and a negative hessian has no smallest loss.
  bool takes_part() const { return hessian > 0 || (hessian == 0 && gradient != 0); }
};

struct GradientSum {
  double gradient = 0;
  double hessian = 0;

  void add(RowGradient row) {
    gradient += static_cast<double>(row.gradient);
    hessian += static_cast<double>(row.hessian);
  }
  GradientSum operator-(const GradientSum& other) const {
    return {gradient - other.gradient, hessian - other.hessian};
  }
};

// --- values and gains

// The values of leaves are finite single-precision numbers.
using FloatBounds = BoundsOf<float>;
inline constexpr FloatBounds kAnyFloat{-std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};

class SingleNewton {
 public:
  explicit SingleNewton(const BoostPlan& plan)
      : l2_(static_cast<float>(plan.l2)),
        l1_(static_cast<float>(plan.l1)),
        max_step_(static_cast<float>(plan.max_step)),
        min_hessian_(static_cast<float>(plan.min_hessian_leaf)) {
    for (const std::int8_t direction : plan.monotone) monotone_ |= direction != 0;
  }

  double l2() const { return static_cast<double>(l2_); }
  double l1() const { return static_cast<double>(l1_); }
  double min_hessian() const { return static_cast<double>(min_hessian_); }

  // Values are free: the gain is G²/(H + λ). Otherwise it follows from the value that a leaf may take.
  bool free() const { return max_step_ == 0.0F && !monotone_; }

  double nearer_to_zero(double gradient) const {
    if (gradient > l1()) return gradient - l1();
    if (gradient < -l1()) return gradient + l1();
    return 0.0;
  }

  float value(const GradientSum& sum, const FloatBounds& bounds) const {
    if (sum.hessian < min_hessian() || sum.hessian <= 0.0) return within(0.0F, bounds);
    double value = -nearer_to_zero(sum.gradient) / (sum.hessian + l2());
    const auto max_step = static_cast<double>(max_step_);
    if (max_step != 0.0 && std::abs(value) > max_step) value = std::copysign(max_step, value);
    return within(static_cast<float>(value), bounds);
  }

  // Twice what the loss becomes smaller by when the rows get this value instead of 0.
  float gain_of(const GradientSum& sum, float value) const {
    if (sum.hessian <= 0.0) return 0.0F;
    if (free()) {
      const double gradient = nearer_to_zero(sum.gradient);
      return static_cast<float>(gradient * gradient) / static_cast<float>(sum.hessian + l2());
    }
    const auto gradient = static_cast<float>(sum.gradient);
    const auto hessian = static_cast<float>(sum.hessian);
    return -(2.0F * gradient * value + (hessian + l2_) * (value * value));
  }

  float gain_of(const GradientSum& sum, const FloatBounds& bounds) const {
    return gain_of(sum, value(sum, bounds));
  }

  // Minus infinity where the values of the sides would break the direction (-1, 0, 1).
  float split_gain(const GradientSum& left, const GradientSum& right, const FloatBounds& bounds,
                   int direction) const {
    const float left_value = value(left, bounds), right_value = value(right, bounds);
    if (!keeps_direction(direction, left_value, right_value)) return -std::numeric_limits<float>::infinity();
    return gain_of(left, left_value) + gain_of(right, right_value);
  }

 private:
  float within(float value, const FloatBounds& bounds) const {
    return monotone_ ? bounds.clip(value) : value;
  }

  float l2_, l1_, max_step_, min_hessian_;
  bool monotone_ = false;
};

}  // namespace treewright
