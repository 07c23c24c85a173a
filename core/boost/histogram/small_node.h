// SmallNode: the rows of a node that has few of them. The sums of a column's codes are added up straight from
// the rows: clearing a histogram of all columns, subtracting it and looking through it would take longer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/radix_sort.h"
#include "base/types.h"
#include "boost/histogram/column_groups.h"
#include "boost/histogram/growing_tree.h"
#include "boost/histogram/row_entries.h"
#include "boost/histogram/row_records.h"
#include "data/dataset.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace treewright {

// Which codes of a column of at most 255 the rows of a node have, and how many rows each. In nodes of few
// rows making this list takes less time than looking through all cells for those that are not empty.
class CodeSet {
 public:
  static constexpr Code kMostCodes = 255;
  static bool pays(std::size_t rows, Code n_codes) { return n_codes <= kMostCodes && 2 * rows < n_codes; }

  void clear() { std::memset(rows_, 0, sizeof rows_); }
  void add(std::uint8_t code) { ++rows_[code]; }
  void add(std::uint8_t code, std::size_t times) {
    rows_[code] = static_cast<std::uint8_t>(rows_[code] + times);
  }
  std::size_t rows(Code code) const { return rows_[code]; }

  // Writes the codes, ascending, those of missing values left out; returns how many.
  std::size_t list(Code* codes) const {
    std::size_t n = 0;
    for (Code first = 0; first < 256; first += 64) {
      std::uint64_t bits = first == 0 ? ~std::uint64_t{1} : ~std::uint64_t{0};
      bits &= has_rows(first) | has_rows(first + 16) << 16 | has_rows(first + 32) << 32 |
              has_rows(first + 48) << 48;
      for (; bits != 0; bits &= bits - 1) codes[n++] = first + static_cast<Code>(std::countr_zero(bits));
    }
    return n;
  }

 private:
  // Of sixteen codes, a bit for each that has rows.
  std::uint64_t has_rows(Code first) const {
#if defined(__x86_64__)
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows_ + first));
    const int empty = _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, _mm_setzero_si128()));
    return static_cast<std::uint64_t>(empty ^ 0xFFFF);
#else
    std::uint64_t bits = 0;
    for (Code i = 0; i < 16; ++i) bits |= std::uint64_t{rows_[first + i] != 0} << i;
    return bits;
#endif
  }

  std::uint8_t rows_[256] = {};  // of a small node, so that none has more than 255
};

template <class Ticks>
struct SmallNode {
  std::vector<RowId> rows;
  std::vector<typename Ticks::Cell> ticks;  // of each row
  std::vector<std::uint64_t> entries;       // of sparse columns, by cell: cell, place of the row

  void gather(const GrowingTree& tree, NodeId node, RowRecords<Ticks>& records, const RowEntries& of_rows) {
    rows.clear();
    ticks.clear();
    const RowBlocks& blocks = tree.blocks();
    for (std::size_t block = 0; block < blocks.n_blocks(); ++block) {
      const BlockRange range = tree.ranges().at(node, block);
      const std::size_t first = blocks.first_row(block);
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const std::size_t row = first + blocks.ids(block)[i];
        rows.push_back(static_cast<RowId>(row));
        ticks.push_back(Ticks::cell(RowRecords<Ticks>::ticks(records.row(row), records.stride())));
      }
    }
    if (!of_rows.empty()) sort_entries(of_rows);
  }

  static std::size_t cell_of(std::uint64_t entry) { return entry >> 32; }
  static std::size_t place_of(std::uint64_t entry) { return entry & 0xFFFFFFFFU; }

  // The entries of a group of sparse columns.
  std::span<const std::uint64_t> entries_of(const ColumnGroup& group) const {
    const auto at = [&](std::size_t cell) {
      return std::lower_bound(entries.begin(), entries.end(), std::uint64_t{cell} << 32);
    };
    const auto begin = at(group.offset), end = at(group.offset + group.n_cells);
    return {entries.data() + (begin - entries.begin()), static_cast<std::size_t>(end - begin)};
  }

  // Adds the rows to the cells of a group of columns.
  void fill(const Dataset& data, const ColumnGroup& group, std::size_t number, RowRecords<Ticks>& records,
            typename Ticks::Cell* cells) const {
    if (group.is_sparse) {
      for (const std::uint64_t entry : entries_of(group)) {
        cells[cell_of(entry) - group.offset] += ticks[place_of(entry)];
      }
      return;
    }
    const GroupMember& first = group.members.front();
    if (group.is_single() && !first.merges_rare()) {
      visit_codes(data.column(first.column), [&](const auto* codes) {
        typename Ticks::Cell* of_code = cells - first.first;
        for (std::size_t i = 0; i < rows.size(); ++i) of_code[codes[rows[i]]] += ticks[i];
      });
      return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      cells[records.code(records.row(rows[i]), number)] += ticks[i];
    }
  }

  void find_codes(const std::uint8_t* codes, CodeSet& seen) const {
    seen.clear();
    for (const RowId row : rows) seen.add(codes[row]);
  }

 private:
  void sort_entries(const RowEntries& of_rows) {
    keys_.clear();
    std::uint32_t lowest = 0xFFFFFFFFU, highest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const std::uint32_t cell : of_rows.of(rows[i])) {
        keys_.push_back(std::uint64_t{cell} << 32 | i);
        lowest = std::min(lowest, cell);
        highest = std::max(highest, cell);
      }
    }
    spare_.resize(keys_.size());
    entries.clear();
    if (keys_.empty()) return;
    const std::uint64_t* sorted = radix_sort(keys_.data(), spare_.data(), keys_.size(), 32,
                                             32 + static_cast<int>(std::bit_width(lowest ^ highest)));
    entries.assign(sorted, sorted + keys_.size());
  }

  std::vector<std::uint64_t> keys_, spare_;
};

// The sums of one column's codes at a small node. One per thread.
template <class Ticks>
class SmallSums {
 public:
  using Cell = typename Ticks::Cell;

  // Sums by code, or by digit where rare categories share one; valid until the next call.
  const Cell* add_up(const SmallNode<Ticks>& node, const Column& column, const GroupMember& member) {
    visit_codes(column, [&](const auto* codes) {
      if (member.merges_rare()) {
        add_up(node, [&](RowId row) { return std::size_t{member.digit(codes[row])}; }, member.size);
      } else {
        add_up(node, [codes](RowId row) { return std::size_t{codes[row]}; }, column.n_codes);
      }
    });
    return cells_.data();
  }

 private:
  template <class CellOf>
  void add_up(const SmallNode<Ticks>& node, CellOf cell_of, std::size_t last) {
    if (cells_.size() <= last) cells_.resize(last + 1);
    Cell* cells = cells_.data();
    std::memset(static_cast<void*>(cells), 0, (last + 1) * sizeof(Cell));
    for (std::size_t i = 0; i < node.rows.size(); ++i) cells[cell_of(node.rows[i])] += node.ticks[i];
  }

  std::vector<Cell> cells_;
};

}  // namespace treewright
