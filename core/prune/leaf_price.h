// prune_at_price: minimal cost-complexity pruning of one tree at one price of a leaf, for whoever grows many
// trees and needs none of their paths.
#pragma once

#include "tree/tree.h"

namespace treewright {

// Keeps the smallest subtree of least risk + price * leaves, risk being the loss per unit of the root's
// weight. Of the arrays only what belongs to the nodes that stay is left. The tree is one that was just
// grown.
void prune_at_price(Tree& tree, double price);

}  // namespace treewright
