// RandomCut: the one test that an extremely randomised tree tries of a column (Geurts, Ernst, Wehenkel 2006):
// a threshold drawn uniformly between the smallest and the largest value in the node, or a random subset of
// the categories in the node. Missing values go to a side drawn with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/dataset.h"
#include "grow/codes_seen.h"
#include "grow/open_node.h"
#include "split/group_threshold.h"

namespace treewright {

template <class Criterion, class Scan>
class RandomCut {
 public:
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;
  using Node = OpenNode<Sample>;

  RandomCut(const Dataset& data, const Criterion& criterion) : data_(data), criterion_(criterion) {}

  // Offers the test; returns whether the column varies in the node.
  bool offer(const Node& node, FeatureId feature, const Limits& limits, Random random, Candidate& best) {
    const Column& column = data_.column(feature);
    codes_.resize(std::max(codes_.size(), node.size));
    Code lowest = std::numeric_limits<Code>::max(), highest = 0;
    visit_codes(column, [&](const auto* codes) {
      if (!column.has_missing) {
        for (std::size_t i = 0; i < node.size; ++i) {
          const Code code = codes[node.rows[i]];
          codes_[i] = code;
          lowest = std::min(lowest, code);
          highest = std::max(highest, code);
        }
        return;
      }
      for (std::size_t i = 0; i < node.size; ++i) {
        const Code code = codes[node.rows[i]];
        codes_[i] = code;
        lowest = std::min(lowest, code - 1);  // missing wraps to the largest number
        highest = std::max(highest, code);
      }
      ++lowest;
    });
    const bool missing = column.has_missing && std::find(codes_.begin(), at(node.size), kMissing) != at(node.size);
    if (highest == 0 || (lowest == highest && !missing)) return false;
    const std::uint32_t missing_side = static_cast<std::uint32_t>(random.uniform(2));
    if (column.kind == ColumnKind::kNominal) {
      offer_subset(column, node, feature, limits, random, missing, missing_side, best);
    } else {
      offer_threshold(column, node, feature, limits, random, {lowest, highest}, missing, missing_side, best);
    }
    return true;
  }

 private:
  struct Range {
    Code lowest, highest;
  };

  auto at(std::size_t i) { return codes_.begin() + static_cast<std::ptrdiff_t>(i); }

  void offer_threshold(const Column& column, const Node& node, FeatureId feature, const Limits& limits,
                       Random& random, Range range, bool missing, std::uint32_t missing_side,
                       Candidate& best) {
    Candidate& test = test_;
    test.drawn = std::numeric_limits<double>::infinity();
    test.cut = range.highest;
    std::uint32_t side = missing_side;
    if (range.lowest < range.highest) {
      draw_threshold(column, node.size, range, random, test);
    } else {
      side = 1;  // only missing values differ from the rest
    }
    const std::size_t left = fill(node, [cut = test.cut, side](Code code) {
      return code == kMissing ? side == 1 : code > cut;
    });
    if (!judge(node, left, limits, best)) return;
    best.kind = NodeKind::kThreshold;
    best.cut = test.cut;
    best.next = 0;
    best.drawn = test.drawn;
    best.right.clear();
    settle(feature, missing, side, best);
  }

  // Rows whose value is not above the threshold go left. A bin goes left when all of it lies there, but some
  // bin always does.
  void draw_threshold(const Column& column, std::size_t rows, Range range, Random& random, Candidate& test) {
    if (column.kind == ColumnKind::kOrdinal) {
      test.cut = range.lowest + static_cast<Code>(random.uniform(range.highest - range.lowest));
      test.drawn = static_cast<double>(test.cut) + 0.5;
      return;
    }
    const double low = column.highest(range.lowest), high = column.lowest(range.highest);
    const double share = random.uniform01();
    // Values at or near infinity: half-way by parts.
    double threshold = low * (1 - share) + high * share;
    if (!(threshold < high) || !(threshold >= low)) threshold = low;
    test.drawn = threshold;
    Code below = range.lowest, above = range.highest;
    if (rows <= kFewRows) {
      // A few rows: their own values say where the threshold falls.
      for (std::size_t i = 0; i < rows; ++i) {
        if (codes_[i] > below && codes_[i] < above && column.highest(codes_[i]) <= threshold) below = codes_[i];
      }
    } else {
      while (above - below > 1) {
        const Code middle = below + (above - below) / 2;
        (column.highest(middle) <= threshold ? below : above) = middle;
      }
    }
    test.cut = below;
    if (!column.upper.empty() && below < range.highest) {
      // Bins: the threshold stands between two of them, where prediction cannot disagree with the codes.
      test.drawn = std::max(column.highest(below), std::min(threshold, std::nextafter(column.lowest(below + 1), column.highest(below))));
    }
  }

