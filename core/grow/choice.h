// Choice: which of a node's candidates wins, by the plan's selection, arithmetic and tie tolerance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>

#include "criterion/summary.h"
#include "data/dataset.h"
#include "grow/plan.h"
#include "split/candidate.h"
#include "split/rules.h"

namespace treewright {

inline constexpr std::size_t kNoCandidate = std::numeric_limits<std::size_t>::max();

// `start` is the rank to beat by the first one.
inline std::size_t best_candidate(std::span<const Candidate> candidates, double tie,
                                  double start = -std::numeric_limits<double>::infinity()) {
  std::size_t winner = kNoCandidate;
  double best = start;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].valid() || !(candidates[i].rank > best + tie)) continue;
    winner = i;
    best = candidates[i].rank;
  }
  return winner;
}

// The mean gain of the candidates that count, in the program's precision; a number that none reaches when
// there is none. `in_average` says which candidates count.
template <class Real, class InAverage>
double average_gain(std::span<const Candidate> candidates, InAverage in_average) {
  Real sum = 0;
  int counted = 0;
  for (const Candidate& candidate : candidates) {
    if (!candidate.valid() || !in_average(candidate)) continue;
    sum += static_cast<Real>(candidate.mean_gain);
    ++counted;
  }
  return counted > 0 ? static_cast<double>(sum / static_cast<Real>(counted)) : 1e6;
}

// C4.5: only tests whose gain reaches the average of the node's tests compete by gain ratio, so that a tiny
// split info cannot win with a tiny gain. Sets the rank of the others to minus infinity.
inline void drop_below_average(std::span<Candidate> candidates, double average) {
  for (Candidate& candidate : candidates) {
    if (!(candidate.mean_gain >= average - kSlack)) {
      candidate.rank = -std::numeric_limits<double>::infinity();
    }
  }
}

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
      // A ratio has no unit: its tolerance must not grow with the weight of the node, as that of a gain does.
      case Arithmetic::kExact:
        return plan_.tie(plan_.ranking == Ranking::kGainRatio ? node.loss / node.weight : node.loss);
    }
    throw std::logic_error("There is no such arithmetic.");
  }

 private:
  // Nominal columns with very many values do not count in the average gain, unless all columns have or
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
