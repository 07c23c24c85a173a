// CountedClasses: class counts of a bag in which a row may stand several times. Everything is a whole number,
// so sums are exact; a cell holds the weight of its class (lower half) and its number of rows (upper half).
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright {

struct CountedClasses {
  static constexpr bool kIsWeighted = false;
  static constexpr std::uint32_t kMostTimes = 65535;  // that a row may stand in the bag
  struct Sample {
    std::uint16_t label;
    std::uint16_t times;
    double weight() const { return times; }
    std::int64_t amount_of() const { return times; }
  };
  using Cell = std::uint64_t;
  using Number = std::int64_t;

  int classes = 2;

  int channels() const { return classes; }
  int stride() const { return classes; }
  static void add(Cell* bucket, Sample sample) { bucket[sample.label] += kOneRow | sample.times; }
  static Number amount(Cell cell) { return static_cast<Number>(cell & 0xFFFFFFFFU); }
  std::size_t rows(const Cell* bucket) const {
    std::size_t sum = 0;
    for (int k = 0; k < classes; ++k) sum += bucket[k] >> 32;
    return sum;
  }
  double weight(const Cell* bucket) const {
    Number sum = 0;
    for (int k = 0; k < classes; ++k) sum += amount(bucket[k]);
    return static_cast<double>(sum);
  }

 private:
  static constexpr Cell kOneRow = Cell{1} << 32;
};

}  // namespace treewright
