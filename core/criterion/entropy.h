// Entropy in bits: the loss of a leaf is Σ c·log2(w/c) = φ(w) − Σ φ(c) with φ(x) = x·log2 x.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/stop.h"
#include "criterion/criterion.h"
#include "criterion/summary.h"

namespace treewright {

inline double x_log2_x(double x) {
  return x > 0 ? x * std::log2(x) : 0.0;
}

// φ of whole numbers, so that unweighted counts need no logarithm in the scan.
class PhiTable {
 public:
  explicit PhiTable(std::size_t size) : values_(size) {
    for (std::size_t i = 0; i < size; ++i) values_[i] = x_log2_x(static_cast<double>(i));
  }
  double operator()(std::size_t x) const {
    return x < values_.size() ? values_[x] : x_log2_x(static_cast<double>(x));
  }

 private:
  std::vector<double> values_;
};

template <bool kWeighted>
struct Entropy {
  using Target = ClassCounts<kWeighted>;
  using Sample = typename Target::Sample;
  using Cell = typename Target::Cell;
  static constexpr bool kOrdered = false;
  static constexpr bool kBits = true;  // C4.5's refinements are stated in bits
  using Number = typename Target::Number;
  struct ScanBuffer {
    std::vector<Number> counts;  // of both sides
    std::vector<int> present;    // classes of the node, for scans that skip the others
  };

  Target target;
  PhiTable table;                  // unweighted counts only
  const StopFlag* stop = nullptr;  // with many classes a scan takes long: asked now and then

  static Entropy make(const CriterionSetup& setup) {
    // Larger counts are rare enough to take their logarithm.
    constexpr std::size_t kMostEntries = std::size_t{1} << 18;  // 2 MB
    const std::size_t entries = kWeighted ? 0 : std::min(setup.n_rows + 1, kMostEntries);
    return {{setup.n_classes}, PhiTable(entries), setup.stop};
  }
  int outputs() const { return target.classes; }

  double phi(Number x) const {
    if constexpr (kWeighted) {
      return x_log2_x(x);
    } else {
      return table(static_cast<std::size_t>(x));
    }
  }

  static double loss(const double* counts, int classes, double weight) {
    double sum = 0;
    for (int k = 0; k < classes; ++k) sum += x_log2_x(counts[k]);
    return x_log2_x(weight) - sum;
  }

  Summary summarise(const Sample* samples, std::size_t n) const {
    Summary summary = summarise_classes(target, samples, n);
    summary.loss = summary.pure ? 0.0 : loss(summary.totals.data(), target.classes, summary.weight);
    return summary;
  }

  void value(const Summary& summary, double* out) const { class_distribution(summary, out); }

  class Scan;
};

template <bool kWeighted>
class Entropy<kWeighted>::Scan {
 public:
  Scan(const Entropy& criterion, const double* totals, double weight, ScanBuffer& buffer)
      : criterion_(criterion), classes_(criterion.target.classes), weight_(weight) {
    buffer.counts.assign(2 * static_cast<std::size_t>(classes_), Number{0});
    left_ = buffer.counts.data();
    right_ = left_ + classes_;
    for (int k = 0; k < classes_; ++k) right_[k] = static_cast<Number>(totals[k]);
    right_weight_ = static_cast<Number>(weight);
    loss_ = loss(totals, classes_, weight);
  }

  void move(Sample sample) { move_class(sample.label, sample.amount_of()); }
  void move_bucket(const Cell* bucket) {
    for (int k = 0; k < classes_; ++k) move_class(static_cast<unsigned>(k), static_cast<Number>(bucket[k]));
  }
  double gain() const {
    look_for_stop();
    double sum = 0;
    for (int k = 0; k < classes_; ++k) sum += criterion_.phi(left_[k]) + criterion_.phi(right_[k]);
    return loss_ - (criterion_.phi(left_weight_) + criterion_.phi(right_weight_) - sum);
  }
  double left_weight() const { return static_cast<double>(left_weight_); }
  double total_weight() const { return weight_; }
  double left_value() const { return static_cast<double>(left_[1]) / left_weight(); }
  double right_value() const { return static_cast<double>(right_[1]) / static_cast<double>(right_weight_); }

 protected:
  void look_for_stop() const {
    constexpr std::size_t kStepsBetween = std::size_t{1} << 20;  // a few milliseconds
    steps_ += static_cast<std::size_t>(classes_);
    if (steps_ < kStepsBetween) return;
    steps_ = 0;
    if (criterion_.stop != nullptr) criterion_.stop->throw_if_requested();
  }

  void move_class(unsigned label, Number amount) {
    left_[label] += amount;
    right_[label] -= amount;
    left_weight_ += amount;
    right_weight_ -= amount;
  }

  const Entropy& criterion_;
  int classes_;
  double weight_, loss_ = 0;
  Number* left_;
  Number* right_;
  Number left_weight_ = 0, right_weight_ = 0;
  mutable std::size_t steps_ = 0;
};

}  // namespace treewright
