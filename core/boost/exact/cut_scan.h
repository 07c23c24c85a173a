// CutScan: the best cut of one column in one node, tried between any two neighbouring values, from the
// smallest value up (missing values go right) and from the largest down (missing values go left).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "boost/exact/single_newton.h"
#include "boost/exact/sorted_column.h"

namespace treewright {

// Between which values of the column a node is cut.
struct FoundCut {
  static constexpr std::uint32_t kNoRank = 0xFFFFFFFFU;

  float gain = 0.0F;  // only cuts that gain something are found
  FeatureId feature = kNoFeature;
  std::uint32_t below = kNoRank;  // the largest value that goes left; none: all of them go right
  std::uint32_t above = kNoRank;  // the smallest value that goes right; none: all of them go left
  bool missing_left = true;
  std::size_t place = 0;  // of the column in the node's order (grow/tie_order.h)

  // Larger gain, then lower place: when columns are searched does not matter.
  bool beats(const FoundCut& other) const {
    return gain > other.gain || (gain == other.gain && place < other.place);
  }
};

struct NodeToScan {
  GradientSum sum;
  float gain = 0.0F;  // of the node as one leaf
  std::size_t rows = 0;
  FloatBounds bounds = kAnyFloat;
};

// What does not change from node to node of a column. Every thread has one of its own.
class CutScan {
 public:
  CutScan(const SingleNewton& newton, std::size_t min_rows)
      : newton_(newton),
        min_rows_(min_rows),
        fetched_(kBlock),
        gradients_(kBlock),
        hessians_(kBlock),
        places_(kBlock),
        gains_(kBlock) {}

  // `rows`: those of the node with a known value, ascending; `gradients` by place. The first of the cuts with
  // the largest gain; up before down. `direction`: -1, 0 or 1.
  FoundCut best(std::span<const RankedRow> rows, const RowGradient* gradients, const NodeToScan& node,
                bool up_too, int direction);

 private:
  static constexpr std::size_t kBlock = 512;

  template <bool kUp>
  void scan(std::span<const RankedRow> rows, const RowGradient* gradients, const NodeToScan& node,
            int direction, FoundCut* best);
  void work_out_gains(std::size_t n, const NodeToScan& node, bool up, int direction);
  bool allows(const GradientSum& passed, const GradientSum& others) const {
    return passed.hessian >= newton_.min_hessian() && others.hessian >= newton_.min_hessian();
  }

  SingleNewton newton_;
  std::size_t min_rows_;
  std::vector<RowGradient> fetched_;  // of the rows of a block
  // The cuts of a block: sums of the rows before it, the row behind it, the gain.
  std::vector<double> gradients_, hessians_;
  std::vector<std::uint32_t> places_;
  std::vector<float> gains_;
};

}  // namespace treewright
