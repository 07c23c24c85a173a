// BoostGrower: what the loop over rounds asks of whoever grows the trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "boost/boosted_tree.h"

namespace treewright {

// First and second derivatives of every row for one output, and which rows the round sees.
struct Gradients {
  std::span<const float> gradient;
  std::span<const float> hessian;
  bool equal_hessians = false;  // all the same
  std::span<const std::uint8_t>
      sample{};  // empty: all rows; else 0 = not seen, 1 = seen, 2 = counts `factor`
  float factor = 1;
  // With weights, and for few rows, the same in double precision for the sums of leaves, so that a weight of
  // 2 equals the row twice; otherwise empty.
  std::span<const double> whole_gradient = {};
  std::span<const double> whole_hessian = {};
  double chance_gain = 0;  // γ of this tree, where it is larger than that of the plan

  bool sees(std::size_t row) const { return sample.empty() || sample[row] != 0; }
  float times(std::size_t row) const { return !sample.empty() && sample[row] == 2 ? factor : 1.0F; }
};

class BoostGrower {
 public:
  virtual ~BoostGrower() = default;

  // The tree of one output in one round; both key its random draws.
  virtual BoostedTree grow(const Gradients& gradients, std::uint64_t round, std::size_t output) = 0;

  // Adds values[leaf] of the tree grown last to the score of every row, also of those that the round did not
  // see.
  virtual void add_step(std::span<const double> values, double* raw) = 0;

  // The rows of a leaf of the tree grown last, ascending, without those that the round did not see.
  virtual std::vector<RowId> rows_of(NodeId leaf) const = 0;
};

}  // namespace treewright
