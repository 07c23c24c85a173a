// Gini index: the loss of a leaf is w·(1 − Σ p²) = w − Σ c²/w.
// The scan moves rows from the right side to the left and knows the gain after each step.
#pragma once

#include <cstddef>
#include <vector>

#include "criterion/class_summary.h"

namespace treewright {

template <bool kWeighted>
struct Gini {
  using Target = ClassCounts<kWeighted>;
  using Sample = typename Target::Sample;
  using Cell = typename Target::Cell;
  static constexpr bool kOrdered = false;

  Target target;

  int outputs() const { return target.classes; }

  static double loss(const double* counts, int classes, double weight) {
    double squares = 0;
    for (int k = 0; k < classes; ++k) squares += counts[k] * counts[k];
    return weight > 0 ? weight - squares / weight : 0.0;
  }

  Summary summarise(const Sample* samples, std::size_t n) const {
    Summary summary = summarise_classes(target, samples, n);
    summary.loss = summary.pure ? 0.0 : loss(summary.totals.data(), target.classes, summary.weight);
    return summary;
  }

  void value(const Summary& summary, double* out) const { class_distribution(summary, out); }

  class TwoClassScan;
  class ManyClassScan;
};

// Two classes: with d = c₁(left) − p₁·w(left) the gain is 2·d²·W / (w(left)·w(right)); one division, no cancellation.
template <bool kWeighted>
class Gini<kWeighted>::TwoClassScan {
 public:
  TwoClassScan(const Gini&, const double* totals, double weight, std::vector<double>&)
      : second_(totals[1]), weight_(weight), share_(totals[1] / weight) {}

  void move(Sample sample) {
    left_weight_ += sample.weight();
    left_second_ += sample.label != 0 ? sample.weight() : 0.0;
  }
  void move_bucket(const Cell* bucket) {
    left_weight_ += static_cast<double>(bucket[0]) + static_cast<double>(bucket[1]);
    left_second_ += static_cast<double>(bucket[1]);
  }
  double gain() const {
    const double excess = left_second_ - share_ * left_weight_;
    return 2.0 * excess * excess * weight_ / (left_weight_ * (weight_ - left_weight_));
  }
  double left_weight() const { return left_weight_; }
  double total_weight() const { return weight_; }
  double left_value() const { return left_second_ / left_weight_; }
  double right_value() const { return (second_ - left_second_) / (weight_ - left_weight_); }

 private:
  double second_, weight_, share_;
  double left_weight_ = 0, left_second_ = 0;
};

// Whole counts: Σ r² = Σ t² − 2·Σ t·l + Σ l² is exact, so every sum follows in constant time. Weights would cancel
// badly there when the right side is small, so with them the squares are summed afresh for each cut.
template <bool kWeighted>
class Gini<kWeighted>::ManyClassScan {
 public:
  ManyClassScan(const Gini& criterion, const double* totals, double weight, std::vector<double>& buffer)
      : classes_(criterion.target.classes), totals_(totals), weight_(weight) {
    buffer.assign(static_cast<std::size_t>(classes_), 0.0);
    left_ = buffer.data();
    for (int k = 0; k < classes_; ++k) all_squares_ += totals[k] * totals[k];
  }

  void move(Sample sample) { move_class(sample.label, sample.weight()); }
  void move_bucket(const Cell* bucket) {
    for (int k = 0; k < classes_; ++k) {
      if (bucket[k] != 0) move_class(static_cast<unsigned>(k), static_cast<double>(bucket[k]));
    }
  }
  double gain() const {
    const double right_weight = weight_ - left_weight_;
    double left_squares = left_squares_, right_squares = all_squares_ - 2.0 * product_ + left_squares_;
    if constexpr (kWeighted) {
      left_squares = right_squares = 0;
      for (int k = 0; k < classes_; ++k) {
        left_squares += left_[k] * left_[k];
        right_squares += (totals_[k] - left_[k]) * (totals_[k] - left_[k]);
      }
    }
    return (left_squares * right_weight + right_squares * left_weight_) / (left_weight_ * right_weight) -
           all_squares_ / weight_;
  }
  double left_weight() const { return left_weight_; }
  double total_weight() const { return weight_; }
  double left_value() const { return left_[1] / left_weight_; }
  double right_value() const { return (totals_[1] - left_[1]) / (weight_ - left_weight_); }

 private:
  void move_class(unsigned label, double amount) {
    if constexpr (!kWeighted) {
      left_squares_ += amount * (2.0 * left_[label] + amount);  // (c + w)² − c²
      product_ += amount * totals_[label];
    }
    left_[label] += amount;
    left_weight_ += amount;
  }

  int classes_;
  const double* totals_;
  double weight_, all_squares_ = 0;
  double* left_;
  double left_weight_ = 0, left_squares_ = 0, product_ = 0;
};

}  // namespace treewright
