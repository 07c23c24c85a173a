// Scores and values of a node from its sums in steps, under the penalties of the plan. A score is
// G²/(H + λ): twice what the best value of a leaf takes off the loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "boost/boost_plan.h"
#include "boost/steps.h"

namespace treewright {

// Limits of a leaf's value that monotone constraints have set, in the units of raw scores.
struct ValueBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  bool is_free() const { return std::isinf(lower) && std::isinf(upper); }
};

class NodeScores {
 public:
  NodeScores() = default;
  NodeScores(const BoostPlan& plan, StepUnits units)
      : units_(units), l2_(plan.l2), l1_(plan.l1), max_step_(plan.max_step) {}

  const StepUnits& units() const { return units_; }
  bool is_plain() const { return l1_ == 0 && max_step_ == 0; }
  double l2() const { return l2_; }
  double l2_steps() const { return l2_ / units_.hessian; }
  // Scores in steps times this are scores.
  double score_unit() const { return units_.gradient * units_.gradient / units_.hessian; }

  double value(double gradient, double hessian, const ValueBounds& bounds, double more_l2 = 0) const {
    const double divisor = hessian + l2_ + more_l2;
    if (!(divisor > 0)) return std::clamp(0.0, bounds.lower, bounds.upper);
    double value = -shrunk(gradient) / divisor;
    if (max_step_ > 0) value = std::clamp(value, -max_step_, max_step_);
    return std::clamp(value, bounds.lower, bounds.upper);
  }
  double value(StepSums sums, const ValueBounds& bounds, double more_l2 = 0) const {
    return value(gradient(sums), hessian(sums), bounds, more_l2);
  }

  // The score with the value that the bounds allow.
  double score(double gradient, double hessian, const ValueBounds& bounds, double more_l2 = 0) const {
    const double divisor = hessian + l2_ + more_l2;
    if (!(divisor > 0)) return 0.0;
    if (max_step_ == 0 && bounds.is_free()) {
      const double g = shrunk(gradient);
      return g * g / divisor;
    }
    const double w = value(gradient, hessian, bounds, more_l2);
    return -(2 * gradient * w + divisor * w * w + 2 * l1_ * std::abs(w));
  }
  double score(StepSums sums, const ValueBounds& bounds, double more_l2 = 0) const {
    return score(gradient(sums), hessian(sums), bounds, more_l2);
  }

  double gradient(StepSums sums) const { return static_cast<double>(sums.gradient) * units_.gradient; }
  double hessian(StepSums sums) const { return static_cast<double>(sums.hessian) * units_.hessian; }

 private:
  double shrunk(double gradient) const {
    return gradient > l1_ ? gradient - l1_ : gradient < -l1_ ? gradient + l1_ : 0.0;
  }

  StepUnits units_;
  double l2_ = 0, l1_ = 0, max_step_ = 0;
};

}  // namespace treewright
