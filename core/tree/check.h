// check_tree: the invariants of Tree, for arrays that may hold anything (a damaged or hostile file).
// O(nodes + values + tables); reads nothing outside the arrays. What passes can be walked without further
// tests.
#pragma once

#include <span>

#include "base/types.h"
#include "tree/tree.h"

namespace treewright {

// n_codes: the number of categories per feature, 0 for a numeric one.
// Throws std::invalid_argument with a sentence that names the node and what is wrong with it.
void check_tree(const Tree& tree, std::span<const Code> n_codes);

}  // namespace treewright
