// Squared error: the loss of a leaf is Σ w·(y − mean)².
#pragma once

#include <cstddef>
#include <vector>

#include "criterion/criterion.h"
#include "criterion/summary.h"

namespace treewright {

template <bool kWeighted>
struct SquaredError {
  using Target = WeightedMean<kWeighted>;
  using Sample = typename Target::Sample;
  using Cell = typename Target::Cell;
  static constexpr bool kOrdered = false;
  using ScanBuffer = std::vector<double>;

  Target target;

  static SquaredError make(const CriterionSetup&) { return {}; }
  static int outputs() { return 1; }

  Summary summarise(const Sample* samples, std::size_t n) const {
    Summary summary = summarise_means<Target>(samples, n);
    if (summary.pure) return summary;
    const double mean = mean_of(summary);
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = samples[i].y - mean;
      summary.loss += samples[i].weight() * difference * difference;
    }
    return summary;
  }

  void value(const Summary& summary, double* out) const { out[0] = mean_of(summary); }

  static double gain_of(const SplitValues& split) {
    const double difference = split.left - split.right;
    return split.weight * split.left_share * (1 - split.left_share) * difference * difference;
  }

  class Scan;
};

// Rows are moved as differences from the node's mean, so that a large mean cancels before anything is
// squared: with d = Σ(left) w·(y − mean) the gain is d²·W / (w(left)·w(right)).
template <bool kWeighted>
class SquaredError<kWeighted>::Scan {
 public:
  // What a branch for the rows of a bucket adds to a gain, for the most that several branches gain.
  static constexpr bool kBranchGain = true;
  static double branch_gain(const SquaredError&, const double* totals, double weight, const Cell* bucket) {
    const double excess = bucket[0] - totals[0] / weight * bucket[1];
    return excess * excess / bucket[1];
  }

  Scan(const SquaredError&, const double* totals, double weight, std::vector<double>&)
      : weight_(weight), mean_(totals[0] / weight) {}

  void move(Sample sample) {
    excess_ += (sample.y - mean_) * sample.weight();
    left_weight_ += sample.weight();
  }
  void move_bucket(const Cell* bucket) {
    excess_ += bucket[0] - mean_ * bucket[1];
    left_weight_ += bucket[1];
  }
  double gain() const { return excess_ * excess_ * weight_ / (left_weight_ * (weight_ - left_weight_)); }
  // Whether the gain is larger than this; spares the division.
  bool exceeds(double gain) const {
    return excess_ * excess_ * weight_ > gain * left_weight_ * (weight_ - left_weight_);
  }
  double left_weight() const { return left_weight_; }
  double total_weight() const { return weight_; }
  double left_value() const { return mean_ + excess_ / left_weight_; }
  double right_value() const { return mean_ - excess_ / (weight_ - left_weight_); }

 private:
  double weight_, mean_;
  double excess_ = 0, left_weight_ = 0;
};

}  // namespace treewright
