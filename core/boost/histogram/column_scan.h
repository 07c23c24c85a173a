// ColumnScan: the best test of one column at one node, from the sums of the column's codes. One per thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "boost/boost_plan.h"
#include "boost/histogram/best_cut.h"
#include "boost/histogram/node_scores.h"
#include "boost/histogram/small_node.h"
#include "boost/histogram/split_choice.h"
#include "boost/histogram/ticks.h"
#include "data/column.h"

namespace treewright {

// Whether the subsets of a column of categories are so few that the best of all is found.
inline bool has_few_categories(const BoostPlan& plan, std::int64_t n_codes) {
  return n_codes <= std::max(plan.one_against_rest, plan.few_categories);
}

// What is added to λ while subsets of the categories of a column compete: of many, some look good by chance.
inline double more_l2_of(const BoostPlan& plan, std::int64_t n_codes) {
  return has_few_categories(plan, n_codes) ? 0.0 : plan.category_l2;
}

// What a scan knows of the node.
struct ScanNode {
  ScanNode() = default;
  ScanNode(const NodeScores& scores, TickSums sums_of_node, std::size_t n_rows, const ValueBounds& limits,
           double min_hessian_side)
      : sums(sums_of_node),
        rows(n_rows),
        bounds(limits),
        min_hessian(min_hessian_side),
        score(scores.score(sums, bounds)),
        tie(1e-10 * scores.score(sums, ValueBounds{})) {}

  TickSums sums;
  std::size_t rows = 0;
  ValueBounds bounds;
  double min_hessian = 1;  // of a side, in ticks; at least one, so that no side is empty
  double score = 0;        // as a leaf
  double tie = 0;          // differences below this come from rounding
};

template <class Ticks>
class ColumnScan {
 public:
  using Cell = typename Ticks::Cell;

  ColumnScan(const BoostPlan& plan, const NodeScores& scores) : plan_(plan), scores_(scores) {}

  // cells[code], code 0 (missing) first; with `named`, cells[i] are those of category named[i] and others
  // cannot be named by a test. `counts` are the rows of each code, or null: rows are not counted then, and a
  // side only needs its hessian. `seen`: the codes that the node has and their rows, where they are known.
  SplitChoice search(const Column& column, FeatureId feature, const Cell* cells, const ScanNode& node,
                     const std::vector<Code>& named, const std::uint32_t* counts = nullptr,
                     const CodeSet* seen = nullptr) {
    node_ = &node;
    counts_ = counts;
    seen_ = seen;
    direction_ = direction_of(plan_.monotone, feature);
    min_hessian_ = node.min_hessian;
    SplitChoice best;
    if (column.kind == ColumnKind::kNominal) {
      search_subsets(column, cells, named, best);
    } else {
      search_thresholds(column, cells, best);
    }
    if (best.gain > -std::numeric_limits<double>::infinity()) best.feature = feature;
    return best;
  }

 private:
  struct Category {
    double order;  // G / (H + smoothing)
    Code code;
    TickSums sums;
    std::uint32_t rows;
  };

  bool is_plain() const { return scores_.is_plain() && node_->bounds.is_free() && direction_ == 0; }

  // --- thresholds

  void search_thresholds(const Column& column, const Cell* cells, SplitChoice& best) {
    const bool has_missing = column.has_missing && !Ticks::is_zero(cells[0]);
    if (gradients_.size() <= column.n_codes + kCutsAtOnce) {
      codes_.resize(column.n_codes + std::size_t{1});
      gradients_.resize(codes_.size() + kCutsAtOnce);
      hessians_.resize(codes_.size() + kCutsAtOnce);
    }
    // A cut behind a code without rows divides them like the one before it, and of equal cuts the first is
    // taken: such codes may stay in the list. Leaving them out saves time in small nodes only.
    n_codes_ = seen_ != nullptr ? seen_->list(codes_.data()) : column.n_codes;
    if (n_codes_ == 0) return;
    // Missing values right: the last cut has all known values on the left. Then missing values left.
    offer_thresholds(cells, has_missing ? n_codes_ : n_codes_ - 1, TickSums{}, has_missing, true, best);
    if (has_missing) offer_thresholds(cells, n_codes_ - 1, Ticks::sums(cells[0]), true, false, best);
  }

