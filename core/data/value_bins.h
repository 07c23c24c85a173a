// Distinct values joined to quantile bins: the range behind each bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/column.h"
#include "data/quantile_bins.h"

namespace treewright {

// Joins ascending distinct values into at most max_bins bins by the rows that have them, sets the ranges of
// the column and returns the first value of each bin.
template <class Float>
std::vector<std::uint32_t> join_values(const std::vector<Float>& values,
                                       const std::vector<std::uint32_t>& counts, std::size_t max_bins,
                                       Column* out) {
  std::vector<std::uint32_t> begins = quantile_bins(counts, max_bins);
  std::vector<Float> lower(begins.size()), upper(begins.size());
  for (std::size_t bin = 0; bin < begins.size(); ++bin) {
    const std::size_t end = bin + 1 < begins.size() ? begins[bin + 1] : values.size();
    lower[bin] = values[begins[bin]];
    upper[bin] = values[end - 1];
  }
  out->lower = std::move(lower);
  out->upper = std::move(upper);
  return begins;
}

}  // namespace treewright
