// The best of the cuts of one column when nothing but λ and a least hessian is asked of the sides.
#pragma once

#include <cstddef>

namespace treewright {

struct CutScore {
  std::size_t cut = 0;  // number of cells on the left minus 1
  double score = -1;    // negative: no cut is allowed
};

inline constexpr std::size_t kCutsAtOnce = 8;

// left_gradient[i], left_hessian[i]: sums of cells 0 ... i, i < n. All in steps; min_hessian is not negative.
// The first among equals wins. Both arrays have room for a multiple of kCutsAtOnce; what stands behind n - 1
// is overwritten.
CutScore best_cut(double* left_gradient, double* left_hessian, std::size_t n, double gradient, double hessian,
                  double l2, double min_hessian);

}  // namespace treewright
