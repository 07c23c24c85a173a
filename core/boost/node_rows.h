// NodeRows: the rows of a growing tree, those of a node together and ascending, whatever the number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "boost/exact_node.h"
#include "boost/gradient_sum.h"
#include "data/dataset.h"

namespace treewright {

class NodeRows {
 public:
  NodeRows(const Dataset& data, Team& team);

  // All rows that are in the sample, in one node. Returns their number.
  std::size_t start(std::span<const RowGradient> gradients);
  // One flag per row, empty when no row is left out.
  std::span<const std::uint8_t> in_sample() const { return in_sample_; }
  bool all_in_sample() const { return in_sample_.empty(); }

  // Sums of rows begin ... end - 1, in their order.
  GradientSum sum(std::span<const RowGradient> gradients, std::size_t begin, std::size_t end) const;

  // Divides the rows of all nodes that are split; returns for each of `open` how many go left. Rows of the
  // other nodes are lost. Afterwards goes_right() has a flag for every row that was divided.
  std::vector<std::size_t> divide(std::span<const OpenExactNode> open, std::span<const ExactNode> nodes);
  const std::uint8_t* goes_right() const { return goes_right_.data(); }

  // leaf[row] = node for rows begin ... end - 1.
  void mark(std::size_t begin, std::size_t end, NodeId node, std::vector<NodeId>& leaf) const;

 private:
  const Dataset& data_;
  Team& team_;
  std::vector<RowId> rows_, next_rows_;
  std::vector<std::uint8_t> goes_right_, in_sample_;
};

}  // namespace treewright
