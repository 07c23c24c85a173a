// What the engine knows about the tests of one node before one of them is chosen. Serves reports about a
// split and trees that are grown by hand. The search is that of growing, so the winner is the tree's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "criterion/summary.h"
#include "data/dataset.h"
#include "grow/plan.h"
#include "split/candidate.h"
#include "split/monotone.h"
#include "tree/tree.h"

namespace treewright {

// One node: its rows and what it inherits from the nodes above.
struct NodeQuery {
  std::span<const RowId> rows;
  std::span<const double> weights;      // one per listed row, shares included; empty means 1
  double total_weight = 0;              // of all rows of the tree
  std::span<const std::uint32_t> path;  // branches from the root to the node
  ValueBounds bounds;                   // set by monotone constraints above
  std::span<const FeatureId> features;  // columns to look at
  bool cuts = false;                    // every cut of a threshold test, not only the best
};

// The rows of one branch that took part in the comparison.
struct BranchFacts {
  std::size_t rows = 0;
  double weight = 0, loss = 0;
  std::vector<double> amounts;  // weight of each class, or the one value that a leaf would predict
};

// Every cut of a column, lowest first; where missing rows are tried on both sides, first those with the
// missing rows on the right.
struct CutCurve {
  std::vector<double> threshold, gain, left_weight;  // gains are totals, before any penalty
  std::vector<Code> order;  // of categories: along it the first `threshold` go left; 0: the rare ones as one
  std::vector<std::int64_t> left_rows;
  std::vector<std::uint8_t> missing_left, admissible;
};

struct FeatureFacts {
  Candidate best;
  bool drawn = true;  // among the features that the node looked at
  std::size_t n_values =
      0;  // different known values among the rows; counted for categories and where there is no test
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t n_children = 0;
  std::uint32_t missing = 0;  // branch of a missing value, or kEveryBranch or kStopHere
  BranchFacts known;          // all rows that are compared
  std::vector<BranchFacts> branches;
  std::vector<std::uint32_t> code_branches;  // of categories 1 ... n_codes; kStopHere without rows
  std::vector<std::uint32_t> table;          // of a test of categories, as a tree stores it
  double decrease = 0;                       // loss of the node minus the losses of its children
  CutCurve curve;
};

struct NodeCandidates {
  BranchFacts node;
  bool may_split = true;               // sizes and purity allow it; depth is the caller's business
  double average_gain = 0;             // of the tests that count, per unit of weight (C4.5)
  std::vector<FeatureFacts> features;  // in the order of the query
  std::vector<std::uint8_t> eligible;  // not below the average gain
  std::size_t winner = std::numeric_limits<std::size_t>::max();  // place in `features`
  std::vector<std::size_t> next;  // places of the other tests, best first; those that may not win come last
  Tree memory;                    // its candidate arrays: what a growing tree would remember of them
  bool accepted = false;          // the winner gains enough
};

NodeCandidates class_candidates(const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                                const NodeQuery& query, const GrowPlan& plan, Team& team);

NodeCandidates mean_candidates(const Dataset& data, std::span<const double> y, const NodeQuery& query,
                               const GrowPlan& plan, Team& team);

}  // namespace treewright
