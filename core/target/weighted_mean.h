// WeightedMean: a bucket holds {sum of w·y, sum of w}; with a Newton step's {-g, h} it serves boosting as
// well. Without weights the second cell counts rows; with weights a third one does.
#pragma once

#include <cstddef>

namespace treewright {

template <bool kWeighted>
struct WeightedMean;

template <>
struct WeightedMean<false> {
  static constexpr bool kIsWeighted = false;
  struct Sample {
    double y;
    double sum() const { return y; }
    double weight() const { return 1.0; }
  };
  using Cell = double;

  static int channels() { return 2; }
  static double amount(Cell cell) { return cell; }
  static int stride() { return 2; }
  static void add(Cell* bucket, Sample sample) {
    bucket[0] += sample.y;
    bucket[1] += 1.0;
  }
  static std::size_t rows(const Cell* bucket) { return static_cast<std::size_t>(bucket[1]); }
  static double weight(const Cell* bucket) { return bucket[1]; }
};

template <>
struct WeightedMean<true> {
  static constexpr bool kIsWeighted = true;
  struct Sample {
    double y;
    double amount;
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
