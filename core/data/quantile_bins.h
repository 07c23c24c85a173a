// Quantile bins: neighbouring distinct values joined until the bins hold about equally many rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

// `counts[r]` is the number of rows with the r-th smallest distinct value. Returns the first distinct value
// of each bin, ascending; min(max_bins, counts.size()) bins. A value is never cut in two.
std::vector<std::uint32_t> quantile_bins(const std::vector<std::uint32_t>& counts, std::size_t max_bins);

}  // namespace treewright
