// SubsetGains: what every way to divide a few categories in two gains by the Gini index, for whole counts of
// any number of classes. The same formula as Gini::ManyClassScan, over arrays, so that a processor works on
// several subsets at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright {

class SubsetGains {
 public:
  static constexpr std::size_t kMostCategories = 8;
  // Up to this weight of a node all sums of squares are exact.
  static constexpr double kMostWeight = double{1 << 26};

  // `squares` is the sum of the squared class weights of the node.
  void start(std::size_t n_categories, double weight, double squares);
  // The weight of one class in each category, and in the node.
  void add_class(const double* counts, double total);
  void finish();

  // The subset of the categories whose bits are set goes left; the last category never does.
  std::size_t n_subsets() const { return n_subsets_; }
  double weight(std::size_t subset) const { return weight_[subset]; }
  double gain(std::size_t subset) const {
    return mixed_[subset] / (weight_[subset] * (all_ - weight_[subset])) - mean_square_;
  }
  // Whether the gain is larger than this; spares the division.
  bool exceeds(std::size_t subset, double gain) const {
    return mixed_[subset] > (gain + mean_square_) * weight_[subset] * (all_ - weight_[subset]);
  }
  // Whether some subset may gain more than this, rounding aside.
  bool any_exceeds(double gain) const;

 private:
  static constexpr std::size_t kMost = std::size_t{1} << (kMostCategories - 1);

  std::size_t n_categories_ = 0, n_subsets_ = 0;
  double all_ = 0, squares_ = 0, mean_square_ = 0;
  alignas(64) double weight_[kMost];
  alignas(64) double left_squares_[kMost];
  alignas(64) double product_[kMost];
  alignas(64) double mixed_[kMost];  // Σ l²·w(right) + Σ r²·w(left)
};

}  // namespace treewright
