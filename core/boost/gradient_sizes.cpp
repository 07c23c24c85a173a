#include "boost/gradient_sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace treewright {

namespace {

constexpr std::size_t kLook = 16;  // squares are added up of every so many rows
// Rounding by chance adds at most a quarter of a squared step to the variance of a row: with so many steps
// less than half a percent.
constexpr double kTypicalSteps = 8;

}  // namespace

void GradientSizes::add(const float* gradient, const float* hessian, std::size_t n) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  float largest_gradient = 0, largest_hessian = 0;
  bool is_finite = true;
  for (std::size_t i = 0; i < n; ++i) {
    const float size = std::abs(gradient[i]);
    largest_gradient = size > largest_gradient ? size : largest_gradient;
    largest_hessian = hessian[i] > largest_hessian ? hessian[i] : largest_hessian;
    is_finite &= size <= kLargest && hessian[i] <= kLargest && hessian[i] >= 0;
  }
  if (!is_finite) {
    throw std::invalid_argument("A gradient or hessian is infinite, negative or not a number.");
  }
  largest_gradient_ = std::max(largest_gradient_, static_cast<double>(largest_gradient));
  largest_hessian_ = std::max(largest_hessian_, static_cast<double>(largest_hessian));
  for (std::size_t i = 0; i < n; i += kLook) {
    gradient_squares_ += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
    hessian_squares_ += static_cast<double>(hessian[i]) * static_cast<double>(hessian[i]);
    ++n_squares_;
  }
}

void GradientSizes::add(const GradientSizes& other) {
  largest_gradient_ = std::max(largest_gradient_, other.largest_gradient_);
  largest_hessian_ = std::max(largest_hessian_, other.largest_hessian_);
  gradient_squares_ += other.gradient_squares_;
  hessian_squares_ += other.hessian_squares_;
  n_squares_ += other.n_squares_;
}

bool GradientSizes::allow_steps(std::int64_t steps, bool equal_hessians) const {
  const auto enough = [&](double squares, double largest) {
    const double typical = std::sqrt(squares / static_cast<double>(n_squares_));
    return typical * static_cast<double>(steps) >= kTypicalSteps * largest;
  };
  return enough(gradient_squares_, largest_gradient_) &&
         (equal_hessians || enough(hessian_squares_, largest_hessian_));
}

}  // namespace treewright
