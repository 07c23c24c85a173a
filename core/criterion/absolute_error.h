// Absolute error: the loss of a leaf is Σ w·|y − median|. It is no sum over buckets, so the scan moves single
// rows between two median trees. The median is the middle of the lower and the upper weighted median, as in
// NumPy.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/radix_sort.h"
#include "base/stop.h"
#include "criterion/summary.h"
#include "criterion/weighted_median.h"
#include "target/ranked_value.h"

namespace treewright {

struct AbsoluteError {
  using Target = RankedValue;
  using Sample = RankedValue::Sample;
  using Cell = RankedValue::Cell;
  static constexpr bool kOrdered = true;
  using ScanBuffer = std::vector<double>;

  Target target;
  const StopFlag* stop = nullptr;  // one scan of a long column takes seconds: asked now and then
  double origin = 0;               // what was subtracted from y so that sums keep their digits

  static int outputs() { return 1; }

  // Rows come with ranks that order them as their values do; they leave with dense ranks among the values of
  // the node.
  Summary summarise(Sample* samples, std::size_t n) const;

  void value(const Summary& summary, double* out) const { out[0] = origin + summary.totals[2]; }

  class Scan;

 private:
  // Positions of the rows in the order of their values.
  static std::vector<std::uint32_t> order_of(const Sample* samples, std::size_t n);
};

class AbsoluteError::Scan {
 public:
  // Starts with nothing on either side; place() puts the rows of the node on the right.
  Scan(const AbsoluteError& criterion, const double* totals, double weight, std::vector<double>& buffer)
      : weight_(weight), origin_(criterion.origin), values_(buffer), stop_(criterion.stop) {
    const auto ranks = static_cast<std::size_t>(totals[3]);
    values_.assign(ranks, 0.0);
    left_.reset(ranks);
    right_.reset(ranks);
  }

  void place(Sample sample) {
    look_for_stop();
    values_[sample.rank] = sample.y;
    right_.add(sample.rank, sample.amount, sample.sum());
  }
  void placed() { loss_ = loss(right_); }

  void move(Sample sample) {
    look_for_stop();
    right_.add(sample.rank, -sample.amount, -sample.sum());
    left_.add(sample.rank, sample.amount, sample.sum());
  }
  double gain() const { return loss_ - loss(left_) - loss(right_); }
  double left_weight() const { return left_.weight(); }
  double total_weight() const { return weight_; }
  double left_value() const { return value(left_); }
  double right_value() const { return value(right_); }

 private:
  // Any median gives the same loss, so the lower one will do.
  double loss(const MedianTree& side) const {
    const MedianTree::Median at = side.median();
    return std::max(0.0, side.deviation(at, values_[at.rank]));
  }

  void look_for_stop() {
    constexpr std::size_t kRowsBetween = 4096;  // about a millisecond
    if (++steps_ % kRowsBetween == 0 && stop_ != nullptr) stop_->throw_if_requested();
  }

  double value(const MedianTree& side) const {
    return origin_ + values_[side.median().rank] / 2 + values_[side.upper_median().rank] / 2;
  }

  double weight_, origin_, loss_ = 0;
  std::vector<double>& values_;  // by rank
  MedianTree left_, right_;
  const StopFlag* stop_;
  std::size_t steps_ = 0;
};

inline std::vector<std::uint32_t> AbsoluteError::order_of(const Sample* samples, std::size_t n) {
  std::vector<std::uint64_t> keys(n), other_keys(n);
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = std::uint64_t{samples[i].rank} << 32 | i;
    most = std::max(most, samples[i].rank);
  }
  const std::uint64_t* sorted = radix_sort(keys.data(), other_keys.data(), n, 32, 32 + std::bit_width(most));
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(sorted[i]);
  return order;
}

inline Summary AbsoluteError::summarise(Sample* samples, std::size_t n) const {
  if (stop != nullptr) stop->throw_if_requested();
  Summary summary;
  summary.rows = n;
  summary.totals.assign(4, 0.0);
  if (n == 0) return summary;
  const std::vector<std::uint32_t> order = order_of(samples, n);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && samples[order[i]].y != samples[order[i - 1]].y) ++rank;
    samples[order[i]].rank = rank;
    summary.weight += samples[order[i]].amount;
    summary.totals[0] += samples[order[i]].sum();
  }
  summary.totals[1] = summary.weight;
  summary.totals[3] = rank + 1;
  summary.pure = rank == 0;
  // Where the running weight meets one half exactly, the median is the middle of two neighbours.
  const double half = 0.5 * summary.weight, slack = 1e-12 * summary.weight;
  double below = 0;
  std::size_t i = 0;
  while (i + 1 < n && below + samples[order[i]].amount < half - slack) below += samples[order[i++]].amount;
  double median = samples[order[i]].y;
  if (i + 1 < n && below + samples[order[i]].amount <= half + slack) {
    median = median / 2 + samples[order[i + 1]].y / 2;
  }
  summary.totals[2] = median;
  if (summary.pure) return summary;
  for (std::size_t j = 0; j < n; ++j) summary.loss += samples[j].amount * std::abs(samples[j].y - median);
  return summary;
}

}  // namespace treewright
