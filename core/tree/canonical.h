// canonical: the one numbering of the nodes of a tree, whatever order it was grown in.
// Depth first; a node's children get the next free ids when the node is visited, and branch 0's subtree is
// numbered before the deeper nodes of branch 1. Tables, surrogates and candidates follow their nodes in the
// same order, so equal trees are equal in every byte, for any number of threads.
#pragma once

#include "tree/tree.h"

namespace treewright {

// `tree` may number its nodes in any way in which children are adjacent, and share or leave unused words of
// `tables`; nodes that the root does not reach are left out. A table that no node refers to is dropped.
Tree canonical(Tree tree);

}  // namespace treewright
