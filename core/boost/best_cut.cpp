#include "boost/best_cut.h"

#include <cstring>

#include "base/processor.h"

namespace treewright {

namespace {

#if defined(__GNUC__)

// Four numbers at once. Compilers do not see that the plain loop below may be turned into this.
using Four = double __attribute__((vector_size(4 * sizeof(double))));

// The best of the cuts in four places, and where each was found.
struct Places {
  Four best = {-1, -1, -1, -1};
  Four at = {0, 0, 0, 0};

  TREEWRIGHT_INLINE void offer(const double* left_gradient, const double* left_hessian, double gradient,
                               double hessian, double l2, double min_hessian, double cut) {
    Four gl, hl;
    std::memcpy(&gl, left_gradient, sizeof gl);
    std::memcpy(&hl, left_hessian, sizeof hl);
    const Four gr = gradient - gl, hr = hessian - hl;
    const Four a = hl + l2, b = hr + l2;
    const Four score = (gl * gl * b + gr * gr * a) / (a * b);
    const auto better = (hl >= min_hessian) & (hr >= min_hessian) & (score > best);
    best = better ? score : best;
    at = better ? Four{cut, cut, cut, cut} : at;
  }
};

#else

struct Places {
  double best[4] = {-1, -1, -1, -1};
  double at[4] = {0, 0, 0, 0};

  void offer(const double* left_gradient, const double* left_hessian, double gradient, double hessian,
             double l2, double min_hessian, double cut) {
    for (std::size_t place = 0; place < 4; ++place) {
      const double gl = left_gradient[place], hl = left_hessian[place];
      const double gr = gradient - gl, hr = hessian - hl;
      const double a = hl + l2, b = hr + l2;
      const double score = (gl * gl * b + gr * gr * a) / (a * b);
      if (hl < min_hessian || hr < min_hessian || !(score > best[place])) continue;
      best[place] = score;
      at[place] = cut;
    }
  }
};

#endif

}  // namespace

// One division per cut: both scores over their common divisor. Cuts go through in rows of eight, of which
// each place keeps its best; those behind the last are filled up with some that no limit allows.
TREEWRIGHT_WIDE_REGISTERS
CutScore best_cut(double* left_gradient, double* left_hessian, std::size_t n, double gradient, double hessian,
                  double l2, double min_hessian) {
  const std::size_t padded = (n + kCutsAtOnce - 1) / kCutsAtOnce * kCutsAtOnce;
  for (std::size_t i = n; i < padded; ++i) {
    left_gradient[i] = 0;
    left_hessian[i] = -1;
  }
  Places low, high;
  for (std::size_t i = 0; i < padded; i += kCutsAtOnce) {
    const auto cut = static_cast<double>(i);
    low.offer(left_gradient + i, left_hessian + i, gradient, hessian, l2, min_hessian, cut);
    high.offer(left_gradient + i + 4, left_hessian + i + 4, gradient, hessian, l2, min_hessian, cut);
  }
  double best[kCutsAtOnce], at[kCutsAtOnce];
  std::memcpy(best, &low.best, sizeof low.best);
  std::memcpy(best + 4, &high.best, sizeof high.best);
  std::memcpy(at, &low.at, sizeof low.at);
  std::memcpy(at + 4, &high.at, sizeof high.at);
  double highest = -1;
  for (const double score : best) highest = score > highest ? score : highest;
  if (highest < 0) return {};
  double first = static_cast<double>(padded);
  for (std::size_t place = 0; place < kCutsAtOnce; ++place) {
    const double cut = best[place] == highest ? at[place] + static_cast<double>(place) : first;
    first = cut < first ? cut : first;
  }
  return {static_cast<std::size_t>(first), highest};
}

}  // namespace treewright
