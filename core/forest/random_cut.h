// RandomCut: the one test that an extremely randomised tree tries of each drawn column (Geurts, Ernst,
// Wehenkel 2006): a threshold drawn uniformly between the smallest and the largest value in the node, or
// categories cut in the same way (random_subset.h). Missing values go to a side drawn with it. While tests
// are compared, a gain is less its price.
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
#include "forest/key_lanes.h"
#include "forest/key_records.h"
#include "forest/lane_sums.h"
#include "forest/random_subset.h"
#include "grow/open_node.h"
#include "split/group_ordered.h"

namespace treewright {

template <class Criterion, class Scan>
class RandomCut {
 public:
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;
  using Node = OpenNode<Sample>;

  RandomCut(const Dataset& data, const KeyRecords& records, const Criterion& criterion,
            const SplitRules& rules)
      : data_(data), records_(records), criterion_(criterion), subset_(data, criterion, rules) {}

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
    const std::size_t n_batches = (ordered_.size() + kLanes - 1) / kLanes;
    sums_.resize(std::max(sums_.size(), n_batches));
    prepared_ = node.id;
    keys_.resize(std::max(keys_.size(), (node.size <= kMostKept ? node.size : kBlock) * kLanes));
    bits_.resize(std::max(bits_.size(), n_batches * node.size));
    for (std::size_t batch = 0; batch < n_batches; ++batch) prepare_batch(node, batch);
  }

  // Offers the test of the i-th of those columns; returns whether the column varies in the node.
  bool offer(const Node& node, std::size_t i, const Limits& limits, Candidate& best) {
    Test& test = tests_[i];
    if (data_.column(test.feature).kind == ColumnKind::kNominal)
      return offer_subset(node, test, limits, best);
    if (!test.varies) return false;
    std::size_t left = 0;
    const Cell* cells = nullptr;
    if constexpr (Criterion::kOrdered) {
      const std::uint8_t* bits = bits_.data() + test.place / kLanes * node.size;
      left = sort_sides(node, [&](std::size_t row) { return (bits[row] >> test.place % kLanes & 1) != 0; });
    } else {
      left = sums_[test.place / kLanes].left_rows(test.place % kLanes);
      cells = sums_[test.place / kLanes].left(test.place % kLanes);
    }
    if (!judge(node, left, cells, limits, best)) return true;
    won_ = i;
    best.kind = NodeKind::kThreshold;
    best.drawn = test.threshold;
    best.right.clear();
    settle(test, best);
    return true;
  }

  // Moves the rows of the node by the test that won; returns how many are on the left.
  template <class PartitionBy>
  std::size_t move_rows(const Node& node, const Candidate& best, PartitionBy partition_by) const {
    if (prepared_ == node.id) {
      const std::size_t place = tests_[won_].place;
      const std::uint8_t* bits = bits_.data() + place / kLanes * node.size;
      return partition_by(
          [bits, lane = place % kLanes](std::size_t i, RowId) { return (bits[i] >> lane & 1) != 0; });
    }
    Test test;
    test.last = best.drawn == kOnlyMissing ? kLastKey : records_.last_below(best.feature, best.drawn);
    test.missing = best.missing_known;
    test.missing_side = best.missing;
    test.missing_key = records_.missing(best.feature);
    const KeyField field = records_.field(best.feature);
    return partition_by(
        [=, records = records_.records(), stride = records_.stride()](std::size_t, RowId row) {
          return goes_right(field.read(records + row * stride), test);
        });
  }

 private:
  static constexpr std::size_t kBlock = 512;      // rows whose keys are read and used at a time ...
  static constexpr std::size_t kMostKept = 4096;  // ... unless all of a node's can be kept in the cache
  static constexpr std::int32_t kLastKey = std::numeric_limits<std::int32_t>::max();
  static constexpr double kOnlyMissing =
      std::numeric_limits<double>::infinity();  // go right, by this threshold

