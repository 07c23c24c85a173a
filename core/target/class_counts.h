// What a row of a class adds to a bucket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace treewright {

// ClassCounts: a bucket holds the weight of each class. One row adds to one cell, whatever the number of
// classes. Without weights the cells are whole numbers; with weights one more cell counts rows, for limits on
// rows.
template <bool kWeighted>
struct ClassCounts;

template <>
struct ClassCounts<false> {
  static constexpr bool kIsWeighted = false;
  struct Sample {
    std::uint16_t label;
    double weight() const { return 1.0; }
    std::int64_t amount_of() const { return 1; }
  };
  using Cell = std::uint32_t;
  using Number = std::int64_t;

  int classes = 2;

  int channels() const { return classes; }
  int stride() const { return classes; }
  static void add(Cell* bucket, Sample sample) { ++bucket[sample.label]; }
  static Number amount(Cell cell) { return static_cast<Number>(cell); }
  std::size_t rows(const Cell* bucket) const {
    std::size_t sum = 0;
    for (int k = 0; k < classes; ++k) sum += bucket[k];
    return sum;
  }
  double weight(const Cell* bucket) const { return static_cast<double>(rows(bucket)); }
};

template <>
struct ClassCounts<true> {
  static constexpr bool kIsWeighted = true;
  struct Sample {
    double amount;
    std::uint32_t label;
    double weight() const { return amount; }
    double amount_of() const { return amount; }
  };
  using Cell = double;
  using Number = double;

  int classes = 2;

  int channels() const { return classes; }
  int stride() const { return classes + 1; }
  void add(Cell* bucket, Sample sample) const {
    bucket[sample.label] += sample.amount;
    bucket[classes] += 1.0;
  }
  static Number amount(Cell cell) { return cell; }
  std::size_t rows(const Cell* bucket) const { return static_cast<std::size_t>(bucket[classes]); }
  double weight(const Cell* bucket) const {
    double sum = 0;
    for (int k = 0; k < classes; ++k) sum += bucket[k];
    return sum;
  }
};

// CountedClasses: class counts of a bag in which a row may stand several times. Everything is a whole number,
// so sums are exact; a cell holds the weight of its class (lower half) and its number of rows (upper half).
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
