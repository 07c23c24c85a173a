// GradientSizes: how large the gradients and hessians of some rows are, which says how coarse their steps may
// be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright {

class GradientSizes {
 public:
  // Adds n rows. Throws where a number is infinite or none, or a hessian negative.
  void add(const float* gradient, const float* hessian, std::size_t n);
  void add(const GradientSizes& other);

  double largest_gradient() const { return largest_gradient_; }
  double largest_hessian() const { return largest_hessian_; }
  // Whether rounding adds next to nothing to the sums when the largest number has so many steps: the root of
  // the mean square has several then. It does not where tails are long.
  bool allow_steps(std::int64_t steps, bool equal_hessians) const;

 private:
  double largest_gradient_ = 0, largest_hessian_ = 0;
  double gradient_squares_ = 0, hessian_squares_ = 0;  // of some rows
  std::size_t n_squares_ = 0;
};

}  // namespace treewright