  struct Test {
    FeatureId feature = 0;
    Random random;
    bool varies = false;
    bool missing = false;  // some rows of the node have no value
    std::uint32_t missing_side = 0;
    std::int32_t missing_key = 0;
    std::int32_t last = 0;  // the last key on the left
    double threshold = 0;
    std::size_t place = 0;  // among the ordered columns
  };

  static bool goes_right(std::int32_t key, const Test& test) {
    return key > test.last || (test.missing && test.missing_side == 1 && key == test.missing_key);
  }

  void prepare_batch(const Node& node, std::size_t batch) {
    FeatureId columns[kLanes];
    const std::size_t first = batch * kLanes, n = std::min(kLanes, ordered_.size() - first);
    bool may_miss = false;
    for (std::size_t lane = 0; lane < n; ++lane) {
      columns[lane] = tests_[ordered_[first + lane]].feature;
      may_miss |= data_.column(columns[lane]).has_missing;
    }
    const KeyLanes lanes(records_, {columns, n}, may_miss);
    LaneRanges ranges;
    const auto read = [&](std::size_t begin, std::size_t size) {
      read_keys({records_.records(), records_.stride(), node.rows + begin, size}, lanes, keys_.data(),
                ranges);
    };
    for_blocks(node, read);
    LaneCuts cuts;
    std::copy_n(lanes.missing, kLanes, cuts.missing);
    bool any = false;
    for (std::size_t lane = 0; lane < n; ++lane) {
      Test& test = tests_[ordered_[first + lane]];
      test.place = first + lane;
      test.missing_key = lanes.missing[lane];
      const auto last = [&](double threshold, std::int32_t low, std::int32_t high) {
        return last_below(node, test.feature, lane, threshold, low, high);
      };
      draw(test, ranges.low[lane], ranges.high[lane], ranges.any_missing[lane] != 0, last);
      any |= test.varies;
      cuts.last[lane] = test.last;
      if (test.missing && test.missing_side == 1) cuts.missing_right[lane] = -1;
    }
    if (!any) return;
    std::uint8_t* bits = bits_.data() + batch * node.size;
    const bool again = node.size > kMostKept;
    if constexpr (!Criterion::kOrdered) sums_[batch].start(criterion_.target, n);
    for_blocks(node, [&](std::size_t begin, std::size_t size) {
      if (again) read(begin, size);
      if constexpr (Criterion::kOrdered) {
        find_sides(keys_.data(), cuts, size, bits + begin);
      } else {
        sums_[batch].add(keys_.data(), cuts, node.samples + begin, size, bits + begin);
      }
    });
    if constexpr (!Criterion::kOrdered) sums_[batch].finish();
  }

  // body(begin, size) for rows whose keys are read at a time.
  template <class Body>
  void for_blocks(const Node& node, Body body) {
    if (node.size <= kMostKept) return body(std::size_t{0}, node.size);
    for (std::size_t begin = 0; begin < node.size; begin += kBlock) {
      body(begin, std::min(kBlock, node.size - begin));
    }
  }

  // The last key on the left. Of the few rows of a small node the keys are tried one by one, because the list
  // of all values is long and far away; then the key is the last one in the node.
  std::int32_t last_below(const Node& node, FeatureId feature, std::size_t lane, double threshold,
                          std::int32_t low, std::int32_t high) const {
    constexpr std::size_t kFewRows = 8;
    if (node.size > kFewRows || records_.holds_values(feature) || !data_.column(feature).upper.empty() ||
        high - low <= static_cast<std::int32_t>(node.size)) {
      return records_.last_below(feature, threshold, low, high);
    }
    std::int32_t last = low;
    for (std::size_t i = 0; i < node.size; ++i) {
      const std::int32_t key = keys_[i * kLanes + lane];
      if (key <= last || key >= high) continue;
      if (records_.value(feature, key) <= threshold) last = key;
    }
    return last;
  }

