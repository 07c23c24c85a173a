// DrawnBins: bins of a long column from some of its rows, drawn at random. Their edges are a little off the
// quantiles of all rows, which no one can tell from the models; sorting all rows would take most of a
// booster's time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/radix_sort.h"
#include "base/random.h"
#include "data/key_column.h"
#include "data/ordered_key.h"
#include "data/quantile_bins.h"

namespace treewright {

template <class Float>
class DrawnBins {
 public:
  using Key = KeyOf<Float>;
  static constexpr std::size_t kDrawnRows = 200'000;
  static constexpr std::size_t kMostBins = 255;

  // Long enough that reading some rows only pays.
  static bool applies(std::size_t n_rows, std::size_t max_bins) {
    return max_bins > 0 && max_bins <= kMostBins && n_rows >= 2 * kDrawnRows;
  }

  // False when no drawn row has a known value.
  bool fit(const KeyColumn<Float>& column, std::size_t n_rows, std::size_t max_bins) {
    draw(column.keys, n_rows);
    if (drawn_.empty()) return false;
    spare_.resize(drawn_.size());
    const Key* sorted = radix_sort(drawn_.data(), spare_.data(), drawn_.size(), 0, kKeyBits);
    std::vector<Key> values;
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      if (values.empty() || sorted[i] != values.back()) {
        values.push_back(sorted[i]);
        counts.push_back(0);
      }
      ++counts.back();
    }
    const std::vector<std::uint32_t> begins = quantile_bins(counts, max_bins);
    lower_ = {from_key<Float>(column.smallest)};
    upper_.clear();
    std::fill(std::begin(edges_), std::end(edges_), kNanKey<Key>);
    for (std::size_t bin = 1; bin < begins.size(); ++bin) {
      const Float low = from_key<Float>(values[begins[bin] - 1]), high = from_key<Float>(values[begins[bin]]);
      const Float edge = between(low, high);
      edges_[bin - 1] = to_key(edge);
      upper_.push_back(edge);
      lower_.push_back(std::nextafter(edge, std::numeric_limits<Float>::infinity()));
    }
    upper_.push_back(from_key<Float>(column.largest));
    return true;
  }

  std::vector<Float> take_lower() { return std::move(lower_); }
  std::vector<Float> take_upper() { return std::move(upper_); }
  std::size_t size() const { return lower_.size(); }

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
  static constexpr int kKeyBits = static_cast<int>(sizeof(Key) * 8);

  // One row of each of kDrawnRows equal stretches.
  void draw(const Key* keys, std::size_t n_rows) {
    drawn_.clear();
    Random random(n_rows);
    for (std::size_t i = 0; i < kDrawnRows; ++i) {
      const std::size_t first = i * n_rows / kDrawnRows, next = (i + 1) * n_rows / kDrawnRows;
      const Key key = keys[first + static_cast<std::size_t>(random.uniform(next - first))];
      if (key != kNanKey<Key>) drawn_.push_back(key);
    }
  }

  static Float between(Float low, Float high) {
    const Float middle = low / 2 + high / 2;
    return std::isfinite(middle) && middle >= low && middle < high ? middle : low;
  }

  std::vector<Key> drawn_, spare_;
  std::vector<Float> lower_, upper_;
  Key edges_[kMostBins + 1] = {};  // ascending, NaN's key where there are fewer
};

}  // namespace treewright
