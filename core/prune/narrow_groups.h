// narrow_groups: after pruning a tree of grouped categories (C4.5 -s), values that the tests above rule out
// leave the last group of a node; a last group that loses all its values goes.
#pragma once

#include "data/dataset.h"
#include "tree/tree.h"

namespace treewright {

// Only the number of categories per column is read from the data. A value without a group is treated like one
// that was not seen in training. Throws std::invalid_argument for arrays that are no tree.
Tree narrow_groups(Tree tree, const Dataset& data);

}  // namespace treewright
