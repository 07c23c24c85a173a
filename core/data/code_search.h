// CodeSearch: the codes of numbers in at most 255 bins, by a search that takes several rows at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/ordered_key.h"

namespace treewright {

template <class Float>
class CodeSearch {
 public:
  using Key = KeyOf<Float>;
  static constexpr std::size_t kMostBins = 255;

  CodeSearch() { clear(); }

  void clear() {
    std::fill(std::begin(edges_), std::end(edges_), kNanKey<Key>);
    n_edges_ = 0;
  }

  // The largest value of the next bin; that of the last one needs none.
  void add_edge(Key edge) { edges_[n_edges_++] = edge; }

  // Codes of rows begin ... end - 1: 1 + the number of edges below the value, 0 for NaN. Several rows at a
  // time, because each step of one search waits for the step before.
  void encode(const Key* keys, std::size_t begin, std::size_t end, std::uint8_t* codes) const {
    constexpr std::size_t kRows = 8;
    std::size_t row = begin;
    for (; row + kRows <= end; row += kRows) {
      std::uint32_t at[kRows] = {};
      for (std::uint32_t step = 128; step > 0; step /= 2) {
        for (std::size_t i = 0; i < kRows; ++i) {
          at[i] += edges_[at[i] + step - 1] < keys[row + i] ? step : 0;
        }
      }
      for (std::size_t i = 0; i < kRows; ++i) {
        codes[row + i] = static_cast<std::uint8_t>(keys[row + i] == kNanKey<Key> ? 0 : at[i] + 1);
      }
    }
    for (; row < end; ++row) {
      const auto at = std::lower_bound(edges_, edges_ + kMostBins, keys[row]) - edges_;
      codes[row] = static_cast<std::uint8_t>(keys[row] == kNanKey<Key> ? 0 : at + 1);
    }
  }

 private:
  std::size_t n_edges_ = 0;
  Key edges_[kMostBins + 1];  // ascending, NaN's key where there are fewer
};

}  // namespace treewright
