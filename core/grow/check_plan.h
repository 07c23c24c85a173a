// check_plan: whether the parts of a plan fit each other and the columns.
#pragma once

#include <cstddef>

#include "grow/plan.h"

namespace treewright {

// Throws std::invalid_argument where they do not.
void check_plan(const GrowPlan& plan, std::size_t n_columns);

}  // namespace treewright
