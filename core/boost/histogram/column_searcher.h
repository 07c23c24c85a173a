// ColumnSearcher: the best test of every column at the fresh leaves, and the best of them. Threads take
// groups of columns; what must be decided once is decided by one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "boost/boost_plan.h"
#include "boost/histogram/column_scan.h"
#include "boost/histogram/fresh_leaves.h"
#include "boost/histogram/growing_tree.h"
#include "boost/histogram/histogram_keeper.h"
#include "boost/histogram/node_scores.h"
#include "data/dataset.h"
#include "grow/tie_order.h"

namespace treewright {

template <class Ticks>
class ColumnSearcher {
 public:
  using Cell = typename Ticks::Cell;

  // `scores` and the keeper's histograms change from tree to tree.
  ColumnSearcher(const Dataset& data, const BoostPlan& plan, const NodeScores& scores,
                 HistogramKeeper<Ticks>& keeper, std::size_t most_members);

  // Of a new tree: whether hessians count rows, and the most ticks that a row's hessian has.
  void begin_tree(bool counts_rows, std::int64_t most_ticks);

  // Of new leaves; those that are searched know their sums.
  void begin(FreshLeaves<Ticks>& fresh) const;

  // Looks for tests of the columns of one group, whose cells are complete.
  void search_group(const ColumnGroup& group, FreshLeaves<Ticks>& fresh, std::size_t few_rows,
                    std::size_t member);

  // The best test of a fresh leaf. Of columns that gain the same the first in this order wins.
  SplitChoice best(std::size_t number, FreshLeaves<Ticks>& fresh, const GrowingTree& tree,
                   const TieOrder& order);

  // The column whose test is the best so far, or none.
  FeatureId leading(const LeafSearch& found, const OpenLeaf& leaf, const TieOrder& order) const;

  // Whether there can be any doubt in this tree.
  bool may_doubt() const { return plan_.min_rows_leaf > 1 && !counts_rows_; }

  // Whether the hessian of a column's test does not prove that both sides have enough rows, and nobody has
  // counted them.
  bool is_in_doubt(const LeafSearch& found, const OpenLeaf& leaf, FeatureId feature) const;

  // Ends the doubt by the rows of each code: the test stays, or the best one with enough rows takes its
  // place.
  void settle(std::size_t number, FreshLeaves<Ticks>& fresh, FeatureId feature,
              std::span<const std::uint32_t> counts);

  // The best test of every column at the first fresh leaf, which has its rows with it: what best() would
  // give, were there no other column.
  std::vector<SplitChoice> best_of_columns(FreshLeaves<Ticks>& fresh);

 private:
  // What one thread has to itself.
  struct Member {
    Member(const BoostPlan& plan, const NodeScores& scores) : scan(plan, scores) {}

    ColumnScan<Ticks> scan;
    CodeSet seen;
    std::vector<Cell> single;         // the cells of a column that shares a group
    std::vector<Cell> group;          // those of a group of sparse columns ...
    std::vector<std::uint32_t> rows;  // ... and their rows
    SmallSums<Ticks> few;
  };

  void search(const ColumnGroup& group, const GroupMember& member, std::size_t number,
              FreshLeaves<Ticks>& fresh, bool has_few_rows, Member& me);

  // The best test of a column that leaves enough rows on both sides.
  SplitChoice counted_best(std::size_t number, FreshLeaves<Ticks>& fresh, FeatureId feature,
                           std::span<const std::uint32_t> counts);

  // The columns of a group of sparse ones, from its cells.
  void search_sparse(const ColumnGroup& group, std::size_t number, FreshLeaves<Ticks>& fresh,
                     bool has_few_rows, Member& me);

  // The rows of a small node by their code of the group.
  void count_group(const ColumnGroup& group, const SmallNode<Ticks>& node, Member& me);

  // The same for a leaf of few rows, from their entries: columns without any have no test.
  void search_listed(const ColumnGroup& group, std::size_t number, FreshLeaves<Ticks>& fresh, Member& me);

  void search_entries(const ColumnGroup& group, const GroupMember& member,
                      std::span<const std::uint64_t> entries, std::size_t number, FreshLeaves<Ticks>& fresh,
                      Member& me);

  // The sums of a column's codes, or of its digits where rare categories share one, at a fresh leaf.
  const Cell* column_cells(const ColumnGroup& group, const GroupMember& member, std::size_t number,
                           FreshLeaves<Ticks>& fresh, Member& me);

  // The cells of a group of sparse columns at a fresh leaf.
  const Cell* group_cells(const ColumnGroup& group, std::size_t number, FreshLeaves<Ticks>& fresh,
                          Member& me);
  std::size_t number_of(const ColumnGroup& group) const;

  bool is_in_doubt(const OpenLeaf& leaf, const SplitChoice& choice) const;

  std::size_t least_rows() const { return static_cast<std::size_t>(plan_.min_rows_leaf); }

  static bool leaves_enough(std::span<const std::uint32_t> counts, const CodeTest& test, std::size_t least);

  const Dataset& data_;
  const BoostPlan& plan_;
  const NodeScores& scores_;
  HistogramKeeper<Ticks>& keeper_;
  std::vector<std::pair<std::size_t, std::size_t>> place_;  // of each column: group, member
  std::vector<std::unique_ptr<Member>> members_;

  // Of the tree.
  bool counts_rows_ = false;
  std::int64_t most_ticks_ = 1;  // of the largest gradient
  double min_hessian_ = 1;       // of a leaf, in ticks
};

extern template class ColumnSearcher<PackedTicks>;
extern template class ColumnSearcher<WideTicks>;

}  // namespace treewright
