// Pruner: one bottom-up run of pessimistic pruning. Sends the rows down the tree, and on the way up replaces
// nodes by leaves or by their largest branch. Frames instead of recursion: depth does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"
#include "prune/estimates.h"
#include "prune/pessimistic.h"
#include "prune/raised_branch.h"
#include "prune/row_pile.h"
#include "prune/row_router.h"
#include "tree/tree.h"

namespace treewright {

class Pruner {
 public:
  // Everything has been checked and stays with the caller; the tree is edited.
  Pruner(Tree& tree, const Dataset& data, std::span<const std::int32_t> labels, std::size_t n_classes,
         std::span<const double> weights, const PessimisticPlan& plan, Team& team);

  // Afterwards nodes keep their ids, and rows, weight, value, loss and gain are those of the pruned tree.
  void run();

 private:
  // A node whose children are being pruned.
  struct Frame {
    std::size_t node;
    RowRange rows;
    double as_leaf;          // estimated errors of the node as a leaf
    double as_tree = 0;      // of its children so far
    std::uint32_t next = 0;  // the branch to open next
    std::uint32_t largest = 0;
    double known = 0;         // weight of rows that take one branch
    std::size_t bounds = 0;   // where its bounds begin in bounds_
    std::size_t weights = 0;  // where the weights of its branches begin in branch_weights_
  };

  void open(std::size_t node, RowRange rows);
  void split(Frame& frame);
  void open_branch(Frame& frame);
  void close(Frame& frame);
  void raise(Frame& frame);
  void finish(double errors);
  void leave_empty(std::size_t node);

  RowRange bucket(const Frame& frame, std::size_t b) const {
    return {bounds_[frame.bounds + b], bounds_[frame.bounds + b + 1]};
  }
  RowRange shared(const Frame& frame) const { return bucket(frame, router_.shared_bucket(frame.node)); }
  double share(const Frame& frame, std::uint32_t branch) const;
  double raised_errors(const Frame& frame);

  void write_numbers();
  void fill_empty_leaves();

  Tree& tree_;
  const std::span<const std::int32_t> labels_;
  const PessimisticPlan& plan_;
  Team& team_;
  RowRouter router_;
  RowPile pile_;
  Estimates estimates_;
  RaisedBranch raised_branch_;
  std::vector<std::uint8_t> moved_;  // the node was raised, or lies below one that was
  std::vector<Frame> frames_;
  std::vector<std::size_t> bounds_;
  std::vector<double> branch_weights_;
};

}  // namespace treewright
