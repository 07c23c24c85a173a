#include "boost/exact/cut_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/processor.h"

namespace treewright {

namespace {

struct FreeGain {
  double l1, l2, min_hessian;
  GradientSum node;
  float node_gain;
};

// Gains of n cuts while values are free; 0 where a side has too little or the gain is not finite. The same
// operations as SingleNewton, in a form that compilers turn into wide instructions.
TREEWRIGHT_WIDE_REGISTERS
void free_gains(const double* __restrict gradients, const double* __restrict hessians, std::size_t n,
                FreeGain with, float* __restrict gains) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < n; ++i) {
    const double g = gradients[i], h = hessians[i];
    const double other_g = with.node.gradient - g, other_h = with.node.hessian - h;
    const double near_g = g > with.l1 ? g - with.l1 : g < -with.l1 ? g + with.l1 : 0.0;
    const double near_other = other_g > with.l1    ? other_g - with.l1
                              : other_g < -with.l1 ? other_g + with.l1
                                                   : 0.0;
    const float gain = static_cast<float>(near_g * near_g) / static_cast<float>(h + with.l2);
    const float other_gain =
        static_cast<float>(near_other * near_other) / static_cast<float>(other_h + with.l2);
    const float sum = gain + (other_h > 0.0 ? other_gain : 0.0F) - with.node_gain;
    const bool allowed = (h > 0.0) & (h >= with.min_hessian) & (other_h >= with.min_hessian);
    gains[i] = allowed & (sum <= kLargest) ? sum : 0.0F;
  }
}

}  // namespace

void CutScan::work_out_gains(std::size_t n, const NodeToScan& node, bool up, int direction) {
  if (newton_.free()) {
    const FreeGain with{newton_.l1(), newton_.l2(), newton_.min_hessian(), node.sum, node.gain};
    return free_gains(gradients_.data(), hessians_.data(), n, with, gains_.data());
  }
  for (std::size_t i = 0; i < n; ++i) {
    const GradientSum passed{gradients_[i], hessians_[i]};
    const GradientSum others = node.sum - passed;
    gains_[i] = 0.0F;
    if (!(passed.hessian > 0.0) || !allows(passed, others)) continue;
    const float gain = newton_.split_gain(up ? passed : others, up ? others : passed, node.bounds, direction);
    gains_[i] = std::isfinite(gain) ? gain - node.gain : 0.0F;
  }
}

template <bool kUp>
void CutScan::scan(std::span<const RankedRow> rows, const RowGradient* gradients, const NodeToScan& node,
                   int direction, FoundCut* best) {
  const std::size_t n = rows.size();
  const auto at = [&](std::size_t i) { return rows[kUp ? i : n - 1 - i]; };
  // A cut before place i has i known rows on one side and all others, missing ones too, on the other.
  const std::size_t first_cut = min_rows_;
  const std::size_t n_cuts = node.rows >= 2 * min_rows_ ? node.rows - 2 * min_rows_ + 1 : 0;
  GradientSum passed;
  std::uint32_t rank = at(0).rank;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t end = std::min(n, begin + kBlock);
    // In a loop of its own, so that many look-ups are under way at the same time.
    for (std::size_t i = begin; i < end; ++i) fetched_[i - begin] = gradients[at(i).place];
    std::size_t found = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const RankedRow row = at(i);
      // Every place is written, but counts only between two values.
      gradients_[found] = passed.gradient;
      hessians_[found] = passed.hessian;
      places_[found] = static_cast<std::uint32_t>(i);
      found += static_cast<std::size_t>((row.rank != rank) & (i - first_cut < n_cuts));
      rank = row.rank;
      passed.add(fetched_[i - begin]);
    }
    work_out_gains(found, node, kUp, direction);
    for (std::size_t k = 0; k < found; ++k) {
      if (!(gains_[k] > best->gain)) continue;
      const std::uint32_t before = at(places_[k] - 1).rank, behind = at(places_[k]).rank;
      best->gain = gains_[k];
      best->below = kUp ? before : behind;
      best->above = kUp ? behind : before;
      best->missing_left = !kUp;
    }
  }
  // All values on one side, missing ones alone on the other.
  if (!(n - first_cut < n_cuts) || n == node.rows) return;
  gradients_[0] = passed.gradient;
  hessians_[0] = passed.hessian;
  work_out_gains(1, node, kUp, direction);
  if (!(gains_[0] > best->gain)) return;
  best->gain = gains_[0];
  best->below = kUp ? rank : FoundCut::kNoRank;
  best->above = kUp ? FoundCut::kNoRank : rank;
  best->missing_left = !kUp;
}

FoundCut CutScan::best(std::span<const RankedRow> rows, const RowGradient* gradients, const NodeToScan& node,
                       bool up_too, int direction) {
  FoundCut best;
  if (rows.empty()) return best;
  if (up_too) scan<true>(rows, gradients, node, direction, &best);
  scan<false>(rows, gradients, node, direction, &best);
  return best;
}

}  // namespace treewright
