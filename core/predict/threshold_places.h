// ThresholdPlaces: a feature's thresholds, and how many of them are below a value.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace treewright {

class ThresholdPlaces {
 public:
  static constexpr std::uint8_t kMissing = 255;  // the place of NaN
  static constexpr std::size_t kRows = 8;        // values are looked for in so many at a time

  // A finite one, in any order, also again.
  void add(double threshold) { thresholds_.push_back(threshold); }

  // To be called when all are known; false when there are too many for a byte.
  bool finish() {
    std::sort(thresholds_.begin(), thresholds_.end());
    thresholds_.erase(std::unique(thresholds_.begin(), thresholds_.end()), thresholds_.end());
    if (thresholds_.size() >= kMissing) return false;
    padded_.assign(kCodes, std::numeric_limits<double>::infinity());
    padded_single_.assign(kCodes, std::numeric_limits<float>::infinity());
    std::copy(thresholds_.begin(), thresholds_.end(), padded_.begin());
    std::transform(thresholds_.begin(), thresholds_.end(), padded_single_.begin(), not_above);
    return true;
  }

  // Of one of the thresholds.
  std::uint32_t place_of(double threshold) const {
    return static_cast<std::uint32_t>(std::lower_bound(thresholds_.begin(), thresholds_.end(), threshold) -
                                      thresholds_.begin());
  }

  // How many thresholds are below each value; kMissing for NaN. n: a multiple of kRows.
  void find(const double* values, std::size_t n, std::uint8_t* places) const {
    find_in(padded_.data(), values, n, places);
  }
  void find(const float* values, std::size_t n, std::uint8_t* places) const {
    find_in(padded_single_.data(), values, n, places);
  }

 private:
  static constexpr std::size_t kCodes = 256;

  // The largest float32 that is not above: x <= limit says the same of every float32 x.
  static float not_above(double limit) {
    auto single = static_cast<float>(limit);
    if (static_cast<double>(single) > limit) {
      single = std::nextafter(single, -std::numeric_limits<float>::infinity());
    }
    return single;
  }

  // Several rows at a time, because every step of a search waits for the one before.
  template <class T>
  static void find_in(const T* padded, const T* values, std::size_t n, std::uint8_t* places) {
    for (std::size_t row = 0; row < n; row += kRows) {
      std::uint32_t at[kRows] = {};
      for (std::uint32_t step = 128; step > 0; step /= 2) {
        for (std::size_t i = 0; i < kRows; ++i) {
          at[i] += padded[at[i] + step - 1] < values[row + i] ? step : 0;
        }
      }
      for (std::size_t i = 0; i < kRows; ++i) {
        const bool is_missing = values[row + i] != values[row + i];
        places[row + i] = static_cast<std::uint8_t>(is_missing ? kMissing : at[i]);
      }
    }
  }

  std::vector<double> thresholds_;    // ascending
  std::vector<double> padded_;        // 256 of them, infinity at the end
  std::vector<float> padded_single_;  // the same for float32 values
};

}  // namespace treewright
