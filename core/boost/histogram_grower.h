// HistogramGrower: grows one boosted tree after the other on the same rows. All threads of the team run
// grow_together side by side and meet at barriers: divide rows, fill the smaller child's histogram, then,
// group by group of columns, merge, subtract and search. Nodes of few rows have no histogram and are counted
// while they are searched. Member 0 alone decides in between. Sums are whole numbers, so nobody can tell from
// the tree how many threads grew it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "base/spin_barrier.h"
#include "boost/boost_grower.h"
#include "boost/boost_plan.h"
#include "boost/column_draws.h"
#include "boost/column_groups.h"
#include "boost/column_scan.h"
#include "boost/gradient_sizes.h"
#include "boost/growing_tree.h"
#include "boost/histograms.h"
#include "boost/leaf.h"
#include "boost/quantise.h"
#include "boost/row_blocks.h"
#include "boost/row_records.h"
#include "boost/short_cells.h"
#include "boost/small_node.h"
#include "data/dataset.h"

namespace treewright {

template <class Steps>
class HistogramGrower : public BoostGrower {
 public:
  using Cell = typename Steps::Cell;

  HistogramGrower(const Dataset& data, const BoostPlan& plan, Team& team);

  BoostedTree grow(const Gradients& gradients, std::uint64_t round, std::size_t output) override;
  void add_step(std::span<const double> values, double* raw) override {
    tree_.add_step(values, gradients_, team_, raw);
  }
  std::vector<RowId> rows_of(NodeId leaf) const override { return tree_.rows_of(leaf); }

 private:
  // What one thread has to itself.
  struct Member {
    Member(const BoostPlan& plan, const NodeScores& scores, std::size_t n_cells, std::size_t n_short_cells)
        : cells(n_cells),
          short_cells(n_short_cells),
          spare(RowBlocks::kMostRows + kSpareIds),
          steps(kTile),
          gradients(kTile),
          hessians(kTile),
          scan(plan, scores) {}

    HugeArray<Cell> cells;             // what it has filled
    HugeArray<ShortCell> short_cells;  // of one block; empty again afterwards
    bool has_filled = false;
    std::vector<std::uint16_t> spare;
    std::vector<typename Steps::Stored> steps;
    std::vector<float> gradients, hessians;  // of a tile, where rows are drawn
    ColumnScan<Steps> scan;
    CodeSet seen;
    std::vector<Cell> single;  // the cells of a column that shares a group
    SmallSums<Steps> few;
    StepSums sums;
    std::size_t rows = 0;
  };

  // A counter from which the members take the blocks or groups of one phase.
  struct alignas(64) Counter {
    std::atomic<std::size_t> next{0};
    std::size_t take() { return next.fetch_add(1, std::memory_order_relaxed); }
    void reset() { next.store(0, std::memory_order_relaxed); }
  };

  static constexpr std::size_t kTile = 1024;            // rows rounded and filled together
  static constexpr std::size_t kAloneWork = 16 * 1024;  // additions that are not worth sharing
  static constexpr std::size_t kShortRows = 512;        // of a block, for which short cells pay
  // So many times few rows are counted by columns for the sake of a larger sibling: each column by one thread
  // that goes on to search it.
  static constexpr std::size_t kTimesFewRows = 3;

  void grow_together(std::size_t member, std::size_t n_members);

  // The root.
  std::pair<const float*, const float*> seen_gradients(std::size_t row, std::size_t n, Member& me) const;
  void measure(std::size_t block, Member& me);
  void set_units(std::size_t n_members);
  void move_short(Member& me, Cell* cells);
  void fill_root(std::size_t block, Cell* cells, Member& me);
  void open_root(std::size_t n_members);

  // Decisions, by member 0.
  void decide();
  double least_gain() const;
  std::size_t next_leaf() const;
  void mark_hopeless(OpenLeaf& leaf, const std::vector<SplitChoice>& candidates) const;
  SplitChoice chosen(std::size_t fresh);
  bool is_in_doubt(const OpenLeaf& leaf, const SplitChoice& choice) const;
  void begin_split(std::size_t leaf);
  void divide_alone();
  void count_children();
  bool may_split(const OpenLeaf& leaf) const;
  bool has_few_rows(const OpenLeaf& leaf) const { return leaf.rows <= plan_.few_rows; }
  void begin_search();

  // Shared by all.
  void fill_small(std::size_t member, std::size_t n_members);
  void search_group(std::size_t group, Member& me, std::size_t n_members);
  void complete_cells(std::size_t group, std::size_t n_members);
  const Cell* column_cells(std::size_t fresh, const ColumnGroup& group, const GroupMember& column,
                           Member& me);

  const Dataset& data_;
  const BoostPlan& plan_;
  Team& team_;
  ColumnGroups groups_;
  RowRecords<Steps> records_;
  Histograms<Cell> histograms_;
  ColumnDraws draws_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::pair<std::size_t, std::size_t>> place_;  // of each column: group, member; or none

  // The tree that is being grown.
  Gradients gradients_;
  double gamma_ = 0;
  std::uint64_t key_ = 0;
  NodeScores scores_;
  Quantiser quantiser_;
  std::int64_t most_steps_ = 1;       // of a row, so that sums of all rows fit
  std::int64_t round_steps_ = 1;      // of the largest gradient in this tree
  bool is_short_ = false;             // whether blocks are counted in short cells
  std::vector<GradientSizes> sizes_;  // by block
  double min_hessian_ = 1;            // of a leaf, in steps
  GrowingTree tree_;
  std::vector<OpenLeaf> open_;  // leaves with a histogram and a best split
  std::int64_t n_leaves_ = 0;
  SpinBarrier barrier_;
  Counter measured_, rooted_, divided_, filled_, searched_, renewed_;

  // The split that is being made.
  bool done_ = false;
  bool is_divided_ = false;  // and its children are known
  OpenLeaf parent_;
  std::vector<OpenLeaf> fresh_;  // one: the root; two: children, the smaller one first in `small_`
  std::size_t small_ = 0;
  std::array<bool, 2> searches_ = {};                 // which of them may be split ...
  std::array<ScanNode, 2> scanned_;                   // ... and what a search must know of them
  bool fills_ = false;                                // whether they have histograms
  bool by_columns_ = false;                           // filled while they are searched, not before
  std::array<SmallNode<Steps>, 2> few_;               // their rows, where they are few
  std::vector<std::vector<SplitChoice>> candidates_;  // of the fresh leaves, by column
};

extern template class HistogramGrower<PackedSteps>;
extern template class HistogramGrower<WideSteps>;

}  // namespace treewright
