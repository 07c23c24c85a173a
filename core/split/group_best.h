// The best binary grouping along one order of codes, missing rows included: they are tried on the right, on the left
// and, last, alone. Serves thresholds (the order is that of the values) and subsets (the order is that of the means).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "criterion/summary.h"
#include "split/rules.h"
#include "split/group_threshold.h"

namespace treewright {

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
  std::vector<double>& buffer;              // scratch of the scan
  std::vector<double>& known;               // scratch: totals of the rows with a known value
};

// Totals of the rows that are compared: all of them, or only those with a known value. Copies only when it must.
template <class Criterion>
const double* compared_totals(const NodeColumn<Criterion>& node, double* weight) {
  *weight = node.summary.weight;
  const bool all = node.rules.missing == MissingRule::kLearned || node.rules.missing == MissingRule::kOwnBranch;
  if (all || node.missing_rows == 0) return node.summary.totals.data();
  node.known = node.summary.totals;
  for (int k = 0; k < node.criterion.target.channels(); ++k) {
    node.known[static_cast<std::size_t>(k)] -= static_cast<double>(node.missing[k]);
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

// A cursor source knows the rows behind a column: cursor() walks over them in order, move_missing(scan) moves those
// without a value, place(scan, with_missing) puts all on the right where a scan does not know them by their sums.
template <class Scan, class Criterion, class Source>
Candidate best_grouping(const NodeColumn<Criterion>& node, const Source& source, double min_value_gap,
                        std::size_t* tries) {
  Candidate best;
  const bool learned = node.rules.missing == MissingRule::kLearned;
  double weight = 0;
  const double* totals = compared_totals(node, &weight);

  Limits limits = node.limits;
  limits.min_weight = std::max(limits.min_weight, smallest_side(node.rules, weight));
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
  {
    Scan scan = start();
    offer_thresholds(scan, source.cursor(), limits, pass, best);
  }
  if (pass.missing_rows > 0) {
    Scan with_missing = start();
    source.move_missing(with_missing);
    pass.missing_left = true;
    // "Missing alone" mirrors this start: all known rows left, missing rows right.
    const bool alone = admissible(with_missing, pass.missing_rows, pass.rows, limits) &&
                       pass.missing_rows < pass.rows;
    Candidate mirrored;
    if (alone) take(with_missing, with_missing.gain(), mirrored);
    offer_thresholds(with_missing, source.cursor(), limits, pass, best);
    if (alone && mirrored.gain > best.gain + limits.tie &&
        (!limits.bounded || limits.allow(mirrored.right_value, mirrored.left_value))) {
      std::swap(mirrored.left_value, mirrored.right_value);
      mirrored.left_weight = weight - mirrored.left_weight;
      auto cursor = source.cursor();
      while (!cursor.at_end()) cursor.skip();
      mirrored.cut = cursor.code();
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
