#include "boost/best_cut.h"

#include "base/processor.h"

namespace treewright {

// One division per cut: both scores over their common divisor. Cuts go through in rows of eight, of which
// each place keeps its best, so that the compiler can use wide registers.
TREEWRIGHT_WIDE_REGISTERS
CutScore best_cut(const double* left_gradient, const double* left_hessian, std::size_t n, double gradient,
                  double hessian, double l2, double min_hessian) {
  constexpr std::size_t kLanes = 8;
  double best[kLanes];
  double at[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    best[lane] = -1;
    at[lane] = 0;
  }
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
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
  CutScore found;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::size_t cut = static_cast<std::size_t>(at[lane]) + lane;
    if (best[lane] > found.score || (best[lane] == found.score && best[lane] >= 0 && cut < found.cut)) {
      found = {cut, best[lane]};
    }
  }
  for (; i < n; ++i) {
    const double gl = left_gradient[i], hl = left_hessian[i];
    const double gr = gradient - gl, hr = hessian - hl;
    if (!(hl >= min_hessian) || !(hr >= min_hessian)) continue;
    const double a = hl + l2, b = hr + l2;
    const double score = (gl * gl * b + gr * gr * a) / (a * b);
    if (score > found.score) found = {i, score};
  }
  return found;
}

}  // namespace treewright
