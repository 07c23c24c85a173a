// From the nodes of the exact method to a tree: pruning, final numbers, the leaf of every row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/exact/exact_node.h"
#include "boost/exact/node_rows.h"
#include "data/dataset.h"

namespace treewright {

// From below: a node above two leaves becomes a leaf when its split gained less than this. A split that gains
// little stays while something below it gains enough.
void prune_small_gains(std::vector<ExactNode>& nodes, float min_gain);

// `leaf`: the grown node of each row, which may have been pruned. Rows that take no part go down the
// tree.
BoostedTree exact_tree(std::span<const ExactNode> nodes, std::span<const NodeId> leaf, const NodeRows& rows,
                       const Dataset& data, Team& team);

}  // namespace treewright
