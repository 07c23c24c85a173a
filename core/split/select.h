// Which of a node's candidates wins: the first whose rank no later one beats by more than the tie tolerance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "split/candidate.h"

namespace treewright {

inline constexpr std::size_t kNoCandidate = std::numeric_limits<std::size_t>::max();

inline std::size_t best_candidate(std::span<const Candidate> candidates, double tie) {
  std::size_t winner = kNoCandidate;
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].valid() || !(candidates[i].rank > best + tie)) continue;
    winner = i;
    best = candidates[i].rank;
  }
  return winner;
}

// C4.5: only tests whose gain reaches the average of the node's tests compete by gain ratio, so that a tiny
// split info cannot win with a tiny gain. `in_average` says which candidates count in the average (all if it
// says none).
template <class InAverage>
std::size_t best_above_average(std::span<const Candidate> candidates, double node_weight,
                               InAverage in_average) {
  constexpr double kSlack = 1e-3;  // bits per row, as in Release 8
  double sum = 0;
  std::size_t counted = 0;
  for (const bool all : {false, true}) {
    for (const Candidate& candidate : candidates) {
      if (!candidate.valid() || !(all || in_average(candidate))) continue;
      sum += candidate.gain / node_weight;
      ++counted;
    }
    if (counted > 0) break;
  }
  const double average = counted > 0 ? sum / static_cast<double>(counted) : 1e6;
  std::size_t winner = kNoCandidate;
  double best = -kSlack;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    if (!candidate.valid() || candidate.gain / node_weight < average - kSlack || !(candidate.rank > best))
      continue;
    winner = i;
    best = candidate.rank;
  }
  return winner;
}

}  // namespace treewright
