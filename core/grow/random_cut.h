// RandomCut: the one test that an extremely randomised tree tries of each drawn column (Geurts, Ernst,
// Wehenkel 2006): a threshold drawn uniformly between the smallest and the largest value in the node, or a
// random subset of the categories in the node. Missing values go to a side drawn with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/dataset.h"
#include "grow/codes_seen.h"
#include "grow/open_node.h"
#include "grow/value_records.h"
#include "split/group_threshold.h"

namespace treewright {

template <class Criterion, class Scan>
class RandomCut {
 public:
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;
  using Node = OpenNode<Sample>;

  RandomCut(const Dataset& data, const ValueRecords& values, const Criterion& criterion)
      : data_(data), values_(values), criterion_(criterion) {}

  // Draws the tests of some columns of a node and sums up what each would send left; each column has a
  // generator of its own.
  void prepare(const Node& node, std::span<const FeatureId> columns, const Random& random) {
    tests_.clear();
    ordered_.clear();
    for (const FeatureId feature : columns) {
      Test test;
      test.feature = feature;
      test.random = random.split(static_cast<std::uint64_t>(feature) + 1);
      if (data_.column(feature).kind != ColumnKind::kNominal) ordered_.push_back(tests_.size());
      tests_.push_back(test);
    }
    values_.is_single() ? prepare_ordered<float>(node) : prepare_ordered<double>(node);
  }

  // Offers the test of the i-th of those columns; returns whether the column varies in the node.
  bool offer(const Node& node, std::size_t i, const Limits& limits, Candidate& best) {
    Test& test = tests_[i];
    if (data_.column(test.feature).kind == ColumnKind::kNominal)
      return offer_subset(node, test, limits, best);
    if (!test.varies) return false;
    std::size_t left = 0;
    if constexpr (Criterion::kOrdered) {
      left = sort_sides(node, [&](std::size_t row) { return goes_right(value(row, test.feature), test); });
    } else {
      left = criterion_.target.rows(cells_.data() + test.cells);
    }
    if (!judge(node, left, cells_.data() + test.cells, limits, best)) return true;
    best.kind = NodeKind::kThreshold;
    best.drawn = test.threshold;
    best.right.clear();
    settle(test, best);
    return true;
  }

  // Moves the rows of the node by the test that won; returns how many are on the left.
  template <class PartitionBy>
  std::size_t move_rows(const Candidate& best, PartitionBy partition_by) const {
    const double threshold = best.drawn;
    const bool missing_right = best.missing == 1;
    const auto by = [&]<class T>(const T* values) {
      const std::size_t stride = values_.stride();
      const T* column = values + best.feature;
      if (missing_right) {
        return partition_by([=](std::size_t, RowId row) { return !(column[row * stride] <= threshold); });
      }
      return partition_by([=](std::size_t, RowId row) { return column[row * stride] > threshold; });
    };
    return values_.is_single() ? by(values_.values<float>()) : by(values_.values<double>());
  }

 private:
  static constexpr std::size_t kTables = 2;
  static constexpr std::size_t kAhead = 16;  // rows

  struct Test {
    FeatureId feature = 0;
    Random random;
    bool varies = false;
    bool missing = false;  // some rows of the node have no value
    std::uint32_t missing_side = 0;
    double threshold = 0;
    std::size_t cells = 0;  // where the sums of both sides stand
  };

  double value(std::size_t row, FeatureId feature) const {
    const std::size_t place = row * values_.stride() + static_cast<std::size_t>(feature);
    return values_.is_single() ? static_cast<double>(values_.values<float>()[place])
                               : values_.values<double>()[place];
  }
  static bool goes_right(double x, const Test& test) {
    return test.missing_side == 1 ? !(x <= test.threshold) : x > test.threshold;
  }

  // Asks for the first and the last of some columns of a row that comes soon.
  template <class T>
  static void prefetch(const T* row, std::size_t first, std::size_t last) {
#if defined(__GNUC__)
    __builtin_prefetch(row + first);
    __builtin_prefetch(row + last);
#else
    static_cast<void>(row[first] + row[last]);
#endif
  }

  template <class T>
  void prepare_ordered(const Node& node) {
    // First pass: the range of every column, a few columns at a time, so that all of them stay in registers.
    for (std::size_t first = 0; first < ordered_.size();) {
      const std::size_t left = ordered_.size() - first;
      if (left >= 5) {
        find_ranges<T, 5>(node, first);
        first += 5;
      } else if (left >= 2) {
        find_ranges<T, 2>(node, first);
        first += 2;
      } else {
        find_ranges<T, 1>(node, first);
        first += 1;
      }
    }
    if constexpr (!Criterion::kOrdered) sum_sides<T>(node);
  }

