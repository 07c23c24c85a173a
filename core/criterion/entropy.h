// Entropy in bits: the loss of a leaf is Σ c·log2(w/c) = φ(w) − Σ φ(c) with φ(x) = x·log2 x.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "criterion/class_summary.h"

namespace treewright {

inline double x_log2_x(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// φ of whole numbers, so that unweighted counts need no logarithm in the scan.
class PhiTable {
 public:
  explicit PhiTable(std::size_t size) : values_(size) {
    for (std::size_t i = 0; i < size; ++i) values_[i] = x_log2_x(static_cast<double>(i));
  }
  double operator()(double x) const {
    const auto whole = static_cast<std::size_t>(x);
    return whole < values_.size() ? values_[whole] : x_log2_x(x);
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

  Target target;
  PhiTable table;  // unweighted counts only

  int outputs() const { return target.classes; }

  double phi(double x) const {
    if constexpr (kWeighted) {
      return x_log2_x(x);
    } else {
      return table(x);
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
  Scan(const Entropy& criterion, const double* totals, double weight, std::vector<double>& buffer)
      : criterion_(criterion), classes_(criterion.target.classes), weight_(weight) {
    buffer.assign(2 * static_cast<std::size_t>(classes_), 0.0);
    left_ = buffer.data();
    right_ = left_ + classes_;
    for (int k = 0; k < classes_; ++k) right_[k] = totals[k];
    loss_ = loss(totals, classes_, weight);
  }

  void move(Sample sample) {
    left_[sample.label] += sample.weight();
    right_[sample.label] -= sample.weight();
    left_weight_ += sample.weight();
  }
  void move_bucket(const Cell* bucket) {
    for (int k = 0; k < classes_; ++k) {
      left_[k] += static_cast<double>(bucket[k]);
      right_[k] -= static_cast<double>(bucket[k]);
      left_weight_ += static_cast<double>(bucket[k]);
    }
  }
  double gain() const {
    double sum = 0;
    for (int k = 0; k < classes_; ++k) sum += criterion_.phi(left_[k]) + criterion_.phi(right_[k]);
    return loss_ - (criterion_.phi(left_weight_) + criterion_.phi(weight_ - left_weight_) - sum);
  }
  double left_weight() const { return left_weight_; }
  double total_weight() const { return weight_; }
  double left_value() const { return left_[1] / left_weight_; }
  double right_value() const { return right_[1] / (weight_ - left_weight_); }

 private:
  const Entropy& criterion_;
  int classes_;
  double weight_, loss_ = 0;
  double* left_;
  double* right_;
  double left_weight_ = 0;
};

}  // namespace treewright
