// NodeRows: the rows of a growing tree with their gradients, those of a node together and ascending, whatever
// the number of threads. A row's place changes from level to level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "boost/boost_grower.h"
#include "boost/exact/exact_node.h"
#include "boost/exact/single_newton.h"
#include "data/dataset.h"

namespace treewright {

// What became of a node's rows: those of the left child end, and those of the right one begin, at `middle`.
struct DividedNode {
  std::size_t middle = 0;
  bool keeps_left = false, keeps_right = false;  // whether the child may still be split
};

class NodeRows {
 public:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;

  NodeRows(const Dataset& data, Team& team);

  // All rows that take part, in one node. Returns their number.
  std::size_t start(const Gradients& gradients);
  // The first place of every row, kNowhere for those that take no part; empty: the row itself.
  std::span<const std::uint32_t> first_place() const { return first_place_; }
  bool takes_part(std::size_t row) const { return first_place_.empty() || first_place_[row] != kNowhere; }

  const RowGradient* gradients() const { return gradients_.data(); }
  // Sums of places begin ... end - 1, in their order.
  GradientSum sum(std::size_t begin, std::size_t end) const;

  // Divides the rows of all nodes that are split; the children take the places of their parent. Rows of the
  // other nodes are lost.
  std::vector<DividedNode> divide(std::span<const OpenExactNode> open, std::span<const ExactNode> nodes);
  // By the place before the last division.
  const std::uint32_t* new_place() const { return new_place_.data(); }

  // leaf[row] = node for the rows at begin ... end - 1.
  void mark(std::size_t begin, std::size_t end, NodeId node, std::vector<NodeId>& leaf) const;

 private:
  const Dataset& data_;
  Team& team_;
  std::vector<RowId> rows_, next_rows_;
  std::vector<RowGradient> gradients_, next_gradients_;
  std::vector<std::uint32_t> first_place_, new_place_;
};

}  // namespace treewright
