// The order in which lean nodes lie in memory. Children stay adjacent; node 0 stays first.
#pragma once

#include <cstddef>
#include <vector>

#include "tree/tree.h"

namespace treewright {

// The ids of a checked tree in memory order: the top level by level (every row passes there), then small
// clusters of a few levels each, so that one cache line serves several steps of the same row.
std::vector<NodeId> memory_order(const Tree& tree);

}  // namespace treewright
