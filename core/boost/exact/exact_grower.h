// ExactGrower: XGBoost's exact greedy algorithm (Chen & Guestrin 2016, algorithms 1 and 3), level by level,
// every cut between two values tried, then pruned from below. With equal gradients the trees equal those of
// the xgboost package (tree_method="exact"): same arithmetic (single_newton.h), same order of search and ties
// (cut_scan.h), same tests (float_threshold.h).
//
// Columns are sorted once. While a tree grows, the rows of every node stand together in the order of every
// column, so a level costs two passes over memory in order and one look-up of gradients per row and column.
// Nominal columns have no order and are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "boost/boost_grower.h"
#include "boost/boost_plan.h"
#include "boost/column_draws.h"
#include "boost/exact/cut_scan.h"
#include "boost/exact/exact_node.h"
#include "boost/exact/node_rows.h"
#include "boost/exact/single_newton.h"
#include "boost/exact/sorted_column.h"
#include "data/dataset.h"

namespace treewright {

class ExactGrower : public BoostGrower {
 public:
  // Columns in exact ranks. Throws std::invalid_argument for nominal columns and for limits that the method
  // does not have.
  ExactGrower(const Dataset& data, const BoostPlan& plan, Team& team);
  ExactGrower(const ExactGrower&) = delete;
  ExactGrower& operator=(const ExactGrower&) = delete;

  // A row that the round does not see, whose hessian is negative, or whose gradient and hessian are both 0,
  // takes no part. Gains are those of the package (BoostPlan::min_gain); Tree::loss is minus the gain
  // of a node as one leaf.
  BoostedTree grow(const Gradients& gradients, std::uint64_t round, std::size_t output) override;

  // In single precision: scores that start as floats stay what the package has.
  void add_step(std::span<const double> values, double* raw) override;

  LeafRows rows_by_leaf() const override;

  // The best test of every column at a node of the rows that `gradients` sees, as in growing; a leaf where a
  // column has none. `bounds`: the values that monotone constraints above the node allow.
  std::vector<ExactNode> candidates(const Gradients& gradients, const FloatBounds& bounds);

 private:
  void start(const Gradients& gradients, const FloatBounds& bounds = kAnyFloat);
  void find_cuts(std::int64_t depth);
  void search_column(FeatureId feature, std::int64_t depth, int worker);
  void apply_cuts();
  void set_test(ExactNode& node, const FoundCut& cut) const;
  void divide(std::int64_t depth);
  std::vector<OpenExactNode> add_children();
  void bound_children(std::vector<OpenExactNode>& children) const;
  bool is_split(const OpenExactNode& open) const {
    return !nodes_[static_cast<std::size_t>(open.node)].is_leaf();
  }
  bool may_split(const OpenExactNode& open) const;
  void mark_leaves(const std::vector<OpenExactNode>& leaves);
  void measure(ExactNode& node, const FloatBounds& bounds) const;

  const Dataset& data_;
  const BoostPlan plan_;  // with interaction groups that name every column
  Team& team_;
  const SingleNewton newton_;
  std::vector<SortedColumn> columns_;

  // The tree that grows.
  ColumnDraws draws_;
  NodeRows rows_;
  std::vector<ColumnOrder> orders_;
  std::vector<ExactNode> nodes_;
  std::vector<OpenExactNode> open_;
  std::vector<DividedNode> divided_;  // the nodes that were open one level above
  std::vector<NodeId> leaf_;          // the grown node of a row that has ended; after grow() its leaf
  std::size_t n_final_ = 1;           // nodes of the finished tree
  std::vector<FoundCut> best_;        // of the open nodes

  // Of one thread: the best cuts that it has seen, and scratch memory.
  struct Worker {
    explicit Worker(const CutScan& scan) : scan(scan) {}
    CutScan scan;
    std::vector<FoundCut> best;
    std::vector<RankedRow> spare;
  };
  std::vector<Worker> workers_;
};

}  // namespace treewright
