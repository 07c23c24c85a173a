// The cuts of one column in ascending order of its codes: the sums left of each, and the best of them when
// nothing but λ and a least hessian is asked of the sides.
#pragma once

#include <cstddef>

#include "base/types.h"
#include "boost/histogram/ticks.h"

namespace treewright {

// --- sums of all cells up to each, as double-precision numbers: what a cut behind the cell leaves on its
// left Whole numbers of at most 51 bits, so that nothing is rounded.

// gradients[i], hessians[i]: `start` and cells 0 ... i, i < n; or cells codes[0] ... codes[i].
void left_sums(const PackedTicks::Cell* cells, std::size_t n, TickSums start, double* gradients,
               double* hessians);
void left_sums(const WideTicks::Cell* cells, std::size_t n, TickSums start, double* gradients,
               double* hessians);
void left_sums(const PackedTicks::Cell* cells, const Code* codes, std::size_t n, TickSums start,
               double* gradients, double* hessians);
void left_sums(const WideTicks::Cell* cells, const Code* codes, std::size_t n, TickSums start,
               double* gradients, double* hessians);

// --- the best cut

struct CutScore {
  std::size_t cut = 0;  // number of cells on the left minus 1
  double score = -1;    // negative: no cut is allowed
};

inline constexpr std::size_t kCutsAtOnce = 8;

// left_gradient[i], left_hessian[i]: sums of cells 0 ... i, i < n. All in ticks; min_hessian is not negative.
// The first among equals wins. Both arrays have room for a multiple of kCutsAtOnce; what stands behind n - 1
// is overwritten.
CutScore best_cut(double* left_gradient, double* left_hessian, std::size_t n, double gradient, double hessian,
                  double l2, double min_hessian);

}  // namespace treewright
