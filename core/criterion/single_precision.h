// Information as Release 8 of C4.5 computes it: single precision, rounded after every step. Where two tests
// are nearly equal this decides which one the program takes.
#pragma once

#include <cstddef>
#include <vector>

#include "criterion/entropy.h"

namespace treewright {

// Σ T·log2 T − Σ v·log2 v of some amounts v with the sum T, in bits.
class SingleInfo {
 public:
  // `phi` is amount * log2(amount), in double precision.
  void add(double amount, double phi) {
    total_ += static_cast<float>(amount);
    sum_ = static_cast<float>(static_cast<double>(sum_) + phi);
  }
  void add(double amount) { add(amount, x_log2_x(static_cast<double>(static_cast<float>(amount)))); }
  float total() const { return total(x_log2_x(static_cast<double>(total_))); }
  // For callers who know T·log2 T already.
  float total(double phi) const { return static_cast<float>(phi - static_cast<double>(sum_)); }

 private:
  float total_ = 0, sum_ = 0;
};

// The gain of a test, per unit of weight.
inline float single_gain(float unknown_rate, float base, float after, float known) {
  return (1 - unknown_rate) * (base - after / known);
}

// A scan over cuts whose information is in single precision.
template <bool kWeighted>
class SingleScan : public Entropy<kWeighted>::Scan {
  using Base = typename Entropy<kWeighted>::Scan;
  using Number = typename Entropy<kWeighted>::Number;

 public:
  SingleScan(const Entropy<kWeighted>& criterion, const double* totals, double weight,
             typename Entropy<kWeighted>::ScanBuffer& buffer)
      : Base(criterion, totals, weight, buffer), present_(buffer.present) {
    present_.clear();  // classes without rows add nothing
    for (int k = 0; k < this->classes_; ++k) {
      if (totals[k] > 0) present_.push_back(k);
    }
  }

  // Information of the rows before any has moved.
  float info_before() const { return info_of(this->right_, this->right_weight_); }
  // Information of both sides.
  float info_after() const {
    this->look_for_stop();
    return info_of(this->left_, this->left_weight_) + info_of(this->right_, this->right_weight_);
  }

 private:
  float info_of(const Number* counts, Number weight) const {
    SingleInfo info;
    for (const int k : present_) info.add(static_cast<double>(counts[k]), phi(counts[k]));
    if constexpr (kWeighted) {
      return info.total();  // the sum of rounded shares, not the rounded sum
    } else {
      return info.total(phi(weight));
    }
  }
  double phi(Number x) const {
    if constexpr (kWeighted) {
      return x_log2_x(static_cast<double>(static_cast<float>(x)));
    } else {
      return this->criterion_.phi(x);
    }
  }

  std::vector<int>& present_;
};

}  // namespace treewright
