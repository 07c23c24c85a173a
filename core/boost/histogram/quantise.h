// Gradients to whole ticks. A number between two ticks goes up with the probability of its distance from the
// lower one, so that sums are right on average; the draw belongs to the row and the round, not to a thread.
// Wide ticks are so fine that the nearest does.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "boost/boost_grower.h"
#include "boost/histogram/ticks.h"

namespace treewright {

// How large the gradients and hessians of some rows are, which says how coarse their ticks may be.
class GradientSizes {
 public:
  // Adds n rows. Throws where a number is infinite or none, or a hessian negative.
  void add(const float* gradient, const float* hessian, std::size_t n);
  void add(const GradientSizes& other);

  double largest_gradient() const { return largest_gradient_; }
  double largest_hessian() const { return largest_hessian_; }
  // Whether rounding adds next to nothing to the sums when the largest number has so many ticks: the root of
  // the mean square has several then. It does not where tails are long.
  bool allow_ticks(std::int64_t ticks, bool equal_hessians) const;

  // To and from plain numbers, for the way to another process.
  static constexpr std::size_t kNumbers = 5;
  void write(double* numbers) const;
  static GradientSizes read(const double* numbers);

 private:
  double largest_gradient_ = 0, largest_hessian_ = 0;
  double gradient_squares_ = 0, hessian_squares_ = 0;  // of some rows
  std::size_t n_squares_ = 0;
};

inline constexpr std::size_t kTileRows = 1024;  // rows rounded and filled together

// Gradients and hessians of the rows of a tile as the round counts them: 0 where it does not see the row.
class SeenGradients {
 public:
  std::pair<const float*, const float*> of(const Gradients& gradients, std::size_t row, std::size_t n) {
    const float* g = gradients.gradient.data() + row;
    const float* h = gradients.hessian.data() + row;
    if (gradients.drawn.empty()) return {g, h};
    gradient_.resize(kTileRows);
    hessian_.resize(kTileRows);
    const std::uint8_t* flags = gradients.drawn.data() + row;
    for (std::size_t i = 0; i < n; ++i) {
      const float times = flags[i] == 2 ? gradients.factor : flags[i] == 1 ? 1.0F : 0.0F;
      gradient_[i] = g[i] * times;
      hessian_[i] = h[i] * times;
    }
    return {gradient_.data(), hessian_.data()};
  }

 private:
  std::vector<float> gradient_, hessian_;
};

class Quantiser {
 public:
  Quantiser() = default;
  // `most`: ticks of the largest gradient and hessian. A hessian that all rows share is one tick.
  Quantiser(double largest_gradient, double largest_hessian, bool equal_hessians, std::int64_t most,
            std::uint64_t key)
      : equal_hessians_(equal_hessians), key_(static_cast<std::uint32_t>(key)) {
    const auto ticks = static_cast<double>(most);
    if (largest_gradient > 0) units_.gradient = largest_gradient / ticks;
    if (largest_hessian > 0) units_.hessian = equal_hessians ? largest_hessian : largest_hessian / ticks;
  }

  const TickUnits& units() const { return units_; }
  bool counts_rows() const { return equal_hessians_; }  // ticks of hessians are rows then

  // Rows first_row ... first_row + n - 1, whose gradients begin at the pointers.
  void ticks_of_rows(const float* gradient, const float* hessian, std::size_t first_row, std::size_t n,
                     PackedTicks::Stored* out) const;
  void ticks_of_rows(const float* gradient, const float* hessian, std::size_t first_row, std::size_t n,
                     WideTicks::Stored* out) const;

 private:
  TickUnits units_;
  bool equal_hessians_ = false;
  std::uint32_t key_ = 0;
};

}  // namespace treewright
