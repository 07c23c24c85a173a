// Gini index: the loss of a leaf is w·(1 − Σ p²) = w − Σ c²/w.
// The scan moves rows from the right side to the left and knows the gain after each step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "criterion/criterion.h"
#include "criterion/summary.h"
#include "target/class_counts.h"

namespace treewright {

template <bool kWeighted, class TargetType = ClassCounts<kWeighted>>
struct Gini {
  using Target = TargetType;
  using Sample = typename Target::Sample;
  using Cell = typename Target::Cell;
  static constexpr bool kOrdered = false;
  using Number = typename Target::Number;  // what counts are summed in: whole numbers without weights
  using ScanBuffer = std::vector<Number>;

  // For bags that count how often they hold a row.
  using Counted = Gini<false, CountedClasses>;

  Target target;

  static Gini make(const CriterionSetup& setup) { return {{setup.n_classes}}; }
  int outputs() const { return target.classes; }

  static double loss(const double* counts, int classes, double weight) {
    double squares = 0;
    for (int k = 0; k < classes; ++k) squares += counts[k] * counts[k];
    return weight > 0 ? weight - squares / weight : 0.0;
  }

  Summary summarise(const Sample* samples, std::size_t n) const {
    Summary summary = summarise_classes(target, samples, n);
    set_loss(summary);
    return summary;
  }
  // Of the rows that another node does not have of this one: exact where all counts are whole.
  Summary summarise_rest(const Summary& all, const Summary& some) const {
    Summary rest = all;
    rest.rows -= some.rows;
    for (std::size_t k = 0; k < rest.totals.size(); ++k) rest.totals[k] -= some.totals[k];
    complete_classes(rest);
    set_loss(rest);
    return rest;
  }
  void set_loss(Summary& summary) const {
    summary.loss = summary.pure ? 0.0 : loss(summary.totals.data(), target.classes, summary.weight);
  }

  void value(const Summary& summary, double* out) const { class_distribution(summary, out); }

  class TwoClassScan;
  class ManyClassScan;
  using Scan = ManyClassScan;
};

// Two classes: with d = c₁(left) − p₁·w(left) the gain is 2·d²·W / (w(left)·w(right)); one division, no
// cancellation.
template <bool kWeighted, class TargetType>
class Gini<kWeighted, TargetType>::TwoClassScan {
 public:
  static constexpr bool kGiniOfClasses = true;

  // What a branch for the rows of a bucket adds to a gain, for the most that several branches gain.
  static constexpr bool kBranchGain = true;
  static double branch_gain(const Gini&, const double* totals, double weight, const Cell* bucket) {
    const auto ones = static_cast<double>(Target::amount(bucket[1]));
    const double own = static_cast<double>(Target::amount(bucket[0])) + ones;
    const double excess = ones - totals[1] / weight * own;
    return 2.0 * excess * excess / own;
  }
  TwoClassScan(const Gini&, const double* totals, double weight, ScanBuffer&)
      : second_(totals[1]), weight_(weight), share_(totals[1] / weight) {}

  void move(Sample sample) {
    left_weight_ += sample.amount_of();
    left_second_ += sample.label != 0 ? sample.amount_of() : Number{0};
  }
  void move_bucket(const Cell* bucket) {
    left_weight_ += Target::amount(bucket[0]) + Target::amount(bucket[1]);
    left_second_ += Target::amount(bucket[1]);
  }
  double gain() const {
    const auto left_weight = static_cast<double>(left_weight_);
    const double excess = static_cast<double>(left_second_) - share_ * left_weight;
    return 2.0 * excess * excess * weight_ / (left_weight * (weight_ - left_weight));
  }
  // Whether the gain is larger than this; spares the division.
  bool exceeds(double gain) const {
    return reaches(static_cast<double>(left_weight_), static_cast<double>(left_second_), gain);
  }
  // Whether a cut between the rows of this bucket, which come next, could gain more than this. The gain is
  // convex in the counts of the left side, so it is largest where one class of the bucket stands before the
  // other, or at an end of the bucket.
  bool may_exceed(const Cell* bucket, double gain, bool ends_too) const {
    const auto weight = static_cast<double>(left_weight_), second = static_cast<double>(left_second_);
    const auto ones = static_cast<double>(Target::amount(bucket[1]));
    const auto zeros = static_cast<double>(Target::amount(bucket[0]));
    if (reaches(weight + ones, second + ones, gain) || reaches(weight + zeros, second, gain)) return true;
    return ends_too && (reaches(weight, second, gain) || reaches(weight + zeros + ones, second + ones, gain));
  }
  double left_weight() const { return static_cast<double>(left_weight_); }
  double total_weight() const { return weight_; }
  double left_value() const { return static_cast<double>(left_second_) / left_weight(); }
  double right_value() const {
    return (second_ - static_cast<double>(left_second_)) / (weight_ - left_weight());
  }

 private:
  bool reaches(double left_weight, double left_second, double gain) const {
    const double excess = left_second - share_ * left_weight;
    return 2.0 * excess * excess * weight_ > gain * left_weight * (weight_ - left_weight);
  }

