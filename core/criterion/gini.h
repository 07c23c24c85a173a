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

template <bool kWeighted>
class Gini<kWeighted>::ManyClassScan {
 public:
  ManyClassScan(const Gini& criterion, const double* totals, double weight, std::vector<double>& buffer)
      : classes_(criterion.target.classes), weight_(weight) {
    buffer.assign(2 * static_cast<std::size_t>(classes_), 0.0);
    left_ = buffer.data();
    right_ = left_ + classes_;
    for (int k = 0; k < classes_; ++k) {
      right_[k] = totals[k];
      right_squares_ += totals[k] * totals[k];
    }
    all_ = right_squares_ / weight;
  }

  void move(Sample sample) { move_class(sample.label, sample.weight()); }
  void move_bucket(const Cell* bucket) {
    for (int k = 0; k < classes_; ++k) {
      if (bucket[k] != 0) move_class(static_cast<unsigned>(k), static_cast<double>(bucket[k]));
    }
  }
  double gain() const {
    const double right_weight = weight_ - left_weight_;
    return (left_squares_ * right_weight + right_squares_ * left_weight_) / (left_weight_ * right_weight) - all_;
  }
  double left_weight() const { return left_weight_; }
  double total_weight() const { return weight_; }
  double left_value() const { return left_[1] / left_weight_; }
  double right_value() const { return right_[1] / (weight_ - left_weight_); }

 private:
  // (c + w)² − c² = w·(2c + w): both sums of squares follow in constant time.
  void move_class(unsigned label, double amount) {
    left_squares_ += amount * (2.0 * left_[label] + amount);
    right_squares_ -= amount * (2.0 * right_[label] - amount);
    left_[label] += amount;
    right_[label] -= amount;
    left_weight_ += amount;
  }

  int classes_;
  double weight_, all_ = 0;
  double* left_;
  double* right_;
  double left_weight_ = 0, left_squares_ = 0, right_squares_ = 0;
};

}  // namespace treewright
