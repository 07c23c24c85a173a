// HistogramGrower: grows one boosted tree after the other on the same rows. All threads of the team run
// grow_together side by side and meet at barriers: divide rows, fill the smaller child's histogram, then,
// group by group of columns, merge, subtract and search. Nodes of few rows have no histogram and are counted
// while they are searched. Member 0 alone decides in between. Sums are whole numbers, so nobody can tell from
// the tree how many threads grew it. Where rows are in several processes, see shared_grower.h.
//
// The keeper has the histograms, the searcher looks for tests in them, the chooser says which leaf is next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/barrier.h"
#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/boost_plan.h"
#include "boost/column_draws.h"
#include "boost/histogram/column_searcher.h"
#include "boost/histogram/fresh_leaves.h"
#include "boost/histogram/growing_tree.h"
#include "boost/histogram/histogram_keeper.h"
#include "boost/histogram/leaf_chooser.h"
#include "boost/histogram/quantise.h"
#include "data/dataset.h"

namespace treewright {

template <class Ticks>
class HistogramGrower : public BoostGrower {
 public:
  // `most_members`: threads that will grow a tree together; 1 for a grower that a thread has to itself.
  HistogramGrower(const Dataset& data, const BoostPlan& plan, Team& team, std::size_t most_members);
  HistogramGrower(const Dataset& data, const BoostPlan& plan, Team& team)
      : HistogramGrower(data, plan, team, static_cast<std::size_t>(team.size())) {}

  BoostedTree grow(const Gradients& gradients, std::uint64_t round, std::size_t output) override;
  void add_step(std::span<const double> values, double* raw) override {
    tree_.add_step(values, gradients_, team_, raw);
  }
  LeafRows rows_by_leaf() const override { return tree_.rows_by_leaf(); }

  // The best test of every column at a node of a tree of this round, from the rows of the node: by the same
  // ticks and the same search as in growing. Columns without a test have no feature; none of them has one
  // where the node is too small. `bounds`: the values that monotone constraints above the node allow.
  std::vector<SplitChoice> candidates(const Gradients& gradients, std::uint64_t round, std::size_t output,
                                      std::span<const RowId> rows, const ValueBounds& bounds);

 private:
  // So many times few rows are counted by columns for the sake of a larger sibling: each column by one thread
  // that goes on to search it.
  static constexpr std::size_t kTimesFewRows = 3;

  void begin_tree(const Gradients& gradients, std::uint64_t round, std::size_t output);
  void grow_together(std::size_t member, std::size_t n_members);

  // The root.
  void measure(std::size_t block, std::size_t member);
  void set_units(std::size_t n_members);
  void open_root(std::size_t n_members);

  // Decisions, by member 0.
  void decide();
  void dismiss_if_crowded();
  void begin_split();
  void divide_alone();
  void count_children();
  void begin_search();
  bool has_few_rows(const OpenLeaf& leaf) const { return leaf.rows <= few_rows_; }

  const Dataset& data_;
  const BoostPlan& plan_;
  Team& team_;
  std::size_t few_rows_;         // few rows are searched without a histogram
  std::int64_t most_ticks_ = 1;  // of a row, so that sums of all rows fit
  ColumnDraws draws_;
  GrowingTree tree_;
  NodeScores scores_;
  HistogramKeeper<Ticks> keeper_;
  ColumnSearcher<Ticks> searcher_;
  LeafChooser chooser_;

  // What one thread has to itself.
  struct Member {
    std::vector<std::uint16_t> spare;
    SeenGradients seen;
  };
  std::vector<Member> members_;

  // The tree that is being grown.
  Gradients gradients_;
  std::uint64_t key_ = 0;
  Quantiser quantiser_;
  std::vector<GradientSizes> sizes_;  // by block
  Barrier barrier_;
  WorkCounter measured_, rooted_, divided_, filled_, searched_, renewed_;

  // What member 0 knows of the threads that grow the tree.
  Team::Clock::time_point began_;
  Team::Clock::duration slept_{};
  bool is_dismissed_ = false;  // the others have left

  // The split that is being made.
  bool done_ = false;
  bool is_divided_ = false;  // and its children are known
  OpenLeaf parent_;
  FreshLeaves<Ticks> fresh_;
};

extern template class HistogramGrower<PackedTicks>;
extern template class HistogramGrower<WideTicks>;

}  // namespace treewright
