// Filling a histogram from row records: the loop in which boosting spends most of its time.
//
// Cells of 8 bytes outgrow the nearest cache with a dozen columns. A block's rows are therefore counted in
// short cells first, as far as no sum can outgrow them, and those are added to the histogram block by block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/processor.h"
#include "boost/histogram/column_groups.h"
#include "boost/histogram/row_records.h"
#include "boost/histogram/ticks.h"

namespace treewright {

// Sums of packed ticks in 32 bits, the gradient in the upper half and the hessian in the lower one. They hold
// the rows of one block: rows with the same code times the largest number of ticks must stay below 2¹⁵.
using ShortCell = PackedTicks::Stored;  // a row's ticks are a sum of one

// The most ticks a row may have when so many can meet in a cell; rounding may add one.
inline std::int64_t most_short_ticks(std::size_t rows_per_code) {
  return std::numeric_limits<std::int16_t>::max() / static_cast<std::int64_t>(rows_per_code) - 1;
}

// Adds short cells to a histogram's and clears them.
void move_short_cells(ShortCell* from, std::size_t n, PackedTicks::Cell* to);

namespace filling {

// Eight codes of a byte each, read as one word.
template <class Cell>
TREEWRIGHT_INLINE void add_word(std::uint64_t codes, Cell* cells, const Cell& value) {
  constexpr std::size_t kStride = ColumnGroups::kNarrowStride;
  cells[0 * kStride + (codes & 0xFF)] += value;
  cells[1 * kStride + ((codes >> 8) & 0xFF)] += value;
  cells[2 * kStride + ((codes >> 16) & 0xFF)] += value;
  cells[3 * kStride + ((codes >> 24) & 0xFF)] += value;
  cells[4 * kStride + ((codes >> 32) & 0xFF)] += value;
  cells[5 * kStride + ((codes >> 40) & 0xFF)] += value;
  cells[6 * kStride + ((codes >> 48) & 0xFF)] += value;
  cells[7 * kStride + (codes >> 56)] += value;
}

// The codes of n narrow groups; `cells` begins with those of the first.
template <class Cell>
TREEWRIGHT_INLINE void add_narrow(const std::uint8_t* codes, std::size_t n, Cell* cells, const Cell& value) {
  constexpr std::size_t kStride = ColumnGroups::kNarrowStride;
  std::size_t g = 0;
  if constexpr (std::endian::native == std::endian::big) {  // a word would have the codes in reverse
    for (; g < n; ++g, cells += kStride) cells[codes[g]] += value;
    return;
  }
  for (; g + 8 <= n; g += 8, cells += 8 * kStride) {
    std::uint64_t word;
    std::memcpy(&word, codes + g, 8);
    add_word(word, cells, value);
  }
  if (g + 4 <= n) {
    std::uint32_t word;
    std::memcpy(&word, codes + g, 4);
    cells[0 * kStride + (word & 0xFF)] += value;
    cells[1 * kStride + ((word >> 8) & 0xFF)] += value;
    cells[2 * kStride + ((word >> 16) & 0xFF)] += value;
    cells[3 * kStride + (word >> 24)] += value;
    g += 4;
    cells += 4 * kStride;
  }
  for (; g < n; ++g, cells += kStride) cells[codes[g]] += value;
}

}  // namespace filling

// What is the same for all rows of a call. Short cells take the groups that may have them, if there are any.
template <class Ticks>
class RowFiller {
 public:
  using Cell = typename Ticks::Cell;
  using Stored = typename Ticks::Stored;

  RowFiller(RowRecords<Ticks>& records, const ColumnGroups& groups, Cell* cells, ShortCell* short_cells)
      : records_(records), groups_(groups), cells_(cells), short_cells_(short_cells) {}

