// OpenLeaf: a leaf of the growing tree that may still be split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "boost/node_scores.h"
#include "boost/split_choice.h"
#include "boost/steps.h"

namespace treewright {

inline constexpr std::size_t kNoHistogram = static_cast<std::size_t>(-1);

struct OpenLeaf {
  NodeId node = 0;
  std::int64_t depth = 0;
  std::uint64_t key = 0;  // of random draws
  std::size_t rows = 0;
  StepSums sums;
  ValueBounds bounds;
  std::vector<FeatureId> path;  // features used so far, when constraints ask for them
  std::vector<char> columns;    // which may be used; empty = all
  std::vector<char> hopeless;   // which had no test worth making here or above; empty = none is known
  std::size_t histogram = kNoHistogram;  // none: a small node, which is searched from its rows
  SplitChoice best;

  bool may_use(std::size_t column) const {
    return (columns.empty() || columns[column] != 0) && (hopeless.empty() || hopeless[column] == 0);
  }
};

}  // namespace treewright
