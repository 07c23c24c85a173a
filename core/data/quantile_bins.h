// Quantile bins: neighbouring distinct values joined until the bins hold about equally many rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

// `counts[r]` is the number of rows with the r-th smallest distinct value. Returns the first distinct value
// of each bin, ascending; min(max_bins, counts.size()) bins. A value is never cut in two.
inline std::vector<std::uint32_t> quantile_bins(const std::vector<std::uint32_t>& counts,
                                                std::size_t max_bins) {
  const std::size_t n_values = counts.size();
  const std::size_t n_bins = std::min(max_bins, n_values);
  std::vector<std::uint32_t> begins;
  begins.reserve(n_bins);

  std::uint64_t rows_left = 0;  // in this bin and the ones to come
  for (const std::uint32_t count : counts) rows_left += count;

  std::uint64_t in_bin = 0;
  for (std::size_t value = 0; value < n_values; ++value) {
    const std::size_t bins_left = n_bins - begins.size();  // not yet begun
    bool begin = value == 0 || n_values - value <= bins_left;
    if (!begin && bins_left > 0) {
      // Begin a new bin when this value's middle row lies past the share of the current one. The share is
      // taken anew for each bin, so that one very frequent value does not shorten all that follow.
      const std::uint64_t bins_to_fill = bins_left + 1;
      begin = (2 * in_bin + counts[value]) * bins_to_fill > 2 * rows_left;
    }
    if (begin) {
      rows_left -= in_bin;
      in_bin = 0;
      begins.push_back(static_cast<std::uint32_t>(value));
    }
    in_bin += counts[value];
  }
  return begins;
}

}  // namespace treewright
