#include "boost/exact/sorted_column.h"

#include "base/blocks.h"

namespace treewright {

namespace {

// Counting sort: the codes are ranks already.
void sort_rows(const Column& column, std::size_t n_rows, const StopFlag& stop, SortedColumn* sorted) {
  std::vector<std::uint32_t>& begin = sorted->begin;
  begin.assign(static_cast<std::size_t>(column.n_codes) + 2, 0);
  visit_codes(column, [&](const auto* codes) {
    for_blocks(n_rows, stop, [&](std::size_t first, std::size_t end) {
      for (std::size_t row = first; row < end; ++row) ++begin[codes[row]];
    });
    // Missing values (code 0) are left out; begin[c - 1] becomes the first place of code c.
    std::uint32_t sum = 0;
    begin[0] = 0;
    for (std::size_t code = 1; code < begin.size(); ++code) {
      begin[code - 1] = sum;
      sum += begin[code];
    }
    begin.pop_back();
    begin.back() = sum;
    sorted->rows.resize(sum);
    std::vector<std::uint32_t> next(begin);
    for_blocks(n_rows, stop, [&](std::size_t first, std::size_t end) {
      for (std::size_t row = first; row < end; ++row) {
        if (codes[row] != kMissing) sorted->rows[next[codes[row] - 1U]++] = static_cast<RowId>(row);
      }
    });
  });
}

// Codes whose values are the same float become one value.
void join_equal_values(SortedColumn* sorted) {
  const std::size_t n = sorted->values.size();
  std::size_t kept = 0;
  std::vector<Code> last_code(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || sorted->values[i] != sorted->values[kept - 1]) {
      sorted->values[kept] = sorted->values[i];
      sorted->begin[kept] = sorted->begin[i];
      ++kept;
    }
    last_code[kept - 1] = static_cast<Code>(i + 1);
  }
  if (kept == n) return;
  sorted->begin[kept] = sorted->begin[n];
  sorted->begin.resize(kept + 1);
  sorted->values.resize(kept);
  last_code.resize(kept);
  sorted->last_code = std::move(last_code);
}

}  // namespace

SortedColumn SortedColumn::of(const Column& column, std::size_t n_rows, const StopFlag& stop) {
  SortedColumn sorted;
  sort_rows(column, n_rows, stop, &sorted);
  sorted.has_gaps = sorted.rows.size() < n_rows;
  sorted.values.resize(column.n_codes);
  for (Code code = 1; code <= column.n_codes; ++code) {
    sorted.values[code - 1] =
        static_cast<float>(column.kind == ColumnKind::kNumeric ? column.lowest(code) : code);
  }
  join_equal_values(&sorted);
  return sorted;
}

}  // namespace treewright
