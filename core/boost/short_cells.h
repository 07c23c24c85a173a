// ShortCell: sums of packed steps in 32 bits, the gradient in the upper half and the hessian in the lower
// one. They hold the rows of one block: rows with the same code times the largest step must stay below 2¹⁵.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "boost/steps.h"

namespace treewright {

using ShortCell = PackedSteps::Stored;  // a row's steps are a sum of one

// The most steps a row may have when `crowd` rows can meet in a cell; rounding may add one.
inline std::int64_t most_short_steps(std::size_t crowd) {
  return std::numeric_limits<std::int16_t>::max() / static_cast<std::int64_t>(crowd) - 1;
}

// Adds short cells to a histogram's and clears them.
void move_short_cells(ShortCell* from, std::size_t n, PackedSteps::Cell* to);

}  // namespace treewright
