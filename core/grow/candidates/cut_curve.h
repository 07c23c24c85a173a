// The gain of every cut of one column at one node: what best_grouping looks at before it keeps the best. Cuts
// of categories go along their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "criterion/criterion.h"
#include "criterion/single_precision.h"
#include "grow/candidates/candidates.h"
#include "grow/node_split.h"
#include "split/group_ordered.h"
#include "split/release_8.h"

namespace treewright {

template <class Criterion, class Scan>
class CurveWriter {
 public:
  CurveWriter(const NodeColumn<Criterion>& node, CutRule cut) : node_(node), cut_(cut), limits_(node.limits) {
    totals_ = compared_totals(node, &weight_);
    const bool learned = node.rules.missing == MissingRule::kLearned;
    rows_ = node.summary.rows - (learned ? 0 : node.missing_rows);
    missing_ = learned ? node.missing_rows : 0;
  }

  template <class Source>
  [[gnu::cold]] CutCurve write(const Source& source) {
    if (!(weight_ > 0)) return std::move(curve_);
    if constexpr (IsInBits<Criterion>) {
      if (node_.rules.arithmetic == Arithmetic::kSingle) {
        write_single(source);
        return std::move(curve_);
      }
    }
    if (const double smallest = smallest_side(node_.rules, weight_); smallest > 0) {
      const bool tolerant = node_.rules.arithmetic == Arithmetic::kTolerant;
      const double slack = tolerant ? kTolerance : 0;
      enough_ = !tolerant ||
                static_cast<double>(node_.summary.rows - node_.missing_rows) >= 2 * smallest - kTolerance;
      limits_.min_weight = std::max(limits_.min_weight, smallest - slack);
    }
    enough_ = enough_ && rows_ >= 2 * limits_.min_rows;
    write_pass(start(source), source, false);
    if (missing_ > 0) {
      Scan scan = start(source);
      source.move_missing(scan);
      write_pass(std::move(scan), source, true);
    }
    return std::move(curve_);
  }

 private:
  template <class Source>
  [[gnu::cold]] Scan start(const Source& source) const {
    Scan scan(node_.criterion, totals_, weight_, node_.buffer);
    if constexpr (Criterion::kOrdered) {
      source.place(scan, node_.rules.missing == MissingRule::kLearned);
      scan.placed();
    }
    return scan;
  }

  template <class Source>
  [[gnu::cold]] void write_pass(Scan scan, const Source& source, bool missing_left) {
    auto cursor = source.cursor();
    const double gap = has_values() ? node_.rules.min_value_gap : 0.0;
    while (!cursor.one_left()) {
      cursor.advance(scan);
      const std::size_t left = cursor.rows() + (missing_left ? missing_ : 0);
      bool allowed = enough_ && admissible(scan, left, rows_, limits_);
      if (gap > 0 && !(node_.column.highest(cursor.code()) < node_.column.lowest(cursor.next_code()) - gap)) {
        allowed = false;
      }
      if (limits_.bounded && !limits_.allow(scan.left_value(), scan.right_value())) allowed = false;
      push(cursor, left, scan.left_weight(), scan.gain(), missing_left, allowed);
    }
  }

  // As release_8_threshold compares them.
  template <class Source>
  [[gnu::cold]] void write_single(const Source& source)
    requires IsInBits<Criterion>
  {
    const auto known = static_cast<float>(weight_), cases = static_cast<float>(node_.summary.weight);
    const float smallest = release_8_smallest_side(node_.rules, known);
    const bool enough = known >= 2 * static_cast<float>(node_.rules.min_branch_weight);
    SingleScan<Criterion::Target::kIsWeighted> scan(node_.criterion, totals_, weight_, node_.buffer);
    const float base = scan.info_before() / known;
    const auto unknown_rate = static_cast<float>(1.0 - known / static_cast<double>(cases));
    auto cursor = source.cursor();
    while (!cursor.one_left()) {
      cursor.advance(scan);
      const auto low = static_cast<float>(scan.left_weight());
      bool allowed = enough && low >= smallest && low <= known - smallest &&
                     admissible(scan, cursor.rows(), rows_, limits_);
      if (has_values()) {
        const auto below = static_cast<float>(node_.column.highest(cursor.code()));
        const auto above = static_cast<float>(node_.column.lowest(cursor.next_code()));
        allowed = allowed && below < static_cast<double>(above) - node_.rules.min_value_gap;
      }
      const float gain = single_gain(unknown_rate, base, scan.info_after(), known);
      push(cursor, cursor.rows(), scan.left_weight(), static_cast<double>(gain) * node_.summary.weight, false,
           allowed);
    }
  }

  // Ordered categories have none, and no distance from each other.
  bool has_values() const { return node_.column.kind == ColumnKind::kNumeric; }

  template <class Cursor>
  [[gnu::cold]] void push(const Cursor& cursor, std::size_t left_rows, double left_weight, double gain,
                          bool missing_left, bool allowed) {
    // Categories have no threshold: the first so many of their order go left.
    curve_.threshold.push_back(
        node_.column.kind == ColumnKind::kNominal
            ? static_cast<double>(cursor.code())
            : threshold_of(node_.column, cut_, cursor.code(), cursor.next_code(), node_.rules.arithmetic));
    curve_.gain.push_back(gain);
    curve_.left_weight.push_back(left_weight);
    curve_.left_rows.push_back(static_cast<std::int64_t>(left_rows));
    curve_.missing_left.push_back(missing_left);
    curve_.admissible.push_back(allowed);
  }

  const NodeColumn<Criterion>& node_;
  CutRule cut_;
  Limits limits_;
  double weight_ = 0;
  const double* totals_ = nullptr;
  std::size_t rows_ = 0, missing_ = 0;
  bool enough_ = true;  // rows for two sides
  CutCurve curve_;
};

}  // namespace treewright
