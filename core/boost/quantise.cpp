#include "boost/quantise.h"

#include "base/processor.h"

namespace treewright {

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
  std::int32_t fixed_hessian;  // 0, or the steps of every row
};

TREEWRIGHT_WIDE_REGISTERS
void packed_steps(const float* __restrict gradient, const float* __restrict hessian, std::uint32_t first_row,
                  std::size_t n, Scales scales, std::uint32_t key, PackedSteps::Stored* __restrict out) {
  constexpr float kDraw = 0x1.0p-16F;
  // Casts cut towards 0; shifted up, all numbers are positive, and that is down.
  constexpr float kShift = 32768.0F;
  constexpr std::int32_t kShiftSteps = 32768;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t random = mix_32((first_row + static_cast<std::uint32_t>(i)) * 0x9E3779B9U + key);
    const float up = static_cast<float>(static_cast<std::int32_t>(random & 0xFFFFU)) * kDraw;
    const float up_too = static_cast<float>(static_cast<std::int32_t>(random >> 16)) * kDraw;
    const auto g = static_cast<std::int32_t>(gradient[i] * scales.per_gradient + (kShift + up)) - kShiftSteps;
    const auto drawn = static_cast<std::int32_t>(hessian[i] * scales.per_hessian + up_too);
    const std::int32_t h = scales.fixed_hessian != 0 ? scales.fixed_hessian : drawn;
    out[i] = PackedSteps::store(g, h);
  }
}

}  // namespace

void Quantiser::steps_of_rows(const float* gradient, const float* hessian, std::size_t first_row,
                              std::size_t n, PackedSteps::Stored* out) const {
  const Scales scales{static_cast<float>(1 / units_.gradient), static_cast<float>(1 / units_.hessian),
                      equal_hessians_ ? 1 : 0};
  packed_steps(gradient, hessian, static_cast<std::uint32_t>(first_row), n, scales, key_, out);
}

void Quantiser::steps_of_rows(const float* gradient, const float* hessian, std::size_t, std::size_t n,
                              WideSteps::Stored* out) const {
  const double per_gradient = 1 / units_.gradient, per_hessian = 1 / units_.hessian;
  for (std::size_t i = 0; i < n; ++i) {
    const auto g = static_cast<std::int32_t>(std::lrint(gradient[i] * per_gradient));
    const auto h = equal_hessians_ ? 1 : static_cast<std::int32_t>(std::lrint(hessian[i] * per_hessian));
    out[i] = WideSteps::store(g, h);
  }
}

}  // namespace treewright