  // The code before the cut with this number.
  Code code_of(std::size_t cut) const { return seen_ != nullptr ? codes_[cut] : static_cast<Code>(cut + 1); }

  void offer_thresholds(const Cell* cells, std::size_t n_cuts, TickSums start, bool has_missing,
                        bool missing_right, SplitChoice& best) {
    if (seen_ == nullptr) {
      left_sums(cells + 1, n_cuts, start, gradients_.data(), hessians_.data());
    } else {
      left_sums(cells, codes_.data(), n_cuts, start, gradients_.data(), hessians_.data());
    }
    const auto [first, end] = cuts_with_rows(n_cuts, missing_right);
    if (first >= end) return;
    CutScore found;
    if (is_plain()) {
      found = best_cut(gradients_.data() + first, hessians_.data() + first, end - first, total_gradient(),
                       total_hessian(), scores_.l2_ticks(), min_hessian_);
      found.cut += first;
    } else {
      found = best_bound_cut(first, end);
    }
    if (found.score < 0) return;
    const double unit = is_plain() ? scores_.score_unit() : 1.0;
    const double gain = found.score * unit - node_->score;
    if (!(gain > best.gain + node_->tie)) return;
    best.gain = gain;
    best.is_subset = false;
    best.cut = code_of(found.cut);
    best.missing_known = has_missing;
    best.missing_right = missing_right;
    best.rows_counted = knows_rows();
    best.left = {static_cast<std::int64_t>(gradients_[found.cut]),
                 static_cast<std::int64_t>(hessians_[found.cut])};
  }

  bool knows_rows() const { return seen_ != nullptr || counts_ != nullptr; }
  std::size_t rows_of(Code code) const { return seen_ != nullptr ? seen_->rows(code) : counted(code); }

  // The cuts, from the first to behind the last, that leave enough rows on both sides; all of them where rows
  // were not counted by their codes.
  std::pair<std::size_t, std::size_t> cuts_with_rows(std::size_t n_cuts, bool missing_right) const {
    const auto least = static_cast<std::size_t>(plan_.min_rows_leaf);
    if (!knows_rows() || least <= 1) return {0, n_cuts};
    std::size_t first = 0, end = n_cuts;
    std::size_t left = missing_right ? 0 : rows_of(kMissing);
    while (first < n_cuts && (left += rows_of(code_of(first))) < least) ++first;
    std::size_t right = missing_right ? rows_of(kMissing) : 0;
    // Behind the last cut there may be one more code.
    if (n_cuts < n_codes_) right += rows_of(code_of(n_cuts));
    while (end > first && right < least) right += rows_of(code_of(--end));
    return {first, end};
  }

  // The same with bounds, monotone constraints and penalties.
  CutScore best_bound_cut(std::size_t first, std::size_t end) const {
    CutScore found;
    for (std::size_t i = first; i < end; ++i) {
      const TickSums left{static_cast<std::int64_t>(gradients_[i]), static_cast<std::int64_t>(hessians_[i])};
      const double score = score_of(left, 0.0);
      if (score > found.score) found = {i, score};
    }
    return found;
  }

  // The score of both sides; negative when they are not allowed.
  double score_of(TickSums left, double more_l2) const {
    const TickSums right = node_->sums - left;
    if (static_cast<double>(left.hessian) < min_hessian_ || static_cast<double>(right.hessian) < min_hessian_)
      return -1;
    if (direction_ != 0 && !keeps_direction(direction_, scores_.value(left, node_->bounds, more_l2),
                                            scores_.value(right, node_->bounds, more_l2))) {
      return -1;
    }
    return scores_.score(left, node_->bounds, more_l2) + scores_.score(right, node_->bounds, more_l2);
  }

  // --- categories

