// FlagSearch: the one test of each column that has two values. A bit holds such a value, so
// those of a row lie in a few bytes (forest/key_records.h), and eight columns are summed up at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/key_lanes.h"
#include "forest/key_records.h"
#include "forest/lane_sums.h"
#include "grow/open_node.h"
#include "split/candidate.h"
#include "split/group_ordered.h"

namespace treewright {

template <class Criterion, class Scan>
class FlagSearch {
 public:
  using Sample = typename Criterion::Sample;
  using Node = OpenNode<Sample>;

  FlagSearch(const KeyRecords& flags, const Criterion& criterion) : flags_(flags), criterion_(criterion) {}

  bool has(FeatureId feature) const { return flags_.has(feature); }

  // Before the first column of a node is added.
  void start() {
    columns_.clear();
    summed_ = kNoNode;
  }
  // Returns the place by which to ask for it.
  std::size_t add(FeatureId feature) {
    columns_.push_back(feature);
    return columns_.size() - 1;
  }
  // After the last one.
  void sum(const Node& node) {
    if (columns_.empty()) return;
    const std::size_t n_batches = (columns_.size() + kLanes - 1) / kLanes;
    sums_.resize(std::max(sums_.size(), n_batches));
    keys_.resize(kBlock * kLanes);
    bits_.resize(std::max(bits_.size(), n_batches * node.size));
    summed_ = node.id;
    for (std::size_t batch = 0; batch < n_batches; ++batch) {
      const std::size_t first = batch * kLanes, n = std::min(kLanes, columns_.size() - first);
      const KeyLanes lanes(flags_, {columns_.data() + first, n}, false);
      const LaneCuts cuts;  // 0 goes left
      LaneRanges ranges;
      auto& sums = sums_[batch];
      sums.start(criterion_.target, n);
      std::uint8_t* bits = bits_.data() + batch * node.size;
      if (flags_.stride() <= kFlagBytes) {
        sums.add_flags({flags_.records(), flags_.stride(), node.rows, node.size}, lanes, node.samples, bits);
        sums.finish();
        continue;
      }
      for (std::size_t begin = 0; begin < node.size; begin += kBlock) {
        const std::size_t size = std::min(kBlock, node.size - begin);
        read_keys({flags_.records(), flags_.stride(), node.rows + begin, size}, lanes, keys_.data(), ranges);
        sums.add(keys_.data(), cuts, node.samples + begin, size, bits + begin);
      }
      sums.finish();
    }
  }

  // Offers the test of one of those columns; returns whether it varies in the node.
  bool offer(const Node& node, std::size_t place, const Limits& limits, Candidate& best) {
    const auto& sums = sums_[place / kLanes];
    const std::size_t left = sums.left_rows(place % kLanes);
    if (left == 0 || left == node.size) return false;
    Scan scan(criterion_, node.summary.totals.data(), node.summary.weight, buffer_);
    scan.move_bucket(sums.left(place % kLanes));
    if (!admissible(scan, left, node.size, limits) || !offer_cut(scan, limits, best)) return true;
    best.feature = columns_[place];
    best.rank = best.gain;
    best.price = 0;
    best.cut = 1;
    best.next = 2;
    best.bin = 0;
    best.right.clear();
    best.missing_known = false;
    best.missing = 1;
    return true;
  }

  // Whether the rows of a node can be moved by what was read last.
  bool has_sides(const Node& node, const Candidate& best) const {
    return summed_ == node.id && flags_.has(best.feature);
  }
  // Moves the rows of the node by the test that won; returns how many are on the left.
  template <class PartitionBy>
  std::size_t move_rows(const Node& node, const Candidate& best, PartitionBy partition_by) const {
    const auto place = static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), best.feature) -
                                                columns_.begin());
    const std::uint8_t* bits = bits_.data() + place / kLanes * node.size;
    return partition_by(
        [bits, lane = place % kLanes](std::size_t i, RowId) { return (bits[i] >> lane & 1) != 0; });
  }

 private:
  static constexpr std::size_t kBlock = 512;  // rows

  const KeyRecords& flags_;
  const Criterion& criterion_;
  typename Criterion::ScanBuffer buffer_;
  std::vector<FeatureId> columns_;
  std::vector<LaneSums<typename Criterion::Target>> sums_;
  std::vector<std::int32_t> keys_;
  std::vector<std::uint8_t> bits_;  // where the rows go by each test, kLanes of them in a byte ...
  NodeId summed_ = kNoNode;         // ... of this node
};

}  // namespace treewright
