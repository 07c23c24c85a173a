// EntrySearch: the tests of sparse columns at a node of a forest's tree, from the entries that the node's
// rows have. All other rows of the node have the column's usual code; what they add up to is what the node
// has less its entries, which is exact because counts are whole numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/random.h"
#include "data/dataset.h"
#include "grow/open_node.h"
#include "split/candidate.h"
#include "split/group_ordered.h"
#include "target/class_counts.h"

namespace treewright {

// The last code whose values lie at or below a threshold.
inline Code last_code_below(const Column& column, double threshold) {
  Code low = 0, high = column.n_codes + 1;
  while (high - low > 1) {
    const Code middle = low + (high - low) / 2;
    (column.lowest(middle) <= threshold ? low : high) = middle;
  }
  return low;
}

template <class Criterion, class Scan>
class EntrySearch {
 public:
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;
  using Node = OpenNode<Sample>;
  static constexpr bool kApplies =
      std::is_same_v<typename Criterion::Target, CountedClasses> && !Criterion::kOrdered;

  EntrySearch(const Dataset& data, const Criterion& criterion)
      : data_(data), criterion_(criterion), is_used_(data.has_sparse()) {}

  // Must be told the rows of a tree's bag, and of a node whose rows have moved.
  void start(const RowList<Sample>& bag) {
    if (!is_used_) return;
    first_ = bag.rows.data();
    place_.assign(data_.n_rows, kNowhere);
    for (std::size_t i = 0; i < bag.rows.size(); ++i) place_[bag.rows[i]] = static_cast<std::uint32_t>(i);
  }
  void moved(const Node& node) {
    if (!is_used_) return;
    const std::uint32_t first = first_place(node);
    for (std::size_t i = 0; i < node.size; ++i) place_[node.rows[i]] = first + static_cast<std::uint32_t>(i);
  }

  // Offers the best cut of a column; returns whether it varies in the node.
  bool offer(const Node& node, FeatureId feature, const Limits& limits, Candidate& best) {
    const Column& column = data_.column(feature);
    find(node, column);
    const std::size_t n = entries_.size();
    if (n == 0) return false;
    if (column.n_codes > 2) std::sort(entries_.begin(), entries_.end());
    if (n == node.size && code_of(entries_.front()) == code_of(entries_.back())) return false;
    const auto step = static_cast<std::size_t>(criterion_.target.stride());
    sum_rest(node);
    Scan scan(criterion_, node.summary.totals.data(), node.summary.weight, buffer_);
    const std::size_t n_rest = node.size - n;
    std::size_t at = 0, left = 0;
    bool rest_waits = n_rest > 0;
    Code cut = 0, next = 0;
    for (;;) {
      const bool is_rest = rest_waits && (at == n || column.rest < code_of(entries_[at]));
      const Code code = is_rest ? column.rest : code_of(entries_[at]);
      const Cell* bucket = rest_.data();
      if (is_rest) {
        rest_waits = false;
        left += n_rest;
      } else {
        cells_.assign(step, Cell{});
        for (; at < n && code_of(entries_[at]) == code; ++at, ++left) {
          criterion_.target.add(cells_.data(), node.samples[place_of(entries_[at])]);
        }
        bucket = cells_.data();
      }
      if (left == node.size) break;
      scan.move_bucket(bucket);
      if (!admissible(scan, left, node.size, limits) || !offer_cut(scan, limits, best)) continue;
      cut = code;
      next = rest_waits && (at == n || column.rest < code_of(entries_[at])) ? column.rest
                                                                            : code_of(entries_[at]);
    }
    if (cut == 0) return true;
    best.bin = 0;
    best.cut = cut;
    best.next = next;
    best.missing_known = false;
    best.missing = 1;
    settle(feature, best);
    return true;
  }