  template <class T, std::size_t kColumns>
  void find_ranges(const Node& node, std::size_t first) {
    const std::size_t stride = values_.stride();
    const T* values = values_.values<T>();
    T low[kColumns], high[kColumns];
    std::size_t columns[kColumns];
    bool may_miss = false;
    for (std::size_t c = 0; c < kColumns; ++c) {
      const FeatureId feature = tests_[ordered_[first + c]].feature;
      columns[c] = static_cast<std::size_t>(feature);
      may_miss |= data_.column(feature).has_missing;
      low[c] = std::numeric_limits<T>::infinity();
      high[c] = -low[c];
    }
    const RowId* rows = node.rows;
    for (std::size_t i = 0; i < node.size; ++i) {
      if (i + kAhead < node.size)
        prefetch(values + rows[i + kAhead] * stride, columns[0], columns[kColumns - 1]);
      const T* row = values + rows[i] * stride;
      for (std::size_t c = 0; c < kColumns; ++c) {
        const T x = row[columns[c]];
        low[c] = x < low[c] ? x : low[c];
        high[c] = x > high[c] ? x : high[c];
      }
    }
    for (std::size_t c = 0; c < kColumns; ++c) {
      bool missing = false;
      for (std::size_t i = 0; may_miss && i < node.size && !missing; ++i) {
        missing = std::isnan(values[rows[i] * stride + columns[c]]);
      }
      draw(tests_[ordered_[first + c]], static_cast<double>(low[c]), static_cast<double>(high[c]), missing);
    }
  }

  // The threshold of a column whose values in the node lie between low and high.
  void draw(Test& test, double low, double high, bool missing) const {
    test.missing = missing;
    test.missing_side = static_cast<std::uint32_t>(test.random.uniform(2));
    test.varies = low < high || (missing && low == high);
    if (!test.varies) return;
    if (low == high) {  // only missing values differ from the rest
      test.missing_side = 1;
      test.threshold = std::numeric_limits<double>::infinity();
      return;
    }
    const double share = test.random.uniform01();
    double threshold = low * (1 - share) + high * share;
    // Rounding, or a value at infinity.
    if (!(threshold < high) || !(threshold >= low)) threshold = low;
    const Column& column = data_.column(test.feature);
    if (column.kind == ColumnKind::kOrdinal) {
      threshold = std::floor(threshold) + 0.5;
    } else if (!column.upper.empty()) {
      threshold = std::max(threshold, upper_end(column, threshold));
    }
    test.threshold = threshold;
  }

  // Bins: the largest value of the bin that the threshold falls into, all of which goes left.
  static double upper_end(const Column& column, double threshold) {
    Code below = 1, above = column.n_codes + 1;
    while (above - below > 1) {
      const Code middle = below + (above - below) / 2;
      (column.lowest(middle) <= threshold ? below : above) = middle;
    }
    return column.highest(below);
  }

  // Second pass: what each test would send left. Neighbours add to cells of their own, so that no addition
  // waits for the one before.
  template <class T>
  void sum_sides(const Node& node) {
    const auto step = static_cast<std::size_t>(criterion_.target.stride());
    const std::size_t per_test = 2 * kTables * step;
    drawn_.clear();
    std::size_t missing_right = 0;
    for (const std::size_t i : ordered_) {
      Test& test = tests_[i];
      if (!test.varies) continue;
      test.cells = drawn_.size() * per_test;
      drawn_.push_back({static_cast<std::size_t>(test.feature),
                        test.missing && test.missing_side == 1 ? 1U : 0U, test.threshold});
      missing_right |= drawn_.back().missing_right;
    }
    cells_.assign(drawn_.size() * per_test, Cell{});
    if (drawn_.empty()) return;
    missing_right != 0 ? sum_rows<T, true>(node) : sum_rows<T, false>(node);
    Cell* cells = cells_.data();
    for (std::size_t c = 0; c < drawn_.size(); ++c) {
      for (std::size_t k = 0; k < step; ++k) {
        for (std::size_t table = 1; table < kTables; ++table) {
          cells[c * per_test + k] += cells[c * per_test + table * 2 * step + k];
        }
      }
    }
  }

  template <class T, bool kMissingRight>
  void sum_rows(const Node& node) {
    const auto target = criterion_.target;
    const auto step = static_cast<std::size_t>(target.stride());
    const std::size_t per_test = 2 * kTables * step, stride = values_.stride(), n = drawn_.size();
    const T* values = values_.values<T>();
    const Drawn* drawn = drawn_.data();
    const RowId* rows = node.rows;
    const Sample* samples = node.samples;
    Cell* cells = cells_.data();
    for (std::size_t i = 0; i < node.size; ++i) {
      if (i + kAhead < node.size) {
        prefetch(values + rows[i + kAhead] * stride, drawn[0].column, drawn[n - 1].column);
      }
      const T* row = values + rows[i] * stride;
      const Sample sample = samples[i];
      Cell* own = cells + (i % kTables) * 2 * step;
      for (std::size_t c = 0; c < n; ++c, own += per_test) {
        const auto x = static_cast<double>(row[drawn[c].column]);
        auto right = static_cast<std::size_t>(x > drawn[c].threshold);
        if constexpr (kMissingRight) right |= static_cast<std::size_t>(x != x) & drawn[c].missing_right;
        target.add(own + ((std::size_t{0} - right) & step), sample);  // no branch: it would be a coin's toss
      }
    }
  }

