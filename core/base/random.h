// Random: a counter-based generator that gives the same numbers on every platform and for any thread count.
// Work that may run in any order (nodes, trees, columns) gets its own stream with split(key).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace treewright {

// The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes all 64 bits.
constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed = 0) : state_(mix_bits(seed + kStep)) {}

  // A stream that depends on this stream's seed and on the key, not on how many numbers were drawn before
  // the counter moved: splitting does not advance this stream.
  constexpr Random split(std::uint64_t key) const {
    return Random(state_ ^ mix_bits(key * kStep + 0x632BE59BD9B4E019U));
  }

  constexpr std::uint64_t next() {
    state_ += kStep;
    return mix_bits(state_);
  }

  // In [0, n), every number equally likely; n > 0. Multiply and reject (Lemire 2019), in portable halves.
  constexpr std::uint64_t uniform(std::uint64_t n) {
    while (true) {
      const auto [high, low] = multiply(next(), n);
      // The remainder is less than n, so it is worked out only when it could matter.
      if (low >= n || low >= (0 - n) % n) return high;
    }
  }

  // In [0, 1), a multiple of 2^-53.
  constexpr double uniform01() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;

  // The 128-bit product as (high, low).
  static constexpr std::pair<std::uint64_t, std::uint64_t> multiply(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kLow = 0xFFFFFFFFU;
    const std::uint64_t low = (a & kLow) * (b & kLow);
    const std::uint64_t mid = (a >> 32) * (b & kLow) + (low >> 32);
    const std::uint64_t mid2 = (a & kLow) * (b >> 32) + (mid & kLow);
    return {(a >> 32) * (b >> 32) + (mid >> 32) + (mid2 >> 32), (mid2 << 32) | (low & kLow)};
  }

  std::uint64_t state_;
};

}  // namespace treewright
