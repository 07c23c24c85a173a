// Which branch a value takes at a node of a forest, for whoever follows one row through all trees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.h"
#include "tree/forest.h"
#include "tree/table.h"

namespace treewright {

// At an inner node of a checked forest. NaN is a missing value, a category is its code.
inline std::uint32_t branch_at(const ForestView& forest, std::size_t node, double x) {
  if (x != x) return forest.flags[node] & kMissingGoesRight;
  if ((forest.flags[node] & kSubsetTest) == 0) return x > forest.number[node] ? 1U : 0U;
  return branch_of(forest.tables.data() + static_cast<std::size_t>(forest.number[node]),
                   static_cast<Code>(x));
}

}  // namespace treewright
