// BoostedTree: one tree of a booster with what reports need beside the tree itself.
#pragma once

#include <vector>

#include "base/types.h"
#include "tree/tree.h"

namespace treewright {

struct BoostedTree {
  Tree tree;                     // value: of every node, before the learning rate; weight: sum of hessians
  std::vector<double> gradient;  // sum per node
  std::vector<NodeId> leaf;      // of every row, where the grower knows it
};

}  // namespace treewright