  void offer_subset(const Column& column, const Node& node, FeatureId feature, const Limits& limits,
                    Random& random, bool missing, std::uint32_t missing_side, Candidate& best) {
    const std::vector<Code> seen = codes_seen(column, node);
    std::vector<Code> right;
    std::uint32_t side = missing_side;
    if (seen.size() == 1) {
      side = 1;
    } else {
      // Every subset but none and all, each as likely as any other.
      while (right.empty() || right.size() == seen.size()) {
        right.clear();
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
          if (i % 64 == 0) bits = random.next();
          if ((bits >> (i % 64) & 1U) != 0) right.push_back(seen[i]);
        }
      }
    }
    const std::size_t left = fill(node, [&right, side](Code code) {
      return code == kMissing ? side == 1 : std::binary_search(right.begin(), right.end(), code);
    });
    if (!judge(node, left, limits, best)) return;
    best.kind = NodeKind::kSubset;
    best.right = std::move(right);
    settle(feature, missing, side, best);
  }

  // Sums up the left side; returns its rows.
  template <class GoesRight>
  std::size_t fill(const Node& node, GoesRight goes_right) {
    if constexpr (Criterion::kOrdered) {
      sides_[0].clear();
      sides_[1].clear();
      for (std::size_t i = 0; i < node.size; ++i) {
        sides_[goes_right(codes_[i]) ? 1 : 0].push_back(node.samples[i]);
      }
      return sides_[0].size();
    } else {
      const auto target = criterion_.target;
      const auto stride = static_cast<std::size_t>(target.stride());
      // Neighbours add to cells of their own, so that no addition waits for the one before.
      constexpr std::size_t kTables = 4;
      cells_.assign(2 * kTables * stride, Cell{});
      Cell* cells = cells_.data();
      for (std::size_t i = 0; i < node.size; ++i) {
        const std::size_t place = (i % kTables) * 2 + (goes_right(codes_[i]) ? 1 : 0);
        target.add(cells + place * stride, node.samples[i]);
      }
      for (std::size_t table = 1; table < kTables; ++table) {
        for (std::size_t c = 0; c < stride; ++c) cells[c] += cells[table * 2 * stride + c];
      }
      return target.rows(cells);
    }
  }

  // Takes the test over as the best one if it is.
  bool judge(const Node& node, std::size_t left, const Limits& limits, Candidate& best) {
    if (left == 0 || left == node.size) return false;
    if constexpr (Criterion::kOrdered) {
      return judge_sides(node, limits, best);
    } else {
      Scan scan(criterion_, node.summary.totals.data(), node.summary.weight, buffer_);
      scan.move_bucket(cells_.data());
      return admissible(scan, left, node.size, limits) && offer_cut(scan, limits, best);
    }
  }

  // Where losses are no sums over buckets: from the rows of both sides.
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

  static void settle(FeatureId feature, bool missing, std::uint32_t side, Candidate& best) {
    best.feature = feature;
    best.rank = best.gain;
    best.missing_known = missing;
    best.missing = missing ? side : 0;
  }

  static constexpr std::size_t kFewRows = 32;

  const Dataset& data_;
  const Criterion& criterion_;
  typename Criterion::ScanBuffer buffer_;
  std::vector<Code> codes_;
  std::vector<Cell> cells_;
  std::vector<Sample> sides_[2];  // where losses are no sums over buckets
  Candidate test_;
};

}  // namespace treewright