  // The same with one cut that is drawn as for dense columns (forest/random_cut.h).
  bool offer_random(const Node& node, FeatureId feature, const Random& of_node, const Limits& limits,
                    Candidate& best) {
    const Column& column = data_.column(feature);
    find(node, column);
    if (entries_.empty()) return false;
    Code low_code = std::numeric_limits<Code>::max(), high_code = 0;
    for (const std::uint64_t entry : entries_) {
      low_code = std::min(low_code, code_of(entry));
      high_code = std::max(high_code, code_of(entry));
    }
    if (entries_.size() < node.size) {
      low_code = std::min(low_code, column.rest);
      high_code = std::max(high_code, column.rest);
    }
    if (low_code == high_code) return false;
    Random random = of_node.split(static_cast<std::uint64_t>(feature) + 1);
    static_cast<void>(random.uniform(2));  // the side of missing values
    const double low = column.lowest(low_code), high = column.lowest(high_code);
    const double share = random.uniform01();
    double threshold = low * (1 - share) + high * share;
    if (!(threshold < high) || !(threshold >= low)) threshold = low;
    const Code last = last_code_below(column, threshold);
    if (!column.upper.empty()) threshold = std::max(threshold, column.highest(last));

    // The entries on the side that the other rows are not on.
    const bool rest_left = column.rest <= last;
    cells_.assign(static_cast<std::size_t>(criterion_.target.stride()), Cell{});
    std::size_t n_other = 0;
    for (const std::uint64_t entry : entries_) {
      if ((code_of(entry) <= last) == rest_left) continue;
      criterion_.target.add(cells_.data(), node.samples[place_of(entry)]);
      ++n_other;
    }
    const std::size_t left = rest_left ? node.size - n_other : n_other;
    if (rest_left) take_from_totals(node, cells_);
    if (left == 0 || left == node.size) return true;
    Scan scan(criterion_, node.summary.totals.data(), node.summary.weight, buffer_);
    scan.move_bucket(cells_.data());
    if (!admissible(scan, left, node.size, limits) || !offer_cut(scan, limits, best)) return true;
    best.kind = NodeKind::kThreshold;
    best.drawn = threshold;
    best.missing_known = false;
    best.missing = 0;
    settle(feature, best);
    return true;
  }

  // Moves the rows of the node by a cut behind code `last`; returns how many are on the left.
  template <class PartitionBy>
  std::size_t move_rows(const Node& node, const Column& column, Code last, PartitionBy partition_by) {
    find(node, column);
    sides_.assign(node.size, column.rest > last ? 1 : 0);
    for (const std::uint64_t entry : entries_) sides_[place_of(entry)] = code_of(entry) > last ? 1 : 0;
    return partition_by([sides = sides_.data()](std::size_t i, RowId) { return sides[i] != 0; });
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;

  static Code code_of(std::uint64_t entry) { return static_cast<Code>(entry >> 32); }
  static std::size_t place_of(std::uint64_t entry) { return entry & 0xFFFFFFFFU; }
  std::uint32_t first_place(const Node& node) const { return static_cast<std::uint32_t>(node.rows - first_); }

  // Lists the entries of the node's rows: code, place in the node. Looks up the rows of the column in the
  // node or those of the node in the column, whichever are fewer.
  void find(const Node& node, const Column& column) {
    entries_.clear();
    const std::vector<RowId>& rows = column.rows;
    visit_stored(column, [&](const auto* codes) {
      if (rows.size() <= node.size * std::bit_width(rows.size()) * 2) {
        const std::uint32_t first = first_place(node);
        for (std::size_t e = 0; e < rows.size(); ++e) {
          const std::uint32_t place = place_[rows[e]] - first;
          if (place < node.size) entries_.push_back(std::uint64_t{codes[e]} << 32 | place);
        }
        return;
      }
      for (std::size_t i = 0; i < node.size; ++i) {
        const auto at = std::lower_bound(rows.begin(), rows.end(), node.rows[i]);
        if (at == rows.end() || *at != node.rows[i]) continue;
        entries_.push_back(std::uint64_t{codes[at - rows.begin()]} << 32 | i);
      }
    });
  }

  // The bucket of the rows without an entry.
  void sum_rest(const Node& node) {
    rest_.assign(static_cast<std::size_t>(criterion_.target.stride()), Cell{});
    for (const std::uint64_t entry : entries_) {
      criterion_.target.add(rest_.data(), node.samples[place_of(entry)]);
    }
    take_from_totals(node, rest_);
  }

  // Turns the bucket of some rows into that of all others; without their number, which nobody asks for.
  void take_from_totals(const Node& node, std::vector<Cell>& bucket) const {
    for (std::size_t k = 0; k < bucket.size(); ++k) {
      const auto amount = Criterion::Target::amount(bucket[k]);
      bucket[k] = static_cast<Cell>(static_cast<std::int64_t>(node.summary.totals[k]) - amount);
    }
  }

  static void settle(FeatureId feature, Candidate& best) {
    best.feature = feature;
    best.rank = best.gain;
    best.price = 0;
    best.right.clear();
  }

  const Dataset& data_;
  const Criterion& criterion_;
  const bool is_used_;
  typename Criterion::ScanBuffer buffer_;
  const RowId* first_ = nullptr;      // of the bag
  std::vector<std::uint32_t> place_;  // of each row in the bag
  std::vector<std::uint64_t> entries_;
  std::vector<Cell> cells_, rest_;
  std::vector<std::uint8_t> sides_;
};

}  // namespace treewright
