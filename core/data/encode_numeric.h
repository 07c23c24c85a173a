// Numbers to codes: dense ranks (exact) or quantile bins. NaN becomes code 0, -0.0 equals 0.0, ±inf are
// values.
#pragma once

#include <cstddef>
#include <vector>

#include "base/parallel.h"
#include "data/column.h"
#include "data/numeric_source.h"

namespace treewright {

// Encodes the columns in parallel. max_bins = 0: one code per distinct value; otherwise at most max_bins
// codes, which equal the exact ones when the column has no more distinct values. Scratch memory per worker:
// about 12 to 24 bytes per row for float32, 16 to 40 for float64.
std::vector<Column> encode_numeric(const std::vector<NumericSource>& sources, std::size_t n_rows,
                                   std::size_t max_bins, Team& team);

}  // namespace treewright
