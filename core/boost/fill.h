// Filling a histogram from row records: the loop in which boosting spends most of its time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boost/column_groups.h"
#include "boost/row_records.h"

namespace treewright {

namespace filling {

inline constexpr std::size_t kRowsAhead = 24;  // records are asked for this early

// Eight codes of a byte each, read as one word.
template <class Cell>
inline void add_word(std::uint64_t codes, Cell* cells, const Cell& value) {
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

template <class Steps>
inline void add_record(const RowRecords<Steps>& records, const ColumnGroups& groups,
                       const std::uint8_t* record, const typename Steps::Cell& value,
                       typename Steps::Cell* cells) {
  constexpr std::size_t kStride = ColumnGroups::kNarrowStride;
  const std::size_t n_narrow = records.n_narrow();
  typename Steps::Cell* at = cells;
  std::size_t g = 0;
  for (; g + 8 <= n_narrow; g += 8, at += 8 * kStride) {
    std::uint64_t word;
    std::memcpy(&word, record + g, 8);
    add_word(word, at, value);
  }
  if (g + 4 <= n_narrow) {
    std::uint32_t word;
    std::memcpy(&word, record + g, 4);
    at[0 * kStride + (word & 0xFF)] += value;
    at[1 * kStride + ((word >> 8) & 0xFF)] += value;
    at[2 * kStride + ((word >> 16) & 0xFF)] += value;
    at[3 * kStride + (word >> 24)] += value;
    g += 4;
    at += 4 * kStride;
  }
  for (; g < n_narrow; ++g, at += kStride) at[record[g]] += value;
  const std::uint8_t* wide = records.wide_codes(record);
  for (std::size_t w = 0; w < records.n_wide(); ++w) {
    std::uint16_t code;
    std::memcpy(&code, wide + 2 * w, 2);
    cells[groups[n_narrow + w].offset + code] += value;
  }
}

inline void ask_for(const std::uint8_t* record, std::size_t stride) {
#if defined(__GNUC__)
  __builtin_prefetch(record);
  for (std::size_t at = 64; at < stride; at += 64) __builtin_prefetch(record + at);
#else
  (void)record;
  (void)stride;
#endif
}

}  // namespace filling

// Adds the rows first_row + ids[0 ... n - 1].
template <class Steps>
void fill_rows(const RowRecords<Steps>& records, const ColumnGroups& groups, std::size_t first_row,
               const std::uint16_t* ids, std::size_t n, typename Steps::Cell* cells) {
  const std::uint8_t* base = records.row(first_row);
  const std::size_t stride = records.stride();
  for (std::size_t i = 0; i < n; ++i) {
    if (i + filling::kRowsAhead < n) filling::ask_for(base + ids[i + filling::kRowsAhead] * stride, stride);
    const std::uint8_t* record = base + ids[i] * stride;
    filling::add_record(records, groups, record, Steps::cell(records.steps(record)), cells);
  }
}

}  // namespace treewright
