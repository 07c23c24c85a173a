#include "grow/value_records.h"

#include <algorithm>
#include <limits>

namespace treewright {

namespace {

bool fits_single(const Column& column) {
  if (column.kind == ColumnKind::kNumeric) return column.lower.is_single();
  constexpr Code kMostExact = Code{1} << 24;
  return column.n_codes < kMostExact;
}

}  // namespace

// Records of a few columns start where a cache line does, or half-way.
ValueRecords::ValueRecords(const Dataset& data, bool wanted, Team& team)
    : stride_((data.columns.size() + 7) / 8 * 8) {
  if (!wanted) return;
  is_single_ = std::all_of(data.columns.begin(), data.columns.end(), fits_single);
  is_single_ ? fill(data, team, floats_) : fill(data, team, doubles_);
}

template <class T>
void ValueRecords::fill(const Dataset& data, Team& team, std::vector<T>& values) {
  values.resize(data.n_rows * stride_);
  constexpr std::size_t kBlock = 1024;
  const std::size_t n_blocks = (data.n_rows + kBlock - 1) / kBlock;
  team.parallel_for(n_blocks, 8 * values.size(), [&](std::size_t block, int) {
    const std::size_t begin = block * kBlock, end = std::min(data.n_rows, begin + kBlock);
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
      const Column& column = data.columns[c];
      visit_codes(column, [&](const auto* codes) {
        for (std::size_t row = begin; row < end; ++row) {
          const Code code = codes[row];
          T& value = values[row * stride_ + c];
          if (code == kMissing) {
            value = std::numeric_limits<T>::quiet_NaN();
          } else if (column.kind == ColumnKind::kNumeric) {
            value = static_cast<T>(column.lowest(code));
          } else {
            value = static_cast<T>(code);
          }
        }
      });
    }
  });
}

}  // namespace treewright
