// Found: what the search of a node found: the winner and, where the plan keeps them, who came next.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "split/candidate.h"

namespace treewright {

struct Found {
  Found() = default;
  explicit Found(Candidate candidate) : winner(std::move(candidate)) {}

  Candidate winner;
  bool kept = false;            // whether the tree shall remember them
  std::vector<Candidate> next;  // of other features, best first; those that could not win last
  double least_gain =
      -std::numeric_limits<double>::infinity();  // what a gain had to reach, per unit of weight
};

}  // namespace treewright
