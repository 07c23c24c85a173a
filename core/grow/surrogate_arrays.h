// The surrogates of a growing tree, written into its arrays.
#pragma once

#include <span>

#include "grow/surrogates.h"
#include "tree/builder.h"

namespace treewright {

// While a tree grows, its surrogates stand in the order in which nodes were split, which is the order of
// their first children; every split must be followed by one call, surrogates or not.
void append_surrogates(TreeBuilder& builder, std::span<const Surrogate> surrogates);

// Brings the surrogates of a grown tree into the order of its nodes.
void order_surrogates_by_node(Tree& tree);

}  // namespace treewright
