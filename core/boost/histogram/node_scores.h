// Scores and values of a node from its sums in ticks, under the penalties of the plan. A score is
// G²/(H + λ): twice what the best value of a leaf takes off the loss.
#pragma once

#include <algorithm>
#include <cmath>

#include "boost/boost_plan.h"
#include "boost/histogram/ticks.h"
#include "split/monotone.h"

namespace treewright {

class NodeScores {
 public:
  NodeScores() = default;
  NodeScores(const BoostPlan& plan, TickUnits units)
      : units_(units), l2_(plan.l2), l1_(plan.l1), max_step_(plan.max_step) {}

  const TickUnits& units() const { return units_; }
  bool is_plain() const { return l1_ == 0 && max_step_ == 0; }
  double l2() const { return l2_; }
  double l2_ticks() const { return l2_ / units_.hessian; }
  // Scores in ticks times this are scores.
  double score_unit() const { return units_.gradient * units_.gradient / units_.hessian; }

  double value(double gradient, double hessian, const ValueBounds& bounds, double more_l2 = 0) const {
    const double divisor = hessian + l2_ + more_l2;
    if (!(divisor > 0)) return bounds.clip(0.0);
    double value = -shrunk(gradient) / divisor;
    if (max_step_ > 0) value = std::clamp(value, -max_step_, max_step_);
    return bounds.clip(value);
  }
  double value(TickSums sums, const ValueBounds& bounds, double more_l2 = 0) const {
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
  double score(TickSums sums, const ValueBounds& bounds, double more_l2 = 0) const {
    return score(gradient(sums), hessian(sums), bounds, more_l2);
  }

  double gradient(TickSums sums) const { return static_cast<double>(sums.gradient) * units_.gradient; }
  double hessian(TickSums sums) const { return static_cast<double>(sums.hessian) * units_.hessian; }

 private:
  double shrunk(double gradient) const {
    return gradient > l1_ ? gradient - l1_ : gradient < -l1_ ? gradient + l1_ : 0.0;
  }

  TickUnits units_;
  double l2_ = 0, l1_ = 0, max_step_ = 0;
};

}  // namespace treewright
