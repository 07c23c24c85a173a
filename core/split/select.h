// Which of a node's candidates wins: the first whose rank no later one beats by more than the tie tolerance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

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

}  // namespace treewright
