// A table of numeric and categorical columns to a Dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"
#include "data/numeric_source.h"

namespace treewright {

// One more code must stay free for a category that training has not seen.
inline constexpr std::int64_t kMaxCodes = 0xFFFFFFFE;

struct TableColumn {
  ColumnKind kind = ColumnKind::kNumeric;
  NumericSource source;  // categories: uint32 codes
  Code n_codes = 0;      // categories only
};

// Encodes the columns in parallel; max_bins as in encode_numeric. Throws std::invalid_argument, naming the
// column, when a category code is out of range.
Dataset encode_table(const std::vector<TableColumn>& columns, std::size_t n_rows, std::size_t max_bins,
                     Team& team);

}  // namespace treewright
