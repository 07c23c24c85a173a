// ExactNode: a node of a growing tree of the exact method; OpenExactNode: what else is known while it may
// still be split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "boost/exact/single_newton.h"
#include "tree/code_route.h"

namespace treewright {

struct ExactNode {
  GradientSum sum;
  std::size_t rows = 0;
  float value = 0.0F;
  float gain_as_leaf = 0.0F;

  // The split. A leaf has no feature.
  float gain = 0.0F;
  FeatureId feature = kNoFeature;
  double threshold = 0.0;
  Code last_left = 0;  // codes of the dataset up to this one go left
  bool missing_left = true;
  NodeId first_child = kNoNode;  // a leaf whose split was pruned still knows its children

  bool is_leaf() const { return feature == kNoFeature; }
  // Where a code of the node's column goes.
  NodeId child_of(Code code) const {
    const CodeRoute route{missing_left ? 0U : 1U, last_left};
    return first_child + static_cast<NodeId>(route.branch(code));
  }
};

struct OpenExactNode {
  NodeId node = 0;
  std::size_t begin = 0, end = 0;  // its rows in NodeRows
  FloatBounds bounds = kAnyFloat;
  std::uint64_t key = 0;        // of random draws
  std::vector<FeatureId> path;  // columns that its ancestors cut; kept for interaction constraints only
  std::vector<char> may_cut;    // one flag per column; empty: all of the level
};

}  // namespace treewright
