// Poisson: half the deviance of a leaf is Σ w·(y·ln(y/mean) − y + mean) = Σ w·y·ln y − S·ln(S/W).
// A side without any event (S = 0) would predict a rate of 0, so such a cut is not admissible.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "criterion/criterion.h"
#include "criterion/summary.h"

namespace treewright {

template <bool kWeighted>
struct Poisson {
  using Target = WeightedMean<kWeighted>;
  using Sample = typename Target::Sample;
  using Cell = typename Target::Cell;
  static constexpr bool kOrdered = false;
  using ScanBuffer = std::vector<double>;

  Target target;

  static Poisson make(const CriterionSetup&) { return {}; }
  static int outputs() { return 1; }

  Summary summarise(const Sample* samples, std::size_t n) const {
    Summary summary = summarise_means<Target>(samples, n);
    if (summary.pure) return summary;
    double events = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (samples[i].y > 0) events += samples[i].sum() * std::log(samples[i].y);
    }
    summary.loss = std::max(0.0, events - half(summary.totals[0], summary.weight));
    return summary;
  }

  void value(const Summary& summary, double* out) const { out[0] = mean_of(summary); }

  static double half(double sum, double weight) { return sum > 0 ? sum * std::log(sum / weight) : 0.0; }

  static double gain_of(const SplitValues& split) {
    return std::max(0.0, split.weight * (split.left_share * half_deviance(split.left, split.node) +
                                         (1 - split.left_share) * half_deviance(split.right, split.node)));
  }
  // Of rows with this mean from a prediction: y ln(y / prediction) − y + prediction.
  static double half_deviance(double mean, double prediction) {
    if (!(prediction > 0)) return 0;
    return (mean > 0 ? mean * std::log(mean / prediction) : 0) - mean + prediction;
  }

  class Scan;
};

template <bool kWeighted>
class Poisson<kWeighted>::Scan {
 public:
  Scan(const Poisson&, const double* totals, double weight, std::vector<double>&)
      : sum_(totals[0]), weight_(weight), all_(half(totals[0], weight)) {}

  void move(Sample sample) {
    left_sum_ += sample.sum();
    left_weight_ += sample.weight();
  }
  void move_bucket(const Cell* bucket) {
    left_sum_ += bucket[0];
    left_weight_ += bucket[1];
  }
  double gain() const {
    const double right_sum = sum_ - left_sum_;
    // Sums that differ only by rounding from 0 count as 0.
    if (left_sum_ <= 1e-12 * sum_ || right_sum <= 1e-12 * sum_)
      return -std::numeric_limits<double>::infinity();
    return half(left_sum_, left_weight_) + half(right_sum, weight_ - left_weight_) - all_;
  }
  double left_weight() const { return left_weight_; }
  double total_weight() const { return weight_; }
  double left_value() const { return left_sum_ / left_weight_; }
  double right_value() const { return (sum_ - left_sum_) / (weight_ - left_weight_); }

 private:
  double sum_, weight_, all_;
  double left_sum_ = 0, left_weight_ = 0;
};

}  // namespace treewright
