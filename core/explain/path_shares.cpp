#include "explain/path_shares.h"

#include "base/processor.h"

namespace treewright {

namespace {

constexpr std::size_t kFour = Quadrature::kLanes;

// Products of factors at every point. Sums over points: lane by lane, then the four lanes.
template <std::size_t kPoints>
struct Points {
  double x[kPoints];
};

template <std::size_t kPoints>
TREEWRIGHT_INLINE double sum_of_products(const Points<kPoints>& a, const Points<kPoints>& b) {
  double lane[kFour] = {};
  for (std::size_t block = 0; block < kPoints; block += kFour) {
    for (std::size_t l = 0; l < kFour; ++l) lane[l] += a.x[block + l] * b.x[block + l];
  }
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

template <std::size_t kPoints>
TREEWRIGHT_INLINE void set_factors(const double* z, std::size_t n, std::uint32_t pattern,
                                   const Quadrature& points, Points<kPoints>* factor) {
  for (std::size_t j = 0; j < n; ++j) {
    const double o = (pattern >> j & 1U) != 0 ? 1.0 : 0.0;
    for (std::size_t q = 0; q < kPoints; ++q) factor[j].x[q] = o * points.at[q] + z[j] * points.rest[q];
  }
}

template <std::size_t kPoints>
TREEWRIGHT_INLINE void shares(const double* z, std::size_t n, std::uint32_t pattern, const Quadrature& points,
                              double* out) {
  Points<kPoints> factor[kMostPatternBits], before[kMostPatternBits + 1], after;
  set_factors(z, n, pattern, points, factor);
  for (std::size_t q = 0; q < kPoints; ++q) before[0].x[q] = points.weight[q];
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t q = 0; q < kPoints; ++q) before[j + 1].x[q] = before[j].x[q] * factor[j].x[q];
  }
  for (std::size_t q = 0; q < kPoints; ++q) after.x[q] = 1.0;
  for (std::size_t j = n; j-- > 0;) {
    const double o = (pattern >> j & 1U) != 0 ? 1.0 : 0.0;
    out[j] = (o - z[j]) * sum_of_products(before[j], after);
    for (std::size_t q = 0; q < kPoints; ++q) after.x[q] *= factor[j].x[q];
  }
}

// Product of all factors before i, between i and j, and behind j.
template <std::size_t kPoints>
TREEWRIGHT_INLINE void pairs(const double* z, std::size_t n, std::uint32_t pattern, const Quadrature& points,
                             double* out) {
  Points<kPoints> factor[kMostPatternBits], after[kMostPatternBits + 1], before;
  set_factors(z, n, pattern, points, factor);
  for (std::size_t q = 0; q < kPoints; ++q) after[n].x[q] = 1.0;
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t q = 0; q < kPoints; ++q) after[j].x[q] = after[j + 1].x[q] * factor[j].x[q];
  }
  for (std::size_t q = 0; q < kPoints; ++q) before.x[q] = points.weight[q];
  for (std::size_t i = 0; i < n; ++i) {
    const double at_i = ((pattern >> i & 1U) != 0 ? 1.0 : 0.0) - z[i];
    Points<kPoints> without = before;
    for (std::size_t j = i + 1; j < n; ++j) {
      const double at_j = ((pattern >> j & 1U) != 0 ? 1.0 : 0.0) - z[j];
      out[j * (j - 1) / 2 + i] = 0.5 * at_i * at_j * sum_of_products(without, after[j + 1]);
      for (std::size_t q = 0; q < kPoints; ++q) without.x[q] *= factor[j].x[q];
    }
    for (std::size_t q = 0; q < kPoints; ++q) before.x[q] *= factor[i].x[q];
  }
}

}  // namespace

TREEWRIGHT_WIDE_REGISTERS
void path_shares(const double* z, std::size_t n, std::uint32_t pattern, const Quadrature& points,
                 double* out) {
  if (points.size() == kFour) {
    shares<kFour>(z, n, pattern, points, out);
  } else {
    shares<2 * kFour>(z, n, pattern, points, out);
  }
}

TREEWRIGHT_WIDE_REGISTERS
void path_pairs(const double* z, std::size_t n, std::uint32_t pattern, const Quadrature& points,
                double* out) {
  if (points.size() == kFour) {
    pairs<kFour>(z, n, pattern, points, out);
  } else {
    pairs<2 * kFour>(z, n, pattern, points, out);
  }
}

}  // namespace treewright
