// The invariants of a tree, for arrays that may hold anything (a damaged or hostile file). Time grows with
// the arrays and nothing outside of them is read. What passes can be walked without further tests.
// check_forest.cpp has those of a forest.
#pragma once

#include <span>

#include "base/types.h"
#include "tree/forest.h"
#include "tree/tree.h"

namespace treewright {

// n_codes: the number of categories per feature, 0 for a numeric one.
// Throws TreeFault, which names the node and what is wrong with it.
void check_tree(const Tree& tree, std::span<const Code> n_codes);

// The same for a tree that was stored: it must also hold the numbers that a fit gives, although walking does
// not need them.
void check_stored_tree(const Tree& tree, std::span<const Code> n_codes);

// The same for a forest. gradient: of a booster, one per node; empty without.
void check_stored_forest(const ForestView& forest, std::span<const double> gradient,
                         std::span<const Code> n_codes);

}  // namespace treewright