  void search_subsets(const Column& column, const Cell* cells, const std::vector<Code>& named,
                      SplitChoice& best) {
    categories_.clear();
    const auto n = static_cast<std::int64_t>(column.n_codes);
    const bool is_few = has_few_categories(plan_, n);
    if (named.empty()) {
      for (Code code = column.has_missing ? 0 : 1; code <= column.n_codes; ++code) {
        add_category(code, cells[code], is_few);
      }
    } else {
      for (std::size_t i = 0; i < named.size(); ++i) add_category(named[i], cells[i], is_few);
    }
    if (n <= plan_.one_against_rest) {
      for (const Category& category : categories_)
        offer_subset(&category, 1, category.sums, category.rows, 0.0, best);
      return;
    }
    std::stable_sort(categories_.begin(), categories_.end(),
                     [](const Category& a, const Category& b) { return a.order < b.order; });
    const double more_l2 = more_l2_of(plan_, n);
    offer_prefixes(more_l2, best);
    std::reverse(categories_.begin(), categories_.end());
    offer_prefixes(more_l2, best);
  }

  // Few categories stand in the order of the values that they would have as leaves: one of the cuts in two is
  // then the best of all subsets. Of many, some look good by chance. Rows per hessian of the node stand in
  // for the rows of a category where they were not counted.
  void add_category(Code code, const Cell& cell, bool is_few) {
    if (Ticks::is_zero(cell)) return;
    const TickSums sums = Ticks::sums(cell);
    const auto hessian = static_cast<double>(sums.hessian);
    const double rows = counts_ != nullptr
                            ? static_cast<double>(counts_[code])
                            : hessian * static_cast<double>(node_->rows) / std::max(total_hessian(), 1.0);
    if (!is_few && rows < static_cast<double>(plan_.min_rows_category)) return;
    const double smoothing = (is_few ? scores_.l2() : plan_.category_smoothing) / scores_.units().hessian;
    const double order = static_cast<double>(sums.gradient) / (hessian + smoothing);
    categories_.push_back({order, code, sums, static_cast<std::uint32_t>(counted(code))});
  }

  void offer_prefixes(double more_l2, SplitChoice& best) {
    const std::size_t most = std::min<std::size_t>(static_cast<std::size_t>(plan_.max_categories_side),
                                                   (categories_.size() + 1) / 2);
    TickSums left;
    std::size_t rows = 0;
    for (std::size_t i = 0; i < most; ++i) {
      left = left + categories_[i].sums;
      rows += categories_[i].rows;
      offer_subset(categories_.data(), i + 1, left, rows, more_l2, best);
    }
  }

  void offer_subset(const Category* first, std::size_t n, TickSums left, std::size_t rows, double more_l2,
                    SplitChoice& best) {
    if (counts_ != nullptr) {
      const auto least = static_cast<std::size_t>(plan_.min_rows_leaf);
      if (rows < least || node_->rows < rows + least) return;
    }
    const double score = score_of(left, more_l2);
    if (score < 0) return;
    const double gain = score - node_->score;
    if (!(gain > best.gain + node_->tie)) return;
    best.gain = gain;
    best.is_subset = true;
    best.left = left;
    best.named.clear();
    best.missing_known = true;
    best.missing_right = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (first[i].code == kMissing) {
        best.missing_right = false;
      } else {
        best.named.push_back(first[i].code);
      }
    }
    std::sort(best.named.begin(), best.named.end());
  }

  double total_gradient() const { return static_cast<double>(node_->sums.gradient); }
  double total_hessian() const { return static_cast<double>(node_->sums.hessian); }
  std::size_t counted(std::size_t code) const { return counts_ == nullptr ? 0 : counts_[code]; }

  const BoostPlan& plan_;
  const NodeScores& scores_;
  const ScanNode* node_ = nullptr;
  const std::uint32_t* counts_ = nullptr;
  const CodeSet* seen_ = nullptr;
  int direction_ = 0;  // that a monotone constraint asks of the column
  double min_hessian_ = 1;
  std::vector<Code> codes_;  // that a small node has
  std::size_t n_codes_ = 0;
  std::vector<double> gradients_, hessians_;  // of the left side of each cut
  std::vector<Category> categories_;
};

}  // namespace treewright
