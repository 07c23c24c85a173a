// Threshold grouping: rows with code <= cut go left, the others right. One pass over an ordered cursor.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/processor.h"
#include "data/column.h"
#include "split/candidate.h"
#include "split/limits.h"

namespace treewright {

struct ThresholdPass {
  std::size_t rows = 0;          // all rows that are compared
  std::size_t missing_rows = 0;  // those among them whose value is missing (learned direction only)
  bool missing_left = false;     // the scan has moved them to the left already
  double min_value_gap = 0;      // > 0: values closer than this are one value (C4.5)
  const Column* column = nullptr;
  std::size_t tries = 0;  // out: cuts that were evaluated
};

template <class Scan>
bool admissible(const Scan& scan, std::size_t left_rows, std::size_t rows, const Limits& limits) {
  if (left_rows < limits.min_rows || rows - left_rows < limits.min_rows) return false;
  if (limits.min_weight <= 0) return true;
  const double left_weight = scan.left_weight();
  return left_weight >= limits.min_weight && scan.total_weight() - left_weight >= limits.min_weight;
}

template <class Scan>
void take(const Scan& scan, double gain, Candidate& best) {
  best.gain = gain;
  best.kind = NodeKind::kThreshold;
  best.left_weight = scan.left_weight();
  best.left_value = scan.left_value();
  best.right_value = scan.right_value();
}

// Swaps the sides of a candidate whose scan had moved what belongs on the right.
inline void mirror(Candidate& candidate, double weight) {
  candidate.left_weight = weight - candidate.left_weight;
  std::swap(candidate.left_value, candidate.right_value);
}

// Offers the cut at which the scan stands. Where weights differ so much
// that the lighter side vanishes in the sum, a gain divided by its weight is infinite: no number to compare
// by, so no candidate. Returns whether the cut is the best now; the caller adds where it stands.
template <class Scan>
TREEWRIGHT_INLINE bool offer_cut(const Scan& scan, const Limits& limits, Candidate& best) {
  if constexpr (requires { scan.exceeds(0.0); }) {
    if (!scan.exceeds(best.gain + limits.tie)) return false;
  }
  const double gain = scan.gain();
  if (!(gain > best.gain + limits.tie) || !std::isfinite(gain)) return false;
  if (limits.bounded && !limits.allow(scan.left_value(), scan.right_value())) return false;
  take(scan, gain, best);
  return true;
}

// Offers every admissible cut to `best`, lowest first. The scan comes by value: as a local it stays in
// registers, which a reference would not, because its sums might be what its own arrays point to.
template <class Scan, class Cursor>
void offer_thresholds(Scan scan, Cursor cursor, const Limits& limits, ThresholdPass& pass, Candidate& best) {
  const std::size_t moved = pass.missing_left ? pass.missing_rows : 0;
  while (!cursor.one_left()) {
    cursor.advance(scan);
    if (!admissible(scan, moved + cursor.rows(), pass.rows, limits)) continue;
    if (pass.min_value_gap > 0 && !(pass.column->highest(cursor.code()) <
                                    pass.column->lowest(cursor.next_code()) - pass.min_value_gap)) {
      continue;
    }
    ++pass.tries;
    if (!offer_cut(scan, limits, best)) continue;
    best.cut = cursor.code();
    best.next = cursor.next_code();
    best.missing_known = pass.missing_rows > 0;
    best.missing = pass.missing_left ? 0 : 1;
  }
}

}  // namespace treewright
