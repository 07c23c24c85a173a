// How the features of one path share its game when o is 0 or 1: for a leaf of value 1,
//
//   share of feature j = (o_j - z_j) * integral over t from 0 to 1 of prod_{k != j} (t o_k + (1 - t) z_k)
//
// and for two features i and j (o_i - z_i) (o_j - z_j) * integral of the product without both, halved. The
// same numbers to the last bit whatever the processor: no sum depends on the width of its registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explain/quadrature.h"

namespace treewright {

inline constexpr std::size_t kMostPatternBits = 10;  // features of a path that are told apart by bits

// The points that path_shares uses for a path of n features: 4 or 8.
inline std::size_t pattern_points(std::size_t n) {
  return Quadrature::points_for(n);
}

// z of the n features, bit j of `pattern` is o_j; out[n].
void path_shares(const double* z, std::size_t n, std::uint32_t pattern, const Quadrature& points,
                 double* out);

// out[n * (n - 1) / 2]: the pairs (0, 1), (0, 2), (1, 2), (0, 3), ...
void path_pairs(const double* z, std::size_t n, std::uint32_t pattern, const Quadrature& points, double* out);

}  // namespace treewright
