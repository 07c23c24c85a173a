#include "boost/gradient_sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "base/processor.h"

namespace treewright {

namespace {

constexpr std::size_t kLook = 16;  // squares are added up of every so many rows
// Rounding by chance adds at most a quarter of a squared step to the variance of a row: with so many steps
// less than half a percent.
constexpr double kTypicalSteps = 8;

struct Largest {
  std::int32_t gradient;
  std::int32_t hessian;
  std::int32_t lowest_hessian;
};

// Sizes as bits: those of floats without a sign stand in the order of the numbers, infinity and what is not a
// number above all others. Comparing whole numbers takes many at once.
TREEWRIGHT_WIDE_REGISTERS
Largest largest_bits(const float* gradient, const float* hessian, std::size_t n) {
  Largest largest{0, 0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t g = std::bit_cast<std::int32_t>(gradient[i]) & 0x7FFFFFFF;
    const std::int32_t h = std::bit_cast<std::int32_t>(hessian[i] + 0.0F);  // -0 is 0
    largest.gradient = std::max(largest.gradient, g);
    largest.hessian = std::max(largest.hessian, h);
    largest.lowest_hessian = std::min(largest.lowest_hessian, h);
  }
  return largest;
}

}  // namespace

void GradientSizes::add(const float* gradient, const float* hessian, std::size_t n) {
  const Largest bits = largest_bits(gradient, hessian, n);
  const auto largest_gradient = std::bit_cast<float>(bits.gradient);
  const auto largest_hessian = std::bit_cast<float>(bits.hessian);
  if (!std::isfinite(largest_gradient) || !std::isfinite(largest_hessian) || bits.lowest_hessian < 0) {
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
