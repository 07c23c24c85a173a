// SortedColumn: the rows of a column in the order of its values, made once for all trees of a booster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stop.h"
#include "base/types.h"
#include "data/column.h"

namespace treewright {

struct SortedColumn {
  std::vector<RowId> rows;           // with a known value; equal values by row
  std::vector<std::uint32_t> begin;  // value r stands at begin[r] ... begin[r + 1] - 1 of `rows`
  std::vector<float> values;         // ascending; codes of an ordinal column
  std::vector<Code> last_code;       // the last code of the dataset behind value r; empty: it is r + 1
  bool has_gaps = false;             // some row has no value

  std::size_t n_values() const { return values.size(); }
  Code code_of(std::uint32_t rank) const { return last_code.empty() ? rank + 1 : last_code[rank]; }

  // Numeric columns in exact ranks, and ordinal ones. Values that are equal as floats count as one.
  static SortedColumn of(const Column& column, std::size_t n_rows, const StopFlag& stop);
};

}  // namespace treewright
