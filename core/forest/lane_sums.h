// LaneSums: what the tests of some lanes (forest/key_lanes.h) would send left, in the cells of the target.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/key_lanes.h"
#include "target/class_counts.h"
#include "target/weighted_mean.h"

namespace treewright {

template <class Target>
class LaneSums {
 public:
  using Sample = typename Target::Sample;
  using Cell = typename Target::Cell;

  void start(const Target& target, std::size_t n_lanes) {
    target_ = target;
    n_lanes_ = n_lanes;
    step_ = static_cast<std::size_t>(target.stride());
    cells_.assign(n_lanes * kTables * 2 * step_, Cell{});
  }

  // Rows with these keys; bit l of sides[i] tells whether row i goes right by the test of lane l.
  void add(const std::int32_t* keys, const LaneCuts& cuts, const Sample* samples, std::size_t n,
           std::uint8_t* sides) {
    find_sides(keys, cuts, n, sides);
    add_sides(samples, n, sides);
  }
  // Rows of columns of single bits.
  void add_flags(const KeyRows& from, const KeyLanes& lanes, const Sample* samples, std::uint8_t* sides) {
    find_flag_sides(from, lanes, sides);
    add_sides(samples, from.n, sides);
  }

  void finish() {
    for (std::size_t lane = 0; lane < n_lanes_; ++lane) {
      Cell* own = cells_.data() + lane * kTables * 2 * step_;
      for (std::size_t k = 0; k < step_; ++k) own[k] += own[2 * step_ + k];
    }
  }

  std::size_t left_rows(std::size_t lane) const { return target_.rows(left(lane)); }
  const Cell* left(std::size_t lane) const { return cells_.data() + lane * kTables * 2 * step_; }

 private:
  static constexpr std::size_t kTables = 2;

  // Neighbours add to cells of their own, so that no addition waits for the one before.
  void add_sides(const Sample* samples, std::size_t n, const std::uint8_t* sides) {
    const Target target = target_;
    for (std::size_t i = 0; i < n; ++i) {
      Cell* own = cells_.data() + (i % kTables) * 2 * step_;
      std::size_t right = sides[i];
      for (std::size_t lane = 0; lane < n_lanes_; ++lane, right >>= 1, own += kTables * 2 * step_) {
        // No branch: it would be a coin's toss.
        target.add(own + ((std::size_t{0} - (right & 1)) & step_), samples[i]);
      }
    }
  }

  Target target_;
  std::size_t n_lanes_ = 0, step_ = 0;
  std::vector<Cell> cells_;
};

template <bool kWeighted>
class LaneSums<WeightedMean<kWeighted>> {
 public:
  using Target = WeightedMean<kWeighted>;
  using Sample = typename Target::Sample;
  using Cell = typename Target::Cell;

  void start(const Target&, std::size_t) { means_ = LaneMeans{}; }

  void add(const std::int32_t* keys, const LaneCuts& cuts, const Sample* samples, std::size_t n,
           std::uint8_t* sides) {
    if constexpr (kWeighted) {
      sum_weighted_numbers(keys, cuts, samples, n, sides, means_);
    } else {
      sum_numbers(keys, cuts, samples, n, sides, means_);
    }
  }

  void add_flags(const KeyRows& from, const KeyLanes& lanes, const Sample* samples, std::uint8_t* sides) {
    find_flag_sides(from, lanes, sides);
    for (std::size_t i = 0; i < from.n; ++i) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if ((sides[i] >> lane & 1) != 0) continue;
        means_.sum[i % 2][lane] += samples[i].sum();
        means_.weight[i % 2][lane] += samples[i].weight();
        ++means_.rows[lane];
      }
    }
  }

  void finish() {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      Cell* own = cells_ + lane * kStride;
      const auto rows = static_cast<double>(means_.rows[lane]);
      own[0] = means_.sum[0][lane] + means_.sum[1][lane];
      own[1] = kWeighted ? means_.weight[0][lane] + means_.weight[1][lane] : rows;
      if constexpr (kWeighted) own[2] = rows;
    }
  }

  std::size_t left_rows(std::size_t lane) const { return static_cast<std::size_t>(means_.rows[lane]); }
  const Cell* left(std::size_t lane) const { return cells_ + lane * kStride; }

 private:
  static constexpr std::size_t kStride = kWeighted ? 3 : 2;

  LaneMeans means_;
  Cell cells_[kLanes * kStride];
};

template <>
class LaneSums<CountedClasses> {
 public:
  using Sample = CountedClasses::Sample;
  using Cell = CountedClasses::Cell;

  void start(const CountedClasses& target, std::size_t n_lanes) {
    n_lanes_ = n_lanes;
    n_classes_ = static_cast<std::size_t>(target.classes);
    counts_ = LaneCounts{};
    cells_.resize(kLanes * n_classes_);
    has_classes_ = n_classes_ > 2;
    by_class_.assign(2 * n_classes_ * kLanes, 0);
  }

  void add(const std::int32_t* keys, const LaneCuts& cuts, const Sample* samples, std::size_t n,
           std::uint8_t* sides) {
    if (!has_classes_) {
      count_two_classes(keys, cuts, samples, n, sides, counts_);
    } else {
      count_many_classes(keys, cuts, samples, n, sides, n_classes_, by_class_.data(), counts_);
    }
  }

  void add_flags(const KeyRows& from, const KeyLanes& lanes, const Sample* samples, std::uint8_t* sides) {
    has_classes_ = true;
    count_flags(from, lanes, samples, sides, n_classes_, by_class_.data(), counts_);
  }

  void finish() {
    if (!has_classes_) {
      for (std::size_t lane = 0; lane < n_lanes_; ++lane) {
        Cell* own = cells_.data() + lane * n_classes_;
        own[0] = as_cell(counts_.weight[lane] - counts_.second[lane]);
        if (n_classes_ == 2) own[1] = as_cell(counts_.second[lane]);
      }
      return;
    }
    const std::int32_t* other = by_class_.data() + n_classes_ * kLanes;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      for (std::size_t lane = 0; lane < n_lanes_; ++lane) {
        cells_[lane * n_classes_ + k] = as_cell(by_class_[k * kLanes + lane] + other[k * kLanes + lane]);
      }
    }
  }

  std::size_t left_rows(std::size_t lane) const { return static_cast<std::size_t>(counts_.rows[lane]); }
  // Their halves for rows are not filled.
  const Cell* left(std::size_t lane) const { return cells_.data() + lane * n_classes_; }

 private:
  // No count is negative.
  static Cell as_cell(std::int32_t count) { return static_cast<std::uint32_t>(count); }

  std::size_t n_lanes_ = 0, n_classes_ = 0;
  bool has_classes_ = false;  // sums stand by class, not just by both of them and the second
  LaneCounts counts_;
  std::vector<std::int32_t> by_class_;
  std::vector<Cell> cells_;
};

}  // namespace treewright
