// Pessimistic pruning without raising, from the arrays of the tree alone: no row moves, so every number of a
// node that stays is right already. Serves trees whose rows cannot be sent down again easily (surrogates).
#pragma once

#include "prune/extra_errors.h"
#include "tree/tree.h"

namespace treewright {

// The tree has been checked. Throws std::invalid_argument for a bad confidence or a tree without classes.
Tree prune_by_leaf_rule(Tree tree, PruneProgram program, double confidence);

}  // namespace treewright
