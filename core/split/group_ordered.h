// The best binary grouping along one order of codes: those up to a cut go left, the others right. Serves
// thresholds (the order is that of the values) and subsets (the order is that of the means). Missing rows are
// tried on the right, on the left and, last, alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/processor.h"
#include "criterion/summary.h"
#include "data/column.h"
#include "split/candidate.h"
#include "split/cursors.h"
#include "split/rules.h"

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

// One node and one column as a grouping sees them.
template <class Criterion>
struct NodeColumn {
  const Criterion& criterion;
  const SplitRules& rules;
  const Summary& summary;
  const Column& column;
  Limits limits;
  const typename Criterion::Cell* missing;  // bucket of the rows whose value is missing
  std::size_t missing_rows = 0;
  typename Criterion::ScanBuffer& buffer;  // scratch of the scan
  std::vector<double>& known;              // scratch: totals of the rows with a known value
};

// Weight of the rows that are compared.
template <class Criterion>
double compared_weight(const NodeColumn<Criterion>& node) {
  const bool all =
      node.rules.missing == MissingRule::kLearned || node.rules.missing == MissingRule::kOwnBranch;
  if (all || node.missing_rows == 0) return node.summary.weight;
  return node.summary.weight - node.criterion.target.weight(node.missing);
}

// Totals of the rows that are compared: all of them, or only those with a known value. Copies only when it
// must.
template <class Criterion>
const double* compared_totals(const NodeColumn<Criterion>& node, double* weight) {
  *weight = node.summary.weight;
  const bool all =
      node.rules.missing == MissingRule::kLearned || node.rules.missing == MissingRule::kOwnBranch;
  if (all || node.missing_rows == 0) return node.summary.totals.data();
  node.known = node.summary.totals;
  for (int k = 0; k < node.criterion.target.channels(); ++k) {
    node.known[static_cast<std::size_t>(k)] -=
        static_cast<double>(node.criterion.target.amount(node.missing[k]));
  }
  *weight -= node.criterion.target.weight(node.missing);
  return node.known.data();
}

// C4.5: the smaller side of a cut must hold a tenth of the average class, but at least m and at most 25.
inline double smallest_side(const SplitRules& rules, double known_weight) {
  if (rules.declared_classes <= 0) return 0;
  const double share = 0.1 * known_weight / static_cast<double>(rules.declared_classes);
  return std::clamp(share, rules.min_branch_weight, std::max(rules.min_branch_weight, 25.0));
}

// The only cut of a column with two codes, from a scan that has moved the rows of the second one.
template <class Scan, class Cursor>
void offer_mirrored(const Scan& scan, const Cursor& cursor, std::size_t moved_rows, const Limits& limits,
                    ThresholdPass& pass, Candidate& best) {
  if (!admissible(scan, moved_rows, pass.rows, limits)) return;
  ++pass.tries;
  const double gain = scan.gain();
  if (!(gain > best.gain + limits.tie) || !std::isfinite(gain)) return;
  if (limits.bounded && !limits.allow(scan.right_value(), scan.left_value())) return;
  take(scan, gain, best);
  mirror(best, scan.total_weight());
  best.cut = cursor.next_code();
  best.next = cursor.last_code();
  best.missing = 1;
}

// A cursor source knows the rows behind a column: cursor() walks over them in order, move_missing(scan) moves
// those without a value, place(scan, with_missing) puts all on the right where a scan does not know them by
// their sums.
template <class Scan, class Criterion, class Source>
Candidate best_grouping(const NodeColumn<Criterion>& node, const Source& source, double min_value_gap,
                        std::size_t* tries) {
  Candidate best;
  best.gain = node.limits.floor;
  const bool learned = node.rules.missing == MissingRule::kLearned;
  double weight = 0;
  const double* totals = compared_totals(node, &weight);

  Limits limits = node.limits;
  if (const double smallest = smallest_side(node.rules, weight); smallest > 0) {
    const bool tolerant = node.rules.arithmetic == Arithmetic::kTolerant;
    // J48 asks for rows here, shares of rows counted as whole ones.
    if (tolerant && static_cast<double>(node.summary.rows - node.missing_rows) < 2 * smallest - kTolerance) {
      return best;
    }
    limits.min_weight = std::max(limits.min_weight, smallest - (tolerant ? kTolerance : 0));
  }
  ThresholdPass pass;
  pass.rows = node.summary.rows - (learned ? 0 : node.missing_rows);
  pass.missing_rows = learned ? node.missing_rows : 0;
  pass.min_value_gap = min_value_gap;
  pass.column = &node.column;
  if (pass.rows < 2 * limits.min_rows || weight <= 0) return best;

  const auto start = [&] {
    Scan scan(node.criterion, totals, weight, node.buffer);
    if constexpr (Criterion::kOrdered) {
      source.place(scan, learned);
      scan.placed();
    }
    return scan;
  };
  if constexpr (!Criterion::kOrdered && requires { source.short_tail(); }) {
    if (pass.missing_rows == 0 && min_value_gap <= 0) {
      if (const auto tail = source.short_tail(); !tail.empty()) {
        Scan scan = start();
        for (const auto key : tail) scan.move(source.rows.samples[position_of(key)]);
        offer_mirrored(scan, source.cursor(), tail.size(), limits, pass, best);
        *tries = pass.tries;
        return best;
      }
    }
  }
  offer_thresholds(start(), source.cursor(), limits, pass, best);
  if (pass.missing_rows > 0) {
    Scan with_missing = start();
    source.move_missing(with_missing);
    pass.missing_left = true;
    // "Missing alone" mirrors this start: all known rows left, missing rows right.
    const bool alone =
        admissible(with_missing, pass.missing_rows, pass.rows, limits) && pass.missing_rows < pass.rows;
    Candidate mirrored;
    if (alone) take(with_missing, with_missing.gain(), mirrored);
    offer_thresholds(std::move(with_missing), source.cursor(), limits, pass, best);
    if (alone && mirrored.gain > best.gain + limits.tie && std::isfinite(mirrored.gain) &&
        (!limits.bounded || limits.allow(mirrored.right_value, mirrored.left_value))) {
      mirror(mirrored, weight);
      mirrored.cut = source.cursor().last_code();
      mirrored.next = 0;
      mirrored.missing_known = true;
      mirrored.missing = 1;
      best = mirrored;
    }
  }
  *tries = pass.tries;
  return best;
}

}  // namespace treewright
