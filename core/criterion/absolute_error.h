// Absolute error: the loss of a leaf is Σ w·|y − median|. It is no sum over buckets, so the scan moves single
// rows between two median trees. The median is the middle of the lower and the upper weighted median, as in
// NumPy.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/radix_sort.h"
#include "base/stop.h"
#include "criterion/criterion.h"
#include "target/ranked_value.h"

namespace treewright {

// A multiset of weighted values on which the median and the absolute deviation from it follow in O(log n):
// a Fenwick tree over the ranks of the values that holds {Σ w, Σ w·y}.
class MedianTree {
 public:
  // Ranks 0 ... size - 1, nothing in it.
  void reset(std::size_t size) {
    size_ = size;
    step_ = std::bit_floor(size);
    nodes_.assign(size + 1, {});
    total_ = {};
  }

  void add(std::size_t rank, double weight, double sum) {
    total_.weight += weight;
    total_.sum += sum;
    for (std::size_t i = rank + 1; i <= size_; i += i & (~i + 1)) {
      nodes_[i].weight += weight;
      nodes_[i].sum += sum;
    }
  }

  double weight() const { return total_.weight; }

  // Lower weighted median: the smallest rank at which at least half of the weight is reached, and what lies
  // below it.
  struct Median {
    std::size_t rank;
    double weight_below, sum_below;
  };
  // Weights were added and taken away in another order: one part in 10^12 of them is rounding.
  Median median() const { return find(0.5 * total_.weight * (1 - 1e-12)); }
  // Upper weighted median: another rank than the lower one only where the weight below it is exactly one
  // half.
  Median upper_median() const { return find(0.5 * total_.weight * (1 + 1e-12)); }

  // Σ w·|y − median| for the median's value.
  double deviation(const Median& at, double value) const {
    return value * (2 * at.weight_below - total_.weight) - 2 * at.sum_below + total_.sum;
  }

 private:
  // The smallest rank up to which at least this weight is reached.
  Median find(double weight) const {
    Median at{0, 0, 0};
    for (std::size_t step = step_; step > 0; step >>= 1) {
      const std::size_t next = at.rank + step;
      if (next > size_ || at.weight_below + nodes_[next].weight >= weight) continue;
      at.rank = next;
      at.weight_below += nodes_[next].weight;
      at.sum_below += nodes_[next].sum;
    }
    if (at.rank >= size_) at.rank = size_ - 1;
    return at;
  }

  struct Sums {
    double weight = 0, sum = 0;
  };
  std::size_t size_ = 0, step_ = 0;
  std::vector<Sums> nodes_;
  Sums total_;
};

// A number that can be subtracted from every y without rounding, near enough to spare sums the digits that
// all y have in common: the smallest |y| if no other is more than twice as large (Sterbenz 1974), else 0.
inline double exact_origin(std::span<const double> y) {
  const auto [lowest, highest] = std::minmax_element(y.begin(), y.end());
  if (*lowest > 0 && *highest <= 2 * *lowest) return *lowest;
  if (*highest < 0 && *lowest >= 2 * *highest) return *highest;
  return 0;
}

struct AbsoluteError {
  using Target = RankedValue;
  using Sample = RankedValue::Sample;
  using Cell = RankedValue::Cell;
  static constexpr bool kOrdered = true;
  using ScanBuffer = std::vector<double>;

  Target target;
  const StopFlag* stop = nullptr;  // one scan of a long column takes seconds: asked now and then
  double origin = 0;               // what was subtracted from y so that sums keep their digits

  static AbsoluteError make(const CriterionSetup& setup) { return {{}, setup.stop, exact_origin(setup.y)}; }
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
