// Surrogates (Breiman et al. 1984): tests of other columns that imitate a node's own test. They are asked,
// best first, where the value that the node tests is missing.
//
// What counts as a good imitation is rpart's rule, so that trees can be compared:
//   agreement    weight of the rows that both tests send the same way / weight of all rows that the node's
//   test sends.
//                A row that lacks the surrogate's value does not agree.
//   worth it     more agreement than sending every row to the larger branch, and at least two rows each way.
//   thresholds   either side of the cut may be branch 0; of equal cuts the lowest is kept.
//   categories   each follows most of its weight; where that is equal, or where no row shows it, the larger
//   branch. columns      of equal agreement the first one stands first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"
#include "grow/plan.h"
#include "split/cursors.h"
#include "tree/builder.h"
#include "tree/code_route.h"
#include "tree/tree.h"

namespace treewright {

// The rows of a node and the branches that its own test sends them to.
struct RowBranches {
  static constexpr std::uint8_t kUnknown = 2;  // the value is missing

  const RowId* rows = nullptr;
  std::vector<std::uint8_t> branch;  // 0, 1 or kUnknown
  std::vector<double> weight;
  double branch_weight[2] = {0, 0};

  std::size_t size() const { return branch.size(); }
  double sent_weight() const { return branch_weight[0] + branch_weight[1]; }
  // Equal sides: branch 1, as for missing values without surrogates.
  std::uint32_t larger() const { return branch_weight[0] > branch_weight[1] ? 0 : 1; }
};

struct Surrogate {
  FeatureId feature = kNoFeature;
  NodeKind kind = NodeKind::kLeaf;  // kLeaf: the column offers none
  Code cut = 0;                     // threshold: the last code below
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::uint32_t> table;  // subset: see tree/table.h
  bool flip = false;                 // branch 0 and 1 change places
  double agreement = 0;

  bool valid() const { return kind != NodeKind::kLeaf; }
  // Branch of a known code, by the same look-up as in prediction.
  std::uint32_t branch(Code code) const {
    const std::uint32_t side =
        kind == NodeKind::kThreshold ? branch_at_cut(code, cut) : branch_of(table.data(), code);
    return side ^ static_cast<std::uint32_t>(flip);
  }
};

class SurrogateFinder {
 public:
  SurrogateFinder(const Dataset& data, const GrowPlan& plan, Team& team)
      : data_(data), plan_(plan), team_(team), scratch_(static_cast<std::size_t>(team.size())) {}

  // Only binary nodes have surrogates.
  bool wanted() const {
    return plan_.missing == MissingRule::kSurrogate && plan_.surrogates > 0 &&
           plan_.categories == CategoryGrouping::kSubset;
  }

  // The best plan.surrogates columns, best first. May be called inside a loop of the team as well.
  std::vector<Surrogate> find(const RowBranches& rows, FeatureId own_feature);

  // The best imitation that one column offers.
  Surrogate best_of(const RowBranches& rows, FeatureId feature, int worker);

  // Sends the rows whose branch is unknown: the first surrogate whose value is known decides, else the larger
  // branch.
  void send_unknown(std::span<const Surrogate> surrogates, RowBranches& rows) const;

 private:
  // What the rows with one code weigh, by the branch that the node's own test sends them to.
  struct Tally {
    Code code = kMissing;
    std::uint32_t rows = 0;
    double weight[2] = {0, 0};
  };
  struct Scratch {
    std::vector<Tally> by_code, tallies;
    std::vector<std::uint64_t> keys, other_keys;
  };

  static void tally_by_table(const Column& column, const RowBranches& rows, Scratch& scratch);
  static void tally_by_sort(const Column& column, const RowBranches& rows, Scratch& scratch);
  Surrogate best_threshold(const Column& column, const RowBranches& rows,
                           std::span<const Tally> tallies) const;
  static Surrogate best_subset(const RowBranches& rows, std::span<const Tally> tallies);

  const Dataset& data_;
  const GrowPlan& plan_;
  Team& team_;
  std::vector<Scratch> scratch_;  // one per thread
};

// While a tree grows, its surrogates stand in the order in which nodes were split, which is the order of
// their first children; every split must be followed by one call, surrogates or not.
void append_surrogates(TreeBuilder& builder, std::span<const Surrogate> surrogates);

// Brings the surrogates of a grown tree into the order of its nodes.
void order_surrogates_by_node(Tree& tree);

}  // namespace treewright
