// Split info (intrinsic value): the entropy of the branch sizes, in bits, times the weight of the node.
#pragma once

#include "criterion/entropy.h"

namespace treewright {

class BranchInfo {
 public:
  void add(double weight) {
    if (!(weight > 0)) return;
    weight_ += weight;
    sum_ += x_log2_x(weight);
  }
  double total() const { return x_log2_x(weight_) - sum_; }

 private:
  double weight_ = 0, sum_ = 0;
};

}  // namespace treewright
