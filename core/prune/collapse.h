// collapse: a split that saves no training error is taken back, at the highest node where that holds.
// Release 8 does it bottom-up while growing, J48 top-down afterwards. A node that Release 8 takes back keeps
// the errors of its former branches, so both ask the same question of the same sums: the result is the same.
#pragma once

#include <span>

#include "base/types.h"
#include "tree/tree.h"

namespace treewright {

// n_codes as for check_tree. Throws std::invalid_argument for arrays that are no classification tree.
Tree collapse(Tree tree, std::span<const Code> n_codes);

}  // namespace treewright
