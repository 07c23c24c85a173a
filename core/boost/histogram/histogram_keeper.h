// HistogramKeeper: the histograms of the growing tree. Fills them from rows, merges what threads have filled
// and subtracts the smaller child's from its parent's, which leaves the larger child's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/huge_array.h"
#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/boost_plan.h"
#include "boost/histogram/column_groups.h"
#include "boost/histogram/fill.h"
#include "boost/histogram/fresh_leaves.h"
#include "boost/histogram/growing_tree.h"
#include "boost/histogram/quantise.h"
#include "boost/histogram/row_entries.h"
#include "boost/histogram/row_exchange.h"
#include "boost/histogram/row_records.h"
#include "data/dataset.h"

namespace treewright {

// A counter from which threads take the blocks or groups of one phase.
struct alignas(64) WorkCounter {
  std::atomic<std::size_t> next{0};
  std::size_t take() { return next.fetch_add(1, std::memory_order_relaxed); }
  void reset() { next.store(0, std::memory_order_relaxed); }
};

template <class Ticks>
class HistogramKeeper {
 public:
  using Cell = typename Ticks::Cell;

  // `others`: holds the rows of other processes, or null: all rows are here. `most_members`: threads that
  // fill.
  HistogramKeeper(const Dataset& data, const BoostPlan& plan, RowExchange* others, Team& team,
                  std::size_t most_members);

  const ColumnGroups& groups() const { return groups_; }
  RowRecords<Ticks>& records() { return records_; }
  const RowEntries& entries() const { return entries_; }

  // Lends a buffer whose cells hold anything, and takes it back.
  std::size_t acquire();
  void release(std::size_t histogram) { free_.push_back(histogram); }
  void release_all();

  // The root: every row of a block gets its ticks, the tree the rows that the round sees, the root their
  // sums. `is_short`: ticks are so few that blocks may be counted in short cells.
  void begin_root(FreshLeaves<Ticks>& fresh, bool is_short, std::size_t n_members);
  void fill_root(std::size_t block, std::size_t member, std::size_t n_members, const Gradients& gradients,
                 const Quantiser& quantiser, GrowingTree& tree, FreshLeaves<Ticks>& fresh);
  void set_root_sums(FreshLeaves<Ticks>& fresh, std::size_t n_members);

  // The smaller child, from the rows of the blocks that a thread takes.
  void fill_small(FreshLeaves<Ticks>& fresh, GrowingTree& tree, WorkCounter& blocks, std::size_t member,
                  std::size_t n_members);
  // The cells of one group: what threads have filled becomes the root's or the smaller child's, which are
  // subtracted from the parent's.
  void merge(std::size_t group, FreshLeaves<Ticks>& fresh, std::size_t n_members);
  void subtract(std::size_t group, FreshLeaves<Ticks>& fresh);
  void forget_filled();

  // All cells of the root or the smaller child as whole numbers, for the way to other processes.
  std::span<std::int64_t> numbers(FreshLeaves<Ticks>& fresh);
  // The cells of a leaf with a histogram.
  const Cell* cells(const OpenLeaf& leaf, const ColumnGroup& group) {
    return buffer(leaf.histogram) + group.offset;
  }

 private:
  // What one thread has to itself.
  struct Member {
    HugeArray<Cell> cells;             // what it has filled
    HugeArray<ShortCell> short_cells;  // of one block; empty again afterwards
    bool has_filled = false;
    SeenGradients seen;
    std::vector<typename Ticks::Stored> ticks;
    std::vector<std::uint16_t> ids;  // of the rows of a tile that the round sees
    TickSums sums;                   // of the root's rows
    std::size_t rows = 0;

    Member(std::size_t n_cells, std::size_t n_short_cells)
        : cells(n_cells), short_cells(n_short_cells), ticks(kTileRows), ids(kTileRows) {}
  };

  // The first cells are never used: a column without missing values is read as if its cells began one
  // earlier.
  static constexpr std::size_t kLead = 8;
  static constexpr std::size_t kAloneWork = 16 * 1024;  // additions that are not worth sharing
  static constexpr std::size_t kShortRows = 512;        // of a block, for which short cells pay

  Cell* buffer(std::size_t histogram) { return buffers_[histogram].data() + kLead; }
  void clear(std::size_t histogram) { std::fill_n(buffer(histogram), groups_.n_cells(), Cell{}); }
  void move_short(Member& me, Cell* cells);
  // About how many entries so many rows have.
  std::size_t entries_of_rows(std::size_t rows) const {
    return entries_.size() / std::max<std::size_t>(data_.n_rows, 1) * rows;
  }
  void add_entries(std::size_t row, const Cell& value, Cell* cells) const {
    for (const std::uint32_t cell : entries_.of(row)) cells[cell] += value;
  }

  const Dataset& data_;
  ColumnGroups groups_;
  RowRecords<Ticks> records_;
  RowEntries entries_;
  std::vector<HugeArray<Cell>> buffers_;
  std::vector<std::size_t> free_;
  std::vector<std::unique_ptr<Member>> members_;
  bool is_short_ = false;
};

extern template class HistogramKeeper<PackedTicks>;
extern template class HistogramKeeper<WideTicks>;

}  // namespace treewright