  bool offer_subset(const Node& node, Test& test, const Limits& limits, Candidate& best) {
    const Column& column = data_.column(test.feature);
    const std::vector<Code> seen = codes_seen(column, node);
    return visit_codes(column, [&](const auto* codes) {
      test.missing = column.has_missing && std::any_of(node.rows, node.rows + node.size,
                                                       [&](RowId row) { return codes[row] == kMissing; });
      if (seen.size() + (test.missing ? 1 : 0) < 2) return false;
      test.missing_side = seen.size() == 1 ? 1 : static_cast<std::uint32_t>(test.random.uniform(2));
      std::vector<Code> right = draw_subset(seen, test.random);
      const auto side = [&](std::size_t row) {
        const Code code = codes[row];
        return code == kMissing ? test.missing_side == 1
                                : std::binary_search(right.begin(), right.end(), code);
      };
      std::size_t left = 0;
      if constexpr (Criterion::kOrdered) {
        left = sort_sides(node, side);
      } else {
        subset_cells_.assign(2 * static_cast<std::size_t>(criterion_.target.stride()), Cell{});
        for (std::size_t i = 0; i < node.size; ++i) {
          const std::size_t place =
              side(node.rows[i]) ? static_cast<std::size_t>(criterion_.target.stride()) : 0;
          criterion_.target.add(subset_cells_.data() + place, node.samples[i]);
        }
        left = criterion_.target.rows(subset_cells_.data());
      }
      if (judge(node, left, subset_cells_.data(), limits, best)) {
        best.kind = NodeKind::kSubset;
        best.drawn = std::numeric_limits<double>::quiet_NaN();
        best.right = std::move(right);
        settle(test, best);
      }
      return true;
    });
  }

  // Every subset but none and all, each as likely as any other; of a single category none.
  static std::vector<Code> draw_subset(const std::vector<Code>& seen, Random& random) {
    std::vector<Code> right;
    while (seen.size() > 1 && (right.empty() || right.size() == seen.size())) {
      right.clear();
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (i % 64 == 0) bits = random.next();
        if ((bits >> (i % 64) & 1U) != 0) right.push_back(seen[i]);
      }
    }
    return right;
  }

  // Where losses are no sums over buckets: the rows of both sides.
  template <class GoesRight>
  std::size_t sort_sides(const Node& node, GoesRight goes_right) {
    sides_[0].clear();
    sides_[1].clear();
    for (std::size_t i = 0; i < node.size; ++i) {
      sides_[goes_right(node.rows[i]) ? 1 : 0].push_back(node.samples[i]);
    }
    return sides_[0].size();
  }

  // Takes the test over as the best one if it is.
  bool judge(const Node& node, std::size_t left, const Cell* cells, const Limits& limits, Candidate& best) {
    if (left == 0 || left == node.size) return false;
    if constexpr (Criterion::kOrdered) {
      return judge_sides(node, limits, best);
    } else {
      Scan scan(criterion_, node.summary.totals.data(), node.summary.weight, buffer_);
      scan.move_bucket(cells);
      return admissible(scan, left, node.size, limits) && offer_cut(scan, limits, best);
    }
  }

  bool judge_sides(const Node& node, const Limits& limits, Candidate& best) {
    double value[2], gain = node.summary.loss;
    Summary sums[2];
    for (int side : {0, 1}) {
      auto& samples = sides_[side];
      sums[side] = criterion_.summarise(samples.data(), samples.size());
      if (samples.size() < limits.min_rows || sums[side].weight < limits.min_weight) return false;
      gain -= sums[side].loss;
      criterion_.value(sums[side], &value[side]);
    }
    if (!(gain > best.gain + limits.tie) || !std::isfinite(gain)) return false;
    if (limits.bounded && !limits.allow(value[0], value[1])) return false;
    best.gain = gain;
    best.left_weight = sums[0].weight;
    best.left_value = value[0];
    best.right_value = value[1];
    return true;
  }

  static void settle(const Test& test, Candidate& best) {
    best.feature = test.feature;
    best.rank = best.gain;
    best.missing_known = test.missing;
    best.missing = test.missing ? test.missing_side : 0;
  }

  struct Drawn {
    std::size_t column;
    std::size_t missing_right;  // 0 or 1
    double threshold;
  };

  const Dataset& data_;
  const ValueRecords& values_;
  const Criterion& criterion_;
  typename Criterion::ScanBuffer buffer_;
  std::vector<Test> tests_;
  std::vector<std::size_t> ordered_;  // those of columns with an order
  std::vector<Drawn> drawn_;
  std::vector<Cell> cells_, subset_cells_;
  std::vector<Sample> sides_[2];
};

}  // namespace treewright
