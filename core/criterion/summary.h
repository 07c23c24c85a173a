// Summary: what a criterion knows about the rows of one node before it is split.
#pragma once

#include <cstddef>
#include <vector>

namespace treewright {

struct Summary {
  std::size_t rows = 0;
  double weight = 0;
  double loss = 0;             // total loss of the rows as one leaf
  bool pure = true;            // nothing is left to gain: one class, or one value of y
  std::vector<double> totals;  // one number per channel of the target
};

}  // namespace treewright
