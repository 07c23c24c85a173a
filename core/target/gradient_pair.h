// GradientPair: gradient and hessian of a row as two whole numbers in one 64-bit cell (gradient high, hessian
// low). One addition adds both, sums are exact in any order, and a sibling's sums follow by subtraction. The
// scales keep rows · max|q| below 2³¹, so neither half can overflow into the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

namespace treewright {

struct GradientPair {
  static constexpr bool kIsWeighted = true;
  using Cell = std::int64_t;

  double gradient_unit = 1;  // what one step of the whole numbers is worth
  double hessian_unit = 1;

  struct Sample {
    Cell pair;
    double weight() const {
      return static_cast<double>(hessian_steps(pair));
    }  // for comparing sides, in steps
  };

  static constexpr int channels() { return 1; }
  static constexpr int stride() { return 1; }
  static void add(Cell* bucket, Sample sample) { *bucket += sample.pair; }
  static Cell amount(Cell cell) { return cell; }
  // A bucket does not count its rows; it only says whether it holds any.
  static std::size_t rows(const Cell* bucket) { return *bucket != 0 ? 1 : 0; }

  static Cell pack(std::int64_t gradient, std::int64_t hessian) {
    return static_cast<Cell>(static_cast<std::uint64_t>(gradient) << 32) + hessian;
  }
  static std::int64_t hessian_steps(Cell cell) { return cell & 0xFFFFFFFF; }
  static std::int64_t gradient_steps(Cell cell) { return cell >> 32; }
  double gradient(Cell cell) const { return static_cast<double>(gradient_steps(cell)) * gradient_unit; }
  double hessian(Cell cell) const { return static_cast<double>(hessian_steps(cell)) * hessian_unit; }
  double weight(const Cell* bucket) const { return hessian(*bucket); }

  // The units for which the largest gradient and hessian use all the steps that `rows` rows leave room for.
  static GradientPair fitting(std::span<const double> gradients, std::span<const double> hessians) {
    double largest_gradient = 0, largest_hessian = 0;
    for (double g : gradients) {
      if (std::isnan(g)) throw std::invalid_argument("A gradient is not a number.");
      largest_gradient = std::max(largest_gradient, std::abs(g));
    }
    for (double h : hessians) {
      if (!(h >= 0)) throw std::invalid_argument("A hessian is negative or not a number.");
      largest_hessian = std::max(largest_hessian, h);
    }
    if (!std::isfinite(largest_gradient) || !std::isfinite(largest_hessian)) {
      throw std::invalid_argument("A gradient or hessian is infinite or not a number.");
    }
    const auto steps =
        static_cast<double>(std::numeric_limits<std::int32_t>::max() /
                            static_cast<std::int64_t>(std::max<std::size_t>(gradients.size(), 1)));
    if (steps < 64)
      throw std::invalid_argument("There are too many rows for packed gradients (more than 33 million).");
    const double most = std::min(steps, 65536.0);
    GradientPair target;
    if (largest_gradient > 0) target.gradient_unit = largest_gradient / most;
    if (largest_hessian > 0) target.hessian_unit = largest_hessian / most;
    return target;
  }

  Sample sample(double gradient, double hessian) const {
    return {pack(std::llrint(gradient / gradient_unit), std::llrint(hessian / hessian_unit))};
  }
};

}  // namespace treewright
