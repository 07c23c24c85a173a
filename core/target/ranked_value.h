// RankedValue: what a row adds where losses are not sums over buckets (absolute error): its value, its weight
// and the rank of its value among the rows of the node. Rows are moved one by one; a bucket only counts them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright {

struct RankedValue {
  static constexpr bool kIsWeighted = true;
  struct Sample {
    double y;
    double amount;
    std::uint32_t rank;
    double sum() const { return y * amount; }
    double weight() const { return amount; }
  };
  using Cell = double;

  static int channels() { return 2; }
  static double amount(Cell cell) { return cell; }
  static int stride() { return 3; }
  static void add(Cell* bucket, Sample sample) {
    bucket[0] += sample.sum();
    bucket[1] += sample.amount;
    bucket[2] += 1.0;
  }
  static std::size_t rows(const Cell* bucket) { return static_cast<std::size_t>(bucket[2]); }
  static double weight(const Cell* bucket) { return bucket[1]; }
};

}  // namespace treewright
