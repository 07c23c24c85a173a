// SplitChoice: the best test of a column, and then of a node.
#pragma once

#include <limits>
#include <vector>

#include "base/types.h"
#include "boost/steps.h"

namespace treewright {

struct SplitChoice {
  double gain = -std::numeric_limits<double>::infinity();  // G²/(H + λ) of the sides minus the node's
  FeatureId feature = kNoFeature;
  bool is_subset = false;
  Code cut = 0;                // threshold: codes 1 ... cut go left
  std::vector<Code> named;     // subset: categories that go left, ascending; all others go right
  bool missing_right = false;  // where missing values go ...
  bool missing_known = false;  // ... if the node has some
  bool rows_counted = false;   // whether both sides are known to have enough rows
  StepSums left;

  explicit operator bool() const { return feature != kNoFeature; }
};

}  // namespace treewright
