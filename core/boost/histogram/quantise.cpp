#include "boost/histogram/quantise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "base/processor.h"

namespace treewright {

// --- sizes

namespace {

constexpr std::size_t kLook = 16;  // squares are added up of every so many rows
// Rounding by chance adds at most a quarter of a squared tick to the variance of a row: with so many ticks
// less than half a percent.
constexpr double kTypicalTicks = 8;

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
    throw std::invalid_argument(
        "A gradient or hessian is infinite, negative or not a number: histograms hold single-precision "
        "numbers, up to 3e38. Bring y, weights and offsets closer to 1: divide each by a constant.");
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

void GradientSizes::write(double* numbers) const {
  numbers[0] = largest_gradient_;
  numbers[1] = largest_hessian_;
  numbers[2] = gradient_squares_;
  numbers[3] = hessian_squares_;
  numbers[4] = static_cast<double>(n_squares_);
}

GradientSizes GradientSizes::read(const double* numbers) {
  GradientSizes sizes;
  sizes.largest_gradient_ = numbers[0];
  sizes.largest_hessian_ = numbers[1];
  sizes.gradient_squares_ = numbers[2];
  sizes.hessian_squares_ = numbers[3];
  sizes.n_squares_ = static_cast<std::size_t>(numbers[4]);
  return sizes;
}

bool GradientSizes::allow_ticks(std::int64_t ticks, bool equal_hessians) const {
  const auto enough = [&](double squares, double largest) {
    const double typical = std::sqrt(squares / static_cast<double>(n_squares_));
    return typical * static_cast<double>(ticks) >= kTypicalTicks * largest;
  };
  return enough(gradient_squares_, largest_gradient_) &&
         (equal_hessians || enough(hessian_squares_, largest_hessian_));
}

// --- ticks

namespace {

// Mixes all bits of a number (the finaliser of MurmurHash3): wide registers multiply 32 bits, not 64.
inline std::uint32_t mix_32(std::uint32_t z) {
  z = (z ^ (z >> 16)) * 0x85EBCA6BU;
  z = (z ^ (z >> 13)) * 0xC2B2AE35U;
  return z ^ (z >> 16);
}

struct Scales {
  float per_gradient;
  float per_hessian;
  std::int32_t fixed_hessian;  // 0, or the ticks of every row
};

TREEWRIGHT_WIDE_REGISTERS
void packed_ticks(const float* __restrict gradient, const float* __restrict hessian, std::uint32_t first_row,
                  std::size_t n, Scales scales, std::uint32_t key, PackedTicks::Stored* __restrict out) {
  constexpr float kDraw = 0x1.0p-16F;
  // Casts cut towards 0; shifted up, all numbers are positive, and that is down.
  constexpr float kShift = 32768.0F;
  constexpr std::int32_t kShiftTicks = 32768;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t random = mix_32((first_row + static_cast<std::uint32_t>(i)) * 0x9E3779B9U + key);
    const float up = static_cast<float>(static_cast<std::int32_t>(random & 0xFFFFU)) * kDraw;
    const float up_too = static_cast<float>(static_cast<std::int32_t>(random >> 16)) * kDraw;
    const auto g = static_cast<std::int32_t>(gradient[i] * scales.per_gradient + (kShift + up)) - kShiftTicks;
    const auto drawn = static_cast<std::int32_t>(hessian[i] * scales.per_hessian + up_too);
    const std::int32_t h = scales.fixed_hessian != 0 ? scales.fixed_hessian : drawn;
    out[i] = PackedTicks::store(g, h);
  }
}

}  // namespace

void Quantiser::ticks_of_rows(const float* gradient, const float* hessian, std::size_t first_row,
                              std::size_t n, PackedTicks::Stored* out) const {
  const Scales scales{static_cast<float>(1 / units_.gradient), static_cast<float>(1 / units_.hessian),
                      equal_hessians_ ? 1 : 0};
  packed_ticks(gradient, hessian, static_cast<std::uint32_t>(first_row), n, scales, key_, out);
}

void Quantiser::ticks_of_rows(const float* gradient, const float* hessian, std::size_t, std::size_t n,
                              WideTicks::Stored* out) const {
  const double per_gradient = 1 / units_.gradient, per_hessian = 1 / units_.hessian;
  for (std::size_t i = 0; i < n; ++i) {
    const auto g = static_cast<std::int32_t>(std::lrint(gradient[i] * per_gradient));
    const auto h = equal_hessians_ ? 1 : static_cast<std::int32_t>(std::lrint(hessian[i] * per_hessian));
    out[i] = WideTicks::store(g, h);
  }
}

}  // namespace treewright
