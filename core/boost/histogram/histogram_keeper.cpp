#include "boost/histogram/histogram_keeper.h"

#include <span>
#include <type_traits>

namespace treewright {

template <class Ticks>
HistogramKeeper<Ticks>::HistogramKeeper(const Dataset& data, const BoostPlan& plan, RowExchange* others,
                                        Team& team, std::size_t most_members)
    : data_(data),
      groups_(data, plan.share_codes && others == nullptr, plan.min_rows_category,
              std::is_same_v<Ticks, PackedTicks>
                  ? RowBlocks::rows_per_block(others == nullptr ? data.n_rows : others->n_rows())
                  : 0,
              others, team),
      records_(data, groups_, team),
      entries_(data, groups_) {
  for (std::size_t i = 0; i < most_members; ++i) {
    members_.push_back(std::make_unique<Member>(most_members == 1 ? 0 : groups_.n_cells(),
                                                groups_.n_short() * ColumnGroups::kNarrowStride));
  }
}

template <class Ticks>
std::size_t HistogramKeeper<Ticks>::acquire() {
  if (free_.empty()) {
    buffers_.emplace_back(kLead + groups_.n_cells());
    return buffers_.size() - 1;
  }
  const std::size_t last = free_.back();
  free_.pop_back();
  return last;
}

template <class Ticks>
void HistogramKeeper<Ticks>::release_all() {
  free_.clear();
  for (std::size_t i = buffers_.size(); i > 0; --i) free_.push_back(i - 1);
}

template <class Ticks>
void HistogramKeeper<Ticks>::move_short(Member& me, Cell* cells) {
  if constexpr (std::is_same_v<Ticks, PackedTicks>) {
    move_short_cells(me.short_cells.data(), me.short_cells.size(), cells);
  }
}

template <class Ticks>
void HistogramKeeper<Ticks>::begin_root(FreshLeaves<Ticks>& fresh, bool is_short, std::size_t n_members) {
  is_short_ = is_short;
  OpenLeaf& root = fresh.leaves.front();
  root.histogram = acquire();
  if (n_members == 1) clear(root.histogram);
  for (const auto& member : members_) {
    member->sums = {};
    member->rows = 0;
  }
}

template <class Ticks>
void HistogramKeeper<Ticks>::fill_root(std::size_t block, std::size_t member, std::size_t n_members,
                                       const Gradients& gradients, const Quantiser& quantiser,
                                       GrowingTree& tree, FreshLeaves<Ticks>& fresh) {
  Member& me = *members_[member];
  Cell* cells = n_members == 1 ? buffer(fresh.leaves.front().histogram) : me.cells.data();
  const std::size_t first = tree.blocks().first_row(block), end = tree.blocks().end_row(block);
  std::uint16_t* ids = tree.blocks().ids(block);
  const RowFiller<Ticks> filler(records_, groups_, cells, is_short_ ? me.short_cells.data() : nullptr);
  Cell sum{};
  std::size_t n = 0;
  for (std::size_t tile = first; tile < end; tile += kTileRows) {
    const std::size_t size = std::min(end - tile, kTileRows);
    const auto [g, h] = me.seen.of(gradients, tile, size);
    quantiser.ticks_of_rows(g, h, tree.number_of(tile), size, me.ticks.data());
    std::uint16_t* seen = me.ids.data();  // listed without a branch: which rows are seen is chance
    std::size_t n_seen = 0;
    for (std::size_t i = 0; i < size; ++i) {
      seen[n_seen] = static_cast<std::uint16_t>(i);
      n_seen += gradients.sees(tile + i) ? 1 : 0;
    }
    filler.add_new(tile, seen, n_seen, me.ticks.data());
    for (std::size_t i = 0; i < n_seen; ++i) {
      ids[n++] = static_cast<std::uint16_t>(tile - first + seen[i]);
      sum += Ticks::cell(me.ticks[seen[i]]);
    }
    for (std::size_t i = 0; i < n_seen && !entries_.empty(); ++i) {
      add_entries(tile + seen[i], Ticks::cell(me.ticks[seen[i]]), cells);
    }
  }
  if (is_short_) move_short(me, cells);
  tree.ranges().at(0, block) = {0, static_cast<std::uint32_t>(n)};
  me.sums = me.sums + Ticks::sums(sum);
  me.rows += n;
  me.has_filled = true;
}

template <class Ticks>
void HistogramKeeper<Ticks>::set_root_sums(FreshLeaves<Ticks>& fresh, std::size_t n_members) {
  OpenLeaf& root = fresh.leaves.front();
  for (std::size_t i = 0; i < n_members; ++i) {
    root.sums = root.sums + members_[i]->sums;
    root.rows += members_[i]->rows;
  }
}

template <class Ticks>
void HistogramKeeper<Ticks>::fill_small(FreshLeaves<Ticks>& fresh, GrowingTree& tree, WorkCounter& blocks,
                                        std::size_t member, std::size_t n_members) {
  const OpenLeaf& leaf = fresh.smaller();
  const bool alone =
      n_members == 1 || leaf.rows * groups_.n_dense() + entries_of_rows(leaf.rows) < kAloneWork;
  if (alone && member != 0) return;
  Member& me = *members_[member];
  Cell* cells = me.cells.data();
  if (n_members == 1) {
    clear(leaf.histogram);
    cells = buffer(leaf.histogram);
  }
  for (std::size_t block; (block = blocks.take()) < tree.blocks().n_blocks();) {
    const BlockRange range = tree.ranges().at(leaf.node, block);
    if (range.size() == 0) continue;
    const bool is_short = is_short_ && range.size() >= kShortRows;
    const RowFiller<Ticks> filler(records_, groups_, cells, is_short ? me.short_cells.data() : nullptr);
    const std::size_t first = tree.blocks().first_row(block);
    const std::uint16_t* ids = tree.blocks().ids(block) + range.begin;
    filler.add_rows(first, ids, range.size());
    for (std::size_t i = 0; i < range.size() && !entries_.empty(); ++i) {
      const std::uint8_t* record = records_.row(first + ids[i]);
      add_entries(first + ids[i], Ticks::cell(RowRecords<Ticks>::ticks(record, records_.stride())), cells);
    }
    if (is_short) move_short(me, cells);
    me.has_filled = true;
  }
}

template <class Ticks>
void HistogramKeeper<Ticks>::merge(std::size_t number, FreshLeaves<Ticks>& fresh, std::size_t n_members) {
  const ColumnGroup& group = groups_[number];
  Cell* small = buffer(fresh.smaller().histogram) + group.offset;
  if (fresh.by_columns) {
    std::fill_n(small, group.n_cells, Cell{});
    fresh.rows[fresh.small].fill(data_, group, number, records_, small);
  } else if (n_members > 1) {
    std::fill_n(small, group.n_cells, Cell{});
    for (std::size_t i = 0; i < n_members; ++i) {
      if (!members_[i]->has_filled) continue;
      Cell* part = members_[i]->cells.data() + group.offset;
      for (std::size_t c = 0; c < group.n_cells; ++c) {
        small[c] += part[c];
        part[c] = Cell{};  // ready for the next
      }
    }
  }
}

template <class Ticks>
void HistogramKeeper<Ticks>::subtract(std::size_t number, FreshLeaves<Ticks>& fresh) {
  if (fresh.is_root()) return;
  const ColumnGroup& group = groups_[number];
  const Cell* small = buffer(fresh.smaller().histogram) + group.offset;
  Cell* large = buffer(fresh.larger().histogram) + group.offset;
  for (std::size_t c = 0; c < group.n_cells; ++c) large[c] = large[c] - small[c];
}

template <class Ticks>
std::span<std::int64_t> HistogramKeeper<Ticks>::numbers(FreshLeaves<Ticks>& fresh) {
  static_assert(sizeof(Cell) % sizeof(std::int64_t) == 0);
  return {reinterpret_cast<std::int64_t*>(buffer(fresh.smaller().histogram)),
          groups_.n_cells() * sizeof(Cell) / sizeof(std::int64_t)};
}

template <class Ticks>
void HistogramKeeper<Ticks>::forget_filled() {
  for (const auto& member : members_) member->has_filled = false;
}

template class HistogramKeeper<PackedTicks>;
template class HistogramKeeper<WideTicks>;

}  // namespace treewright
