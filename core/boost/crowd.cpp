#include "boost/crowd.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace treewright {

std::size_t largest_crowd(const Column& column, std::size_t n_rows, std::size_t block_rows) {
  std::uint32_t largest = 0;
  const std::size_t n_codes = column.n_codes + std::size_t{1};
  // Two sets of counts in turns: equal neighbours need not wait for each other.
  std::vector<std::uint32_t> even(n_codes), odd(n_codes);
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t begin = 0; begin < n_rows; begin += block_rows) {
      const std::size_t end = std::min(n_rows, begin + block_rows);
      std::fill(even.begin(), even.end(), 0);
      std::fill(odd.begin(), odd.end(), 0);
      std::size_t row = begin;
      for (; row + 2 <= end; row += 2) {
        ++even[codes[row]];
        ++odd[codes[row + 1]];
      }
      if (row < end) ++even[codes[row]];
      for (std::size_t code = 0; code < n_codes; ++code) largest = std::max(largest, even[code] + odd[code]);
    }
  });
  return largest;
}

}  // namespace treewright
