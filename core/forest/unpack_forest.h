// unpack: one tree of a forest as a full Tree. What the forest does not store is computed: the value of an
// inner node is the weighted mean of its children's, its gain follows from values and weights. The loss is
// exact for classes; for numbers it cannot be known (NaN), and under the absolute error neither can the gain.
#pragma once

#include <cstddef>

#include "grow/plan.h"
#include "tree/forest.h"
#include "tree/tree.h"

namespace treewright {

// The forest has passed check_forest. Throws std::invalid_argument when there is no such tree or the
// criterion does not fit.
Tree unpack(const ForestView& forest, std::size_t tree, CriterionName criterion);
inline Tree unpack(const Forest& forest, std::size_t tree, CriterionName criterion) {
  return unpack(forest.view(), tree, criterion);
}

// The same for arrays that may hold anything: the tree is checked first, the others are not looked at.
Tree unpack_checked(const ForestView& forest, std::size_t tree, CriterionName criterion);

}  // namespace treewright
