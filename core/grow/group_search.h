// GroupSearch: the best cut of one ordered column, from its rows in groups. A group is a bin of neighbouring
// codes (grow/byte_records.h) that the node holds, with the sums of its rows.
//
// Cuts between groups are exact. A cut inside a group cannot gain more than a bound that follows from the
// group's sums (Scan::may_exceed; interval pruning as in CLOUDS: Alsabti, Ranka, Singh 1998), so only groups
// whose bound exceeds the best are looked into with the true codes: a few percent of the rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/radix_sort.h"
#include "grow/open_node.h"
#include "split/group_threshold.h"
#include "split/sorted_rows.h"

namespace treewright {

struct RowGroup {
  std::uint32_t bin;
  std::uint32_t rows;
  bool wanted;  // is to be looked into
};

// Codes on both sides of a cut between groups are known only when their rows are looked at.
inline constexpr Code kCodeUnknown = 0xFFFFFFFFU;

template <class Criterion, class Scan>
class GroupSearch {
 public:
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;
  using Node = OpenNode<Sample>;
  static constexpr bool kHasBounds =
      requires(const Scan& scan, const Cell* cell) { scan.may_exceed(cell, 0.0, true); };

  explicit GroupSearch(const Criterion& criterion) : criterion_(criterion) {}

  // `last_codes` is empty when every bin is one code. `cells` holds a bucket per group; the i-th group's bin is
  // the byte of its rows.
  struct Groups {
    std::vector<RowGroup>& list;
    const Cell* cells;  // of group i at offset(i)
    bool by_bin;        // cells stand by bin, else by group
  };

  // Offers the cuts to `best`. bytes(i): the bin of the node's i-th row.
  template <class ByteAt>
  bool offer(const Column& column, const std::vector<Code>& last_codes, const Node& node, const Groups& groups,
             const Limits& limits, ByteAt byte_at, Candidate& best) {
    const bool exact = last_codes.empty();
    const double edge = best_edge(node, groups, limits, best.gain + limits.tie);
    bool refined = false;
    if (!exact) {
      if constexpr (kHasBounds) {
        const double enough = std::max(best.gain + limits.tie, edge - limits.tie);
        refined = want_groups(last_codes, node, groups, limits, enough);
      }
    }
    if (!refined && !(edge > best.gain + limits.tie)) return false;
    if (refined) sort_wanted(column, node, groups, byte_at);
    return offer_in_order(node, groups, limits, exact, best);
  }

 private:
  const Cell* bucket(const Groups& groups, std::size_t i) const {
    const std::size_t place = groups.by_bin ? groups.list[i].bin : i;
    return groups.cells + place * static_cast<std::size_t>(criterion_.target.stride());
  }
  Scan start(const Node& node) {
    return Scan(criterion_, node.summary.totals.data(), node.summary.weight, buffer_);
  }

  // The gain of the best admissible cut between groups that is better than `least`.
  double best_edge(const Node& node, const Groups& groups, const Limits& limits, double least) {
    double best = -std::numeric_limits<double>::infinity();
    static_cast<void>(least);
    Scan scan = start(node);
    std::size_t left = 0;
    for (std::size_t i = 0; i + 1 < groups.list.size(); ++i) {
      scan.move_bucket(bucket(groups, i));
      left += groups.list[i].rows;
      if (!better(scan, best) || !admissible(scan, left, node.size, limits)) continue;
      if (limits.bounded && !limits.allow(scan.left_value(), scan.right_value())) continue;
      best = scan.gain();
    }
    return best;
  }

  static bool better(const Scan& scan, double gain) {
    if constexpr (requires { scan.exceeds(gain); }) return scan.exceeds(gain);
    return scan.gain() > gain;
  }

  // Marks the groups that a cut could gain more than `enough` in.
  bool want_groups(const std::vector<Code>& last_codes, const Node& node, const Groups& groups,
                   const Limits& limits, double enough) {
    // Without limits both ends of a group were offered already.
    const bool ends_too = limits.bounded || limits.min_rows > 1 || limits.min_weight > 0;
    bool any = false;
    Scan scan = start(node);
    for (std::size_t i = 0; i < groups.list.size(); ++i) {
      RowGroup& group = groups.list[i];
      const bool several = group.rows > 1 && last_codes[group.bin] - last_codes[group.bin - 1] > 1;
      group.wanted = several && scan.may_exceed(bucket(groups, i), enough, ends_too);
      any |= group.wanted;
      scan.move_bucket(bucket(groups, i));
    }
    return any;
  }

  // The rows of the wanted groups in the order of their codes.
  template <class ByteAt>
  void sort_wanted(const Column& column, const Node& node, const Groups& groups, ByteAt byte_at) {
    std::uint8_t flags[256] = {};
    std::size_t expected = 1;
    for (const RowGroup& group : groups.list) {
      flags[group.bin] = group.wanted;
      expected += group.wanted ? group.rows : 0;
    }
    keys_.resize(std::max(keys_.size(), expected));
    other_keys_.resize(keys_.size());
    std::size_t n = 0;
    for (std::size_t i = 0; i < node.size; ++i) {  // no branch: most rows are not wanted
      keys_[n] = i;
      n += flags[byte_at(i)];
    }
    Code lowest = column.n_codes, highest = 0;
    constexpr int kLow = KeyLayout<std::uint64_t>::kPositionBits;
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t j = 0; j < n; ++j) {
        const Code code = codes[node.rows[keys_[j]]];
        lowest = std::min(lowest, code);
        highest = std::max(highest, code);
        keys_[j] |= static_cast<std::uint64_t>(code) << kLow;
      }
    });
    const int high = kLow + static_cast<int>(std::bit_width(lowest ^ highest));
    sorted_ = radix_sort(keys_.data(), other_keys_.data(), n, kLow, high);
  }

  bool offer_in_order(const Node& node, const Groups& groups, const Limits& limits, bool exact,
                      Candidate& best) {
    Scan scan = start(node);
    std::size_t left = 0, next = 0;
    bool taken = false;
    const auto offer = [&](Code cut, Code following, std::uint32_t bin) {
      if (!admissible(scan, left, node.size, limits) || !offer_cut(scan, limits, best)) return;
      best.cut = cut;
      best.next = following;
      best.bin = bin;
      taken = true;
    };
    for (std::size_t i = 0; i < groups.list.size(); ++i) {
      const RowGroup& group = groups.list[i];
      if (exact || !group.wanted) {
        scan.move_bucket(bucket(groups, i));
        left += group.rows;
      } else {
        for (std::size_t end = next + group.rows; next < end;) {
          const Code code = code_of(sorted_[next]);
          for (; next < end && code_of(sorted_[next]) == code; ++next, ++left) {
            scan.move(node.samples[position_of(sorted_[next])]);
          }
          if (next < end) offer(code, code_of(sorted_[next]), 0);
        }
      }
      if (i + 1 == groups.list.size()) break;
      if (exact) {
        offer(group.bin, groups.list[i + 1].bin, group.bin);
      } else {
        offer(kCodeUnknown, kCodeUnknown, group.bin);
        if (taken && best.next == kCodeUnknown && best.bin == group.bin) best.cut = groups.list[i + 1].bin;
      }
    }
    return taken;
  }

  const Criterion& criterion_;
  typename Criterion::ScanBuffer buffer_;
  std::vector<std::uint64_t> keys_, other_keys_;
  const std::uint64_t* sorted_ = nullptr;
};

}  // namespace treewright
