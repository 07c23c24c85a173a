// exponential and log_one_plus: e^x and ln(1 + e) without branches or tables, so that loops over them use
// the whole width of a register, and with the same result on every processor (the C library's may differ).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "base/processor.h"

namespace treewright {

struct PowerOfE {
  double fraction;         // from 0.7 to 1.42
  std::uint64_t exponent;  // e^x = fraction * 2^exponent, of which the last 12 bits are kept
};

// x must be between -708 and 709.79.
TREEWRIGHT_INLINE PowerOfE power_of_e(double x) {
  constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest whole number in the last bits
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;
  const double shifted = x * kLog2E + kRound;
  const double power = shifted - kRound;
  const double rest = (x - power * kLn2High) - power * kLn2Low;  // at most ln(2) / 2
  double sum = 0x1.af390ba7e6f47p-26;
  sum = sum * rest + 0x1.2891d4ffbb0f9p-22;
  sum = sum * rest + 0x1.71de0d85293b8p-19;
  sum = sum * rest + 0x1.a019b8ca26fcfp-16;
  sum = sum * rest + 0x1.a01a01a7cebcdp-13;
  sum = sum * rest + 0x1.6c16c1789d1d7p-10;
  sum = sum * rest + 0x1.11111111109a6p-7;
  sum = sum * rest + 0x1.5555555553d37p-5;
  sum = sum * rest + 0x1.5555555555556p-3;
  sum = sum * rest + 0x1.0000000000001p-1;
  return {1.0 + (rest + rest * rest * sum), std::bit_cast<std::uint64_t>(shifted)};
}

inline constexpr double kLeastExponent = -708.0;

// Within 2 units in the last place. Infinity above 709.78; 0 below -708 (where e^x leaves the range of
// normal numbers). The argument must not be NaN.
TREEWRIGHT_INLINE double exponential(double x) {
  constexpr double kLargest = 709.782712893384;
  const double low = x < kLeastExponent ? kLeastExponent : x;
  const PowerOfE power = power_of_e(low > kLargest ? kLargest : low);
  // 2 * 2^(exponent - 1), because 2^1024 is not a number.
  const double result = (2.0 * power.fraction) * std::bit_cast<double>((power.exponent + 1022U) << 52U);
  const double above = x > kLargest ? std::numeric_limits<double>::infinity() : result;
  return x < kLeastExponent ? 0.0 : above;
}

// The same for x of at most 0, with less to look after.
TREEWRIGHT_INLINE double exponential_of_negative(double x) {
  const PowerOfE power = power_of_e(x < kLeastExponent ? kLeastExponent : x);
  const double result = power.fraction * std::bit_cast<double>((power.exponent + 1023U) << 52U);
  return x < kLeastExponent ? 0.0 : result;
}

// ln(1 + e) for e from 0 to 1, within 2 units in the last place: 2 artanh(e / (2 + e)).
TREEWRIGHT_INLINE double log_one_plus(double e) {
  const double ratio = e / (2.0 + e);
  const double square = ratio * ratio;
  double sum = 0x1.4b0a26c5f2aefp-4;
  sum = sum * square + 0x1.687a6e7c95176p-5;
  sum = sum * square + 0x1.eb905e8575054p-5;
  sum = sum * square + 0x1.10ac75dc602b1p-4;
  sum = sum * square + 0x1.3b18b294bebf9p-4;
  sum = sum * square + 0x1.745cf0b0e03bdp-4;
  sum = sum * square + 0x1.c71c727143318p-4;
  sum = sum * square + 0x1.24924923d44c6p-3;
  sum = sum * square + 0x1.999999999a3ddp-3;
  sum = sum * square + 0x1.5555555555555p-2;
  return 2.0 * (ratio + ratio * (square * sum));
}

}  // namespace treewright
