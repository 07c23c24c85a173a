// Choice: which of a node's candidates wins, by the plan's selection, arithmetic and tie tolerance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "criterion/summary.h"
#include "data/dataset.h"
#include "grow/plan.h"
#include "split/candidate.h"
#include "split/select.h"

namespace treewright {

class Choice {
 public:
  Choice(const Dataset& data, const GrowPlan& plan)
      : data_(data), plan_(plan), all_have_many_values_(find_all_have_many_values()) {}

  bool filters() const { return plan_.selection == Selection::kAboveAverageGain; }

  // The gain that a candidate must reach, less the slack of drop_below_average.
  double average(std::span<const Candidate> candidates) const {
    const auto counts = [this](const Candidate& candidate) {
      return all_have_many_values_ || !has_many_values(data_.column(candidate.feature));
    };
    return plan_.arithmetic == Arithmetic::kSingle ? average_gain<float>(candidates, counts)
                                                   : average_gain<double>(candidates, counts);
  }

  // The place of the winner, kNoCandidate if none may win. Those below the average lose their rank.
  std::size_t winner(const Summary& node, std::span<Candidate> candidates) const {
    double start = -std::numeric_limits<double>::infinity();
    if (plan_.arithmetic == Arithmetic::kSingle) {
      // A test that gains nothing can win; it is taken back when the tree is collapsed.
      start = static_cast<double>(static_cast<float>(-kSlack));
    } else if (plan_.arithmetic == Arithmetic::kTolerant) {
      start = 0;
    }
    if (filters()) drop_below_average(candidates, average(candidates));
    return best_candidate(candidates, tie(node), start);
  }

  // A better candidate is better by more than this.
  double tie(const Summary& node) const {
    switch (plan_.arithmetic) {
      case Arithmetic::kSingle: return 0;
      case Arithmetic::kTolerant: return kTolerance;
      default: return plan_.tie(node.loss);
    }
  }

 private:
  // Nominal columns with very many values do not count in the average gain, unless all columns are such or
  // values are grouped.
  bool has_many_values(const Column& column) const {
    const double many = plan_.many_values_share * static_cast<double>(data_.n_rows);
    return many > 0 && column.kind != ColumnKind::kNumeric && static_cast<double>(column.n_codes) >= many;
  }
  bool find_all_have_many_values() const {
    if (plan_.categories == CategoryGrouping::kMerged) return true;
    return std::all_of(data_.columns.begin(), data_.columns.end(),
                       [this](const Column& column) { return has_many_values(column); });
  }

  const Dataset& data_;
  const GrowPlan& plan_;
  bool all_have_many_values_;
};

}  // namespace treewright
