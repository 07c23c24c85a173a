// DrawnBins: bins of a long column from some of its rows, drawn at random. Their edges are a little off the
// quantiles of all rows, which no one can tell from the models; sorting all rows would take most of a
// booster's time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/radix_sort.h"
#include "base/random.h"
#include "data/code_search.h"
#include "data/key_column.h"
#include "data/ordered_key.h"
#include "data/quantile_bins.h"

namespace treewright {

template <class Float>
class DrawnBins {
 public:
  using Key = KeyOf<Float>;
  static constexpr std::size_t kDrawnRows = 200'000;
  static constexpr std::size_t kMostBins = CodeSearch<Float>::kMostBins;

  // Long enough that reading some rows only pays.
  static bool applies(std::size_t n_rows, std::size_t max_bins) {
    return max_bins > 0 && max_bins <= kMostBins && n_rows >= 2 * kDrawnRows;
  }

  // The rows to draw, one of each of kDrawnRows equal stretches, ascending.
  static std::vector<std::size_t> rows_to_draw(std::size_t n_rows) {
    std::vector<std::size_t> rows(kDrawnRows);
    Random random(n_rows);
    for (std::size_t i = 0; i < kDrawnRows; ++i) {
      const std::size_t first = i * n_rows / kDrawnRows, next = (i + 1) * n_rows / kDrawnRows;
      rows[i] = first + static_cast<std::size_t>(random.uniform(next - first));
    }
    return rows;
  }

  // False when no drawn row has a known value.
  bool fit(const KeyColumn<Float>& column, std::size_t n_rows, std::size_t max_bins) {
    drawn_.clear();
    for (const std::size_t row : rows_to_draw(n_rows)) {
      if (column.keys[row] != kNanKey<Key>) drawn_.push_back(column.keys[row]);
    }
    return fit_drawn(column.smallest, column.largest, max_bins);
  }

  // The same from the known keys of the drawn rows, in any order.
  bool fit(std::vector<Key> drawn, Key smallest, Key largest, std::size_t max_bins) {
    drawn_ = std::move(drawn);
    return fit_drawn(smallest, largest, max_bins);
  }

  // The same from the distinct keys among them, ascending, and how many have each.
  bool fit(const std::vector<Key>& values, const std::vector<std::uint32_t>& counts, Key smallest,
           Key largest, std::size_t max_bins) {
    if (values.empty()) return false;
    const std::vector<std::uint32_t> begins = quantile_bins(counts, max_bins);
    lower_ = {from_key<Float>(smallest)};
    upper_.clear();
    search_.clear();
    for (std::size_t bin = 1; bin < begins.size(); ++bin) {
      const Float low = from_key<Float>(values[begins[bin] - 1]), high = from_key<Float>(values[begins[bin]]);
      const Float edge = between(low, high);
      search_.add_edge(to_key(edge));
      upper_.push_back(edge);
      lower_.push_back(std::nextafter(edge, std::numeric_limits<Float>::infinity()));
    }
    upper_.push_back(from_key<Float>(largest));
    return true;
  }

  std::vector<Float> take_lower() { return std::move(lower_); }
  std::vector<Float> take_upper() { return std::move(upper_); }
  std::size_t size() const { return lower_.size(); }

  void encode(const Key* keys, std::size_t begin, std::size_t end, std::uint8_t* codes) const {
    search_.encode(keys, begin, end, codes);
  }

 private:
  static constexpr int kKeyBits = static_cast<int>(sizeof(Key) * 8);

  bool fit_drawn(Key smallest, Key largest, std::size_t max_bins) {
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
    return fit(values, counts, smallest, largest, max_bins);
  }

  static Float between(Float low, Float high) {
    const Float middle = low / 2 + high / 2;
    return std::isfinite(middle) && middle >= low && middle < high ? middle : low;
  }

  std::vector<Key> drawn_, spare_;
  std::vector<Float> lower_, upper_;
  CodeSearch<Float> search_;
};

}  // namespace treewright
