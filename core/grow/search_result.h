// What the search of a node gives back, and which tests besides the winner are worth keeping.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "grow/plan.h"
#include "split/candidate.h"

namespace treewright {

// SearchResult: the winner of a node and, where the plan keeps them, the tests that came next.
struct SearchResult {
  SearchResult() = default;
  explicit SearchResult(Candidate candidate) : winner(std::move(candidate)) {}

  Candidate winner;
  bool kept = false;            // whether the tree shall remember them
  std::vector<Candidate> next;  // of other features, best first; those that could not win last
  double least_gain =
      -std::numeric_limits<double>::infinity();  // what a gain had to reach, per unit of weight
};

// RunnerUps: which candidates a tree remembers besides the winner, and at which nodes.
class RunnerUps {
 public:
  RunnerUps(const GrowPlan& plan, std::size_t n_rows)
      : n_(static_cast<std::size_t>(std::max<std::int64_t>(plan.n_candidates, 0))),
        fewest_rows_(n_ == 0 ? std::numeric_limits<std::size_t>::max()
                             : std::max(kFewestRows, n_rows / kRowsPerRow)),
        by_ratio_(plan.ranking == Ranking::kGainRatio) {}

  // In a large tree most nodes are tiny, and remembering theirs would make it several times as large.
  bool kept_at(std::size_t rows) const { return rows >= fewest_rows_; }

  // Puts a candidate into its place among the best, the winner included; the last one goes when there are too
  // many. Candidates come in the order in which they are compared: within the tie tolerance the first is the
  // better one.
  void offer(const Candidate& candidate, double tie, std::vector<Candidate>& best) const {
    std::size_t place = best.size();
    while (place > 0 && is_better(candidate, best[place - 1], tie)) --place;
    if (place > n_) return;
    if (best.size() > n_) best.pop_back();
    best.insert(best.begin() + static_cast<std::ptrdiff_t>(place), candidate);
  }

  // Places of the next best candidates after the winner, best first; those that could not win, because their
  // gain is below the average, come last.
  std::vector<std::size_t> order(std::span<const Candidate> candidates, std::size_t winner,
                                 double tie) const {
    return order(candidates, winner, tie, n_);
  }

  std::vector<std::size_t> order(std::span<const Candidate> candidates, std::size_t winner, double tie,
                                 std::size_t n) const {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (i != winner && candidates[i].valid()) columns.push_back(i);
    }
    std::vector<std::size_t> best;
    for (const std::size_t i : columns) {
      std::size_t place = best.size();
      while (place > 0 && is_better(candidates[i], candidates[best[place - 1]], tie)) --place;
      if (place == n) continue;
      if (best.size() == n) best.pop_back();
      best.insert(best.begin() + static_cast<std::ptrdiff_t>(place), i);
    }
    return best;
  }

 private:
  static constexpr std::size_t kFewestRows = 5;
  static constexpr std::size_t kRowsPerRow = 200;  // a node must hold one of so many rows

  bool is_better(const Candidate& one, const Candidate& other, double tie) const {
    const bool may_win = std::isfinite(one.rank);
    return may_win == std::isfinite(other.rank) ? score(one) > score(other) + tie : may_win;
  }

  // What the candidate would compete with, also where it may not.
  double score(const Candidate& candidate) const {
    if (std::isfinite(candidate.rank)) return candidate.rank;
    if (!by_ratio_) return candidate.gain;
    return candidate.split_info > 0 ? candidate.gain / candidate.split_info
                                    : -std::numeric_limits<double>::infinity();
  }

  std::size_t n_, fewest_rows_;
  bool by_ratio_;
};

}  // namespace treewright
