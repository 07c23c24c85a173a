#include "boost/histogram/best_cut.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/processor.h"

namespace treewright {

namespace {

// Both halves of a packed sum have 32 bits with a sign: hessians stay below 2³¹.
TREEWRIGHT_WIDE_REGISTERS
void unpack(const PackedTicks::Cell* __restrict sums, std::size_t n, double* __restrict gradients,
            double* __restrict hessians) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<std::uint64_t>(sums[i]);
    gradients[i] = static_cast<double>(static_cast<std::int32_t>(bits >> 32));
    hessians[i] = static_cast<double>(static_cast<std::int32_t>(bits));
  }
}

// cell_of(i): the i-th cell.
template <class CellOf>
void add_up(CellOf cell_of, std::size_t n, PackedTicks::Cell sum, double* gradients, double* hessians) {
  constexpr std::size_t kTile = 256;
  PackedTicks::Cell sums[kTile];
  for (std::size_t begin = 0; begin < n; begin += kTile) {
    const std::size_t size = std::min(n - begin, kTile);
    for (std::size_t i = 0; i < size; ++i) sums[i] = sum += cell_of(begin + i);
    unpack(sums, size, gradients + begin, hessians + begin);
  }
}

#if defined(__GNUC__)

using Whole = std::int64_t __attribute__((vector_size(16)));
using Double = double __attribute__((vector_size(16)));

// Gradient and hessian side by side. Added to the bits of 1.5 · 2⁵², a whole number of 51 bits makes the bits
// of 1.5 · 2⁵² plus that number: older processors have nothing faster that turns 64 bits into a double. Cells
// go through in pairs, because storing is what takes time.
template <class CellOf>
void add_up(CellOf cell_of, std::size_t n, TickSums start, double* gradients, double* hessians) {
  constexpr double kShift = 0x1.8p52;
  constexpr std::int64_t kShiftBits = 0x4338000000000000;
  Whole sum{start.gradient + kShiftBits, start.hessian + kShiftBits};
  const auto next = [&](std::size_t i) {
    Whole cell;
    std::memcpy(&cell, &cell_of(i), sizeof cell);
    sum += cell;
    return reinterpret_cast<Double>(sum) - kShift;
  };
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    const Double one = next(i), two = next(i + 1);
    const Double g{one[0], two[0]}, h{one[1], two[1]};
    std::memcpy(gradients + i, &g, sizeof g);
    std::memcpy(hessians + i, &h, sizeof h);
  }
  if (i == n) return;
  const Double last = next(i);
  gradients[i] = last[0];
  hessians[i] = last[1];
}

#else

template <class CellOf>
void add_up(CellOf cell_of, std::size_t n, TickSums sum, double* gradients, double* hessians) {
  for (std::size_t i = 0; i < n; ++i) {
    sum = sum + WideTicks::sums(cell_of(i));
    gradients[i] = static_cast<double>(sum.gradient);
    hessians[i] = static_cast<double>(sum.hessian);
  }
}

#endif

}  // namespace

void left_sums(const PackedTicks::Cell* cells, std::size_t n, TickSums start, double* gradients,
               double* hessians) {
  add_up([=](std::size_t i) { return cells[i]; }, n, PackedTicks::cell(start), gradients, hessians);
}

void left_sums(const WideTicks::Cell* cells, std::size_t n, TickSums start, double* gradients,
               double* hessians) {
  add_up([=](std::size_t i) -> const WideTicks::Cell& { return cells[i]; }, n, start, gradients, hessians);
}

void left_sums(const PackedTicks::Cell* cells, const Code* codes, std::size_t n, TickSums start,
               double* gradients, double* hessians) {
  add_up([=](std::size_t i) { return cells[codes[i]]; }, n, PackedTicks::cell(start), gradients, hessians);
}

void left_sums(const WideTicks::Cell* cells, const Code* codes, std::size_t n, TickSums start,
               double* gradients, double* hessians) {
  add_up([=](std::size_t i) -> const WideTicks::Cell& { return cells[codes[i]]; }, n, start, gradients,
         hessians);
}

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
