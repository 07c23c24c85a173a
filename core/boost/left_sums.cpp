#include "boost/left_sums.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/processor.h"

namespace treewright {

namespace {

// Both halves of a packed sum have 32 bits with a sign: hessians stay below 2³¹.
TREEWRIGHT_WIDE_REGISTERS
void unpack(const PackedSteps::Cell* __restrict sums, std::size_t n, double* __restrict gradients,
            double* __restrict hessians) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<std::uint64_t>(sums[i]);
    gradients[i] = static_cast<double>(static_cast<std::int32_t>(bits >> 32));
    hessians[i] = static_cast<double>(static_cast<std::int32_t>(bits));
  }
}

// cell_of(i): the i-th cell.
template <class CellOf>
void add_up(CellOf cell_of, std::size_t n, PackedSteps::Cell sum, double* gradients, double* hessians) {
  constexpr std::size_t kTile = 256;
  PackedSteps::Cell sums[kTile];
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
void add_up(CellOf cell_of, std::size_t n, StepSums start, double* gradients, double* hessians) {
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
void add_up(CellOf cell_of, std::size_t n, StepSums sum, double* gradients, double* hessians) {
  for (std::size_t i = 0; i < n; ++i) {
    sum = sum + WideSteps::sums(cell_of(i));
    gradients[i] = static_cast<double>(sum.gradient);
    hessians[i] = static_cast<double>(sum.hessian);
  }
}

#endif

}  // namespace

void left_sums(const PackedSteps::Cell* cells, std::size_t n, StepSums start, double* gradients,
               double* hessians) {
  add_up([=](std::size_t i) { return cells[i]; }, n, PackedSteps::cell(start), gradients, hessians);
}

void left_sums(const WideSteps::Cell* cells, std::size_t n, StepSums start, double* gradients,
               double* hessians) {
  add_up([=](std::size_t i) -> const WideSteps::Cell& { return cells[i]; }, n, start, gradients, hessians);
}

void left_sums(const PackedSteps::Cell* cells, const Code* codes, std::size_t n, StepSums start,
               double* gradients, double* hessians) {
  add_up([=](std::size_t i) { return cells[codes[i]]; }, n, PackedSteps::cell(start), gradients, hessians);
}

void left_sums(const WideSteps::Cell* cells, const Code* codes, std::size_t n, StepSums start,
               double* gradients, double* hessians) {
  add_up([=](std::size_t i) -> const WideSteps::Cell& { return cells[codes[i]]; }, n, start, gradients,
         hessians);
}

}  // namespace treewright