  double second_, weight_, share_;
  Number left_weight_ = 0, left_second_ = 0;
};

// Whole counts: Σ r² = Σ t² − 2·Σ t·l + Σ l² is exact, so every sum follows in constant time. Weights would
// cancel badly there when the right side is small, so with them the squares are summed afresh for each cut.
template <bool kWeighted, class TargetType>
class Gini<kWeighted, TargetType>::ManyClassScan {
 public:
  static constexpr bool kGiniOfClasses = true;
  static constexpr bool kHasSubsetGains = !kWeighted;  // criterion/gini_subsets.h tells the same

  // What a branch for the rows of a bucket adds to a gain: Σ (c_k − w·p_k)² / w.
  static constexpr bool kBranchGain = true;
  static double branch_gain(const Gini& criterion, const double* totals, double weight, const Cell* bucket) {
    double own = 0, squares = 0;
    for (int k = 0; k < criterion.target.classes; ++k) {
      own += static_cast<double>(Target::amount(bucket[k]));
    }
    const double share = own / weight;
    for (int k = 0; k < criterion.target.classes; ++k) {
      const double excess = static_cast<double>(Target::amount(bucket[k])) - totals[k] * share;
      squares += excess * excess;
    }
    return squares / own;
  }
  ManyClassScan(const Gini& criterion, const double* totals, double weight, ScanBuffer& buffer)
      : classes_(criterion.target.classes), weight_(weight) {
    buffer.assign(2 * static_cast<std::size_t>(classes_), Number{0});
    left_ = buffer.data();
    totals_ = left_ + classes_;
    for (int k = 0; k < classes_; ++k) {
      totals_[k] = static_cast<Number>(totals[k]);
      all_squares_ += totals[k] * totals[k];
    }
    mean_square_ = all_squares_ / weight;
  }

  void move(Sample sample) { move_class(sample.label, sample.amount_of()); }
  void move_bucket(const Cell* bucket) {
    for (int k = 0; k < classes_; ++k) {
      if (bucket[k] != 0) move_class(static_cast<unsigned>(k), Target::amount(bucket[k]));
    }
  }
  double gain() const {
    const double left_weight = static_cast<double>(left_weight_);
    return mixed_squares() / (left_weight * (weight_ - left_weight)) - mean_square_;
  }
  // Whether the gain is larger than this; spares the division.
  bool exceeds(double gain) const {
    const double left_weight = static_cast<double>(left_weight_);
    return mixed_squares() > (gain + mean_square_) * left_weight * (weight_ - left_weight);
  }
  // Whether a cut between the rows of this bucket, which come next, could gain more than this. With
  // d_k = l_k − w·p_k the gain is W / (w (W − w)) · Σ d_k². Inside the bucket each d_k lies between what it
  // is with all other rows of the bucket and with all rows of its class; the factor is largest at an end.
  bool may_exceed(const Cell* bucket, double gain, bool) const {
    double rows = 0;
    for (int k = 0; k < classes_; ++k) rows += static_cast<double>(Target::amount(bucket[k]));
    const auto before = static_cast<double>(left_weight_);
    const double after = before + rows;
    if (!(before > 0) || !(after < weight_)) return true;
    double squares = 0;
    const double per_weight = 1 / weight_;
    for (int k = 0; k < classes_; ++k) {
      const double share = static_cast<double>(totals_[k]) * per_weight;
      const double excess = static_cast<double>(left_[k]) - share * before;
      const auto own = static_cast<double>(Target::amount(bucket[k]));
      const double lowest = excess - (rows - own) * share, highest = excess + own * (1 - share);
      squares += std::max(lowest * lowest, highest * highest);
    }
    return squares * weight_ > gain * std::min(before * (weight_ - before), after * (weight_ - after));
  }
  double left_weight() const { return static_cast<double>(left_weight_); }
  double total_weight() const { return weight_; }
  double left_value() const { return static_cast<double>(left_[1]) / left_weight(); }
  double right_value() const {
    return static_cast<double>(totals_[1] - left_[1]) / (weight_ - left_weight());
  }

 private:
  // Σ l²·w(right) + Σ r²·w(left)
  double mixed_squares() const {
    const double left_weight = static_cast<double>(left_weight_);
    auto left_squares = static_cast<double>(left_squares_);
    double right_squares = all_squares_ - 2.0 * static_cast<double>(product_) + left_squares;
    if constexpr (kWeighted) {
      left_squares = right_squares = 0;
      for (int k = 0; k < classes_; ++k) {
        left_squares += left_[k] * left_[k];
        right_squares += (totals_[k] - left_[k]) * (totals_[k] - left_[k]);
      }
    }
    return left_squares * (weight_ - left_weight) + right_squares * left_weight;
  }
  void move_class(unsigned label, Number amount) {
    if constexpr (!kWeighted) {
      left_squares_ += amount * (2 * left_[label] + amount);  // (c + w)² − c²
      product_ += amount * totals_[label];
    }
    left_[label] += amount;
    left_weight_ += amount;
  }

  int classes_;
  double weight_, all_squares_ = 0, mean_square_ = 0;
  Number* left_;
  Number* totals_;
  Number left_weight_ = 0, left_squares_ = 0, product_ = 0;
};

}  // namespace treewright