  // Adds the rows first_row + ids[0 ... n - 1].
  void add_rows(std::size_t first_row, const std::uint16_t* ids, std::size_t n) const {
    const std::uint8_t* base = records_.row(first_row);
    const std::size_t stride = records_.stride();
    for (std::size_t i = 0; i < std::min(n, kRowsAhead); ++i) ask_for(base + ids[i] * stride, stride);
    for_each(n, [=](std::size_t i) TREEWRIGHT_INLINE_LAMBDA {
      if (i + kRowsAhead < n) ask_for(base + ids[i + kRowsAhead] * stride, stride);
      const std::uint8_t* record = base + ids[i] * stride;
      return std::pair{record, RowRecords<Ticks>::ticks(record, stride)};
    });
  }

  // Gives rows new ticks and adds them: first_row + ids[i] has ticks[ids[i]].
  void add_new(std::size_t first_row, const std::uint16_t* ids, std::size_t n, const Stored* ticks) const {
    std::uint8_t* base = records_.row(first_row);
    const std::size_t stride = records_.stride();
    for_each(n, [=](std::size_t i) TREEWRIGHT_INLINE_LAMBDA {
      std::uint8_t* record = base + ids[i] * stride;
      RowRecords<Ticks>::set_ticks(record, stride, ticks[ids[i]]);
      return std::pair{static_cast<const std::uint8_t*>(record), ticks[ids[i]]};
    });
  }

 private:
  static constexpr std::size_t kRowsAhead = 24;  // records are asked for this early

  static void ask_for(const std::uint8_t* record, std::size_t stride) {
#if defined(__GNUC__)
    __builtin_prefetch(record);
    for (std::size_t at = 64; at < stride; at += 64) __builtin_prefetch(record + at);
#else
    (void)record;
    (void)stride;
#endif
  }

  // Adds n rows; record_of(i) returns the record and its ticks. A loop of its own for the usual table, all of
  // whose columns are of one kind: what a row does not need is not asked row by row.
  template <class RecordOf>
  void for_each(std::size_t n, RecordOf record_of) const {
    Cell* cells = cells_;
    const std::size_t n_narrow = records_.n_narrow(), n_wide = records_.n_wide();
    if constexpr (std::is_same_v<Ticks, PackedTicks>) {
      if (short_cells_ != nullptr) {
        ShortCell* short_cells = short_cells_;
        const std::size_t n_short = groups_.n_short();
        if (n_short == n_narrow && n_wide == 0) {
          for (std::size_t i = 0; i < n; ++i) {
            const auto [record, ticks] = record_of(i);
            filling::add_narrow(record, n_short, short_cells, ticks);
          }
          return;
        }
        Cell* rest = cells + n_short * ColumnGroups::kNarrowStride;
        for (std::size_t i = 0; i < n; ++i) {
          const auto [record, ticks] = record_of(i);
          const Cell value = Ticks::cell(ticks);
          filling::add_narrow(record, n_short, short_cells, ticks);
          filling::add_narrow(record + n_short, n_narrow - n_short, rest, value);
          add_wide(record, value, cells);
        }
        return;
      }
    }
    if (n_wide == 0) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto [record, ticks] = record_of(i);
        filling::add_narrow(record, n_narrow, cells, Ticks::cell(ticks));
      }
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto [record, ticks] = record_of(i);
      const Cell value = Ticks::cell(ticks);
      filling::add_narrow(record, n_narrow, cells, value);
      add_wide(record, value, cells);
    }
  }

  void add_wide(const std::uint8_t* record, const Cell& value, Cell* cells) const {
    const std::uint8_t* wide = records_.wide_codes(record);
    const std::size_t n_narrow = records_.n_narrow();
    for (std::size_t w = 0; w < records_.n_wide(); ++w) {
      std::uint16_t code;
      std::memcpy(&code, wide + 2 * w, 2);
      cells[groups_[n_narrow + w].offset + code] += value;
    }
  }

  RowRecords<Ticks>& records_;
  const ColumnGroups& groups_;
  Cell* cells_;
  ShortCell* short_cells_;
};

}  // namespace treewright
