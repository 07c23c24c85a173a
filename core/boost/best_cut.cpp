#include "boost/best_cut.h"

#include "base/processor.h"

namespace treewright {

// One division per cut: both scores over their common divisor. Cuts go through in rows of eight, of which
// each place keeps its best, so that the compiler can use wide registers; those behind the last are filled up
// with some that no limit allows.
TREEWRIGHT_WIDE_REGISTERS
CutScore best_cut(double* left_gradient, double* left_hessian, std::size_t n, double gradient, double hessian,
                  double l2, double min_hessian) {
  constexpr std::size_t kLanes = kCutsAtOnce;
  const std::size_t padded = (n + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = n; i < padded; ++i) {
    left_gradient[i] = 0;
    left_hessian[i] = -1;
  }
  double best[kLanes];
  double at[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    best[lane] = -1;
    at[lane] = 0;
  }
  for (std::size_t i = 0; i < padded; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double gl = left_gradient[i + lane], hl = left_hessian[i + lane];
      const double gr = gradient - gl, hr = hessian - hl;
      const double a = hl + l2, b = hr + l2;
      const double score = (gl * gl * b + gr * gr * a) / (a * b);
      const double allowed = (hl >= min_hessian) & (hr >= min_hessian) ? score : -1.0;
      at[lane] = allowed > best[lane] ? static_cast<double>(i) : at[lane];
      best[lane] = allowed > best[lane] ? allowed : best[lane];
    }
  }
  double highest = -1;
  for (std::size_t lane = 0; lane < kLanes; ++lane) highest = best[lane] > highest ? best[lane] : highest;
  if (highest < 0) return {};
  double first = static_cast<double>(padded);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const double cut = best[lane] == highest ? at[lane] + static_cast<double>(lane) : first;
    first = cut < first ? cut : first;
  }
  return {static_cast<std::size_t>(first), highest};
}

}  // namespace treewright
