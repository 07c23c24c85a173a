// The two leaves that a split makes of one, as far as they are known before anybody has looked at their rows.
#pragma once

#include <cstdint>
#include <vector>

#include "boost/boost_plan.h"
#include "boost/column_draws.h"
#include "boost/histogram/leaf_chooser.h"
#include "boost/histogram/node_scores.h"
#include "grow/feature_draw.h"

namespace treewright {

// `first`: the node of the left one. `draws` says which columns they may use.
inline std::vector<OpenLeaf> child_leaves(const OpenLeaf& parent, NodeId first, const BoostPlan& plan,
                                          const NodeScores& scores, ColumnDraws& draws) {
  std::vector<OpenLeaf> children(2);
  const double left_value = scores.value(parent.best.left, parent.bounds);
  const double right_value = scores.value(parent.sums - parent.best.left, parent.bounds);
  const int direction = direction_of(plan.monotone, parent.best.feature);
  for (std::uint32_t branch = 0; branch < 2; ++branch) {
    OpenLeaf& child = children[branch];
    child.node = first + static_cast<NodeId>(branch);
    child.depth = parent.depth + 1;
    child.key = child_key(parent.key, branch);
    child.sums = branch == 0 ? parent.best.left : parent.sums - parent.best.left;
    child.bounds = child_bounds(parent.bounds, direction, left_value, right_value, branch);
    child.hopeless = parent.hopeless;
    if (!plan.interactions.empty()) {
      child.path = parent.path;
      child.path.push_back(parent.best.feature);
    }
    child.columns = draws.columns(child.depth, child.key, child.path);
  }
  return children;
}

}  // namespace treewright
