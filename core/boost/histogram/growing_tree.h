// GrowingTree: the nodes of the tree that a booster is growing, their tests in terms of codes, and their
// rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/histogram/node_scores.h"
#include "boost/histogram/row_blocks.h"
#include "boost/histogram/row_exchange.h"
#include "boost/histogram/split_choice.h"
#include "data/dataset.h"
#include "tree/builder.h"

namespace treewright {

class GrowingTree {
 public:
  // `others`: holds the rows of other processes, or null. Throws std::invalid_argument where the rows do not
  // begin and end with blocks.
  GrowingTree(const Dataset& data, const RowExchange* others);

  // A new tree: a root without rows.
  void begin();

  // Turns a leaf into an inner node and returns its first child.
  NodeId split(NodeId node, const SplitChoice& choice);
  void set_missing(NodeId node, bool right);
  void set_bounds(NodeId node, const ValueBounds& bounds) { bounds_[index(node)] = bounds; }

  // Divides the rows that a block holds of a node among the node's children. Blocks are independent.
  void divide(NodeId node, std::size_t block, std::uint16_t* spare);
  void set_rows(NodeId node, std::size_t rows);
  // Whether a test would send at least so many of a node's rows to either side; looks no further than it
  // must.
  bool leaves_enough(NodeId node, const CodeTest& test, std::size_t least) const;
  // The rows of a node by the codes of a column.
  std::vector<std::uint32_t> count_codes(NodeId node, FeatureId feature) const;

  // Keeps some splits, parents first, as if they had been made in this order and no others. Returns their
  // nodes, the i-th of which has the children 2i + 1 and 2i + 2.
  std::vector<NodeId> keep_splits(const std::vector<NodeId>& splits, Team& team);

  std::size_t size() const { return tests_.size(); }

  // Among the rows and blocks of all processes.
  std::size_t n_all_rows() const { return n_all_rows_; }
  std::size_t n_all_blocks() const { return (n_all_rows_ + blocks_.block_rows() - 1) / blocks_.block_rows(); }
  std::size_t first_block() const { return first_row_ / blocks_.block_rows(); }
  std::size_t number_of(std::size_t row) const { return first_row_ + row; }

  RowBlocks& blocks() { return blocks_; }
  const RowBlocks& blocks() const { return blocks_; }
  LeafRanges& ranges() { return ranges_; }
  const LeafRanges& ranges() const { return ranges_; }

  // Sums of gradients and hessians themselves, not of ticks: they give the values. First make room, for the
  // blocks of all processes, then add block by block, in any order, then finish.
  void begin_sums();
  void add_sums(std::size_t block, const Gradients& gradients);
  std::span<double> sums() { return sums_; }
  // Splits whose gain is less than `min_gain` are undone where nothing below them is left.
  BoostedTree finish(const NodeScores& scores, double min_gain);

  // Of the finished tree: adds values[node] to the score of each row; the rows of its leaves.
  void add_step(std::span<const double> values, const Gradients& gradients, Team& team, double* raw) const;
  LeafRows rows_by_leaf() const;

 private:
  static std::size_t index(NodeId node) { return static_cast<std::size_t>(node); }
  bool is_leaf(std::size_t node) const { return tests_[node].feature == kNoFeature; }
  void add_to_unseen(std::span<const double> values, const Gradients& gradients, std::size_t block,
                     double* raw) const;
  Tree compacted();

  const Dataset& data_;
  std::size_t n_all_rows_, first_row_;
  RowBlocks blocks_;
  LeafRanges ranges_;
  TreeBuilder builder_;
  std::vector<CodeTest> tests_;      // by node
  std::vector<ValueBounds> bounds_;  // by node
  std::vector<double> sums_;         // by block and node: gradient, hessian
  std::vector<NodeId> first_child_;  // by node, of the finished tree
  std::vector<NodeId> final_;        // by node: its id in the finished tree, or none
};

}  // namespace treewright