  // The threshold of a column whose known keys in the node lie between low and high.
  template <class LastBelow>
  void draw(Test& test, std::int32_t low_key, std::int32_t high_key, bool missing,
            LastBelow last_below) const {
    test.missing = missing;
    test.varies = low_key < high_key || (missing && low_key == high_key);
    if (!test.varies) return;
    test.missing_side = static_cast<std::uint32_t>(test.random.uniform(2));
    if (low_key == high_key) {  // only missing values differ from the rest
      test.missing_side = 1;
      test.threshold = kOnlyMissing;
      test.last = kLastKey;
      return;
    }
    const double low = records_.value(test.feature, low_key), high = records_.value(test.feature, high_key);
    const double share = test.random.uniform01();
    double threshold = low * (1 - share) + high * share;
    // Rounding, or a value at infinity.
    if (!(threshold < high) || !(threshold >= low)) threshold = low;
    test.last = last_below(threshold, low_key, high_key);
    const Column& column = data_.column(test.feature);
    if (column.kind == ColumnKind::kOrdinal) {
      threshold = std::floor(threshold) + 0.5;
    } else if (!column.upper.empty()) {
      // All of the bin that the threshold falls into goes left.
      threshold = std::max(threshold, records_.highest(test.feature, test.last));
    }
    test.threshold = threshold;
  }

  bool offer_subset(const Node& node, Test& test, const Limits& limits, Candidate& best) {
    const Column& column = data_.column(test.feature);
    if (!subset_.read(column, node)) return false;
    Random random = test.random;  // so that a test that is offered again is the same
    test.missing = subset_.has_missing();
    test.missing_side = subset_.size() == 1 ? 1 : static_cast<std::uint32_t>(random.uniform(2));
    subset_.draw(node, random, drawn_subset_);
    const std::vector<Code>& right = drawn_subset_.right;
    const std::vector<Cell>& cells = subset_.left(test.missing && test.missing_side == 0);
    std::size_t left = 0;
    if constexpr (Criterion::kOrdered) {
      visit_codes(column, [&](const auto* codes) {
        left = sort_sides(node, [&](std::size_t i) {
          const Code code = codes[node.rows[i]];
          return code == kMissing ? test.missing_side == 1
                                  : std::binary_search(right.begin(), right.end(), code);
        });
      });
    } else {
      left = criterion_.target.rows(cells.data());
    }
    // The test must exceed the best so far by what it pays.
    Limits own = limits;
    const double price = subset_.price(node);
    own.tie += price;
    if (!judge(node, left, cells.data(), own, best)) return true;
    best.kind = NodeKind::kSubset;
    best.drawn = std::numeric_limits<double>::quiet_NaN();
    best.right = right;
    settle(test, best);
    best.price = price;
    best.gain -= price;
    best.rank = best.gain;
    return true;
  }

  // Where losses are no sums over buckets: the rows of both sides.
  template <class GoesRight>
  std::size_t sort_sides(const Node& node, GoesRight goes_right) {
    sides_[0].clear();
    sides_[1].clear();
    for (std::size_t i = 0; i < node.size; ++i) {
      sides_[goes_right(i) ? 1 : 0].push_back(node.samples[i]);
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
    best.price = 0;
    best.missing_known = test.missing;
    best.missing = test.missing ? test.missing_side : 0;
  }

  const Dataset& data_;
  const KeyRecords& records_;
  const Criterion& criterion_;
  typename Criterion::ScanBuffer buffer_;
  std::vector<Test> tests_;
  std::vector<std::size_t> ordered_;  // those of columns with an order
  std::size_t won_ = 0;               // the test that was taken last
  std::vector<std::int32_t> keys_;    // kLanes of a row side by side
  std::vector<std::uint8_t> bits_;    // where the rows go by each test, kLanes of them in a byte ...
  NodeId prepared_ = kNoNode;         // ... of this node
  std::vector<LaneSums<typename Criterion::Target>> sums_;
  RandomSubset<Criterion, Scan> subset_;
  Candidate drawn_subset_;
  std::vector<Sample> sides_[2];
};

}  // namespace treewright
