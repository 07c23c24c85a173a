// GroupSearch: the best cut of one ordered column, from its rows in groups. A group is a bin of neighbouring
// codes (forest/code_records.h) that the node holds, with the sums of its rows.
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
#include "criterion/two_class_cuts.h"
#include "grow/open_node.h"
#include "split/cursors.h"
#include "split/group_ordered.h"

namespace treewright {

// The groups of one column at one node, in the order of their bins.
template <class Cell>
struct RowGroups {
  struct Group {
    std::uint32_t bin;
    std::uint32_t rows;
    std::uint32_t cell;   // where its bucket begins
    std::uint32_t first;  // its first row, where rows stand in the order of their bins
    bool wanted;          // is to be looked into
  };

  Group list[256];
  std::size_t size = 0;
  std::size_t most_rows = 0;  // of a group
  const Cell* cells = nullptr;

  void clear() { size = most_rows = 0; }
  // A group without rows is left out, without a branch.
  void add(std::size_t bin, std::size_t rows, std::size_t cell, std::size_t first = 0) {
    list[size] = {static_cast<std::uint32_t>(bin), static_cast<std::uint32_t>(rows),
                  static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(first), false};
    size += rows > 0;
    most_rows = std::max(most_rows, rows);
  }
  const Cell* bucket(std::size_t i) const { return cells + list[i].cell; }
};

// How to find the rows of a group: by their place in a sorted list, or by their bytes.
struct RowOrder {
  const std::int32_t* sorted = nullptr;  // the place in the node in the lowest bits
  std::int32_t mask = 0;
  const std::uint8_t* bytes = nullptr;  // of row r at r * stride
  std::size_t stride = 0;
};

// Codes on both sides of a cut between groups are known only when their rows are looked at.
inline constexpr Code kCodeUnknown = 0xFFFFFFFFU;

template <class Criterion, class Scan>
class GroupSearch {
 public:
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;
  using Node = OpenNode<Sample>;
  using Groups = RowGroups<Cell>;
  static constexpr bool kHasBounds =
      requires(const Scan& scan, const Cell* cell) { scan.may_exceed(cell, 0.0, true); };

  explicit GroupSearch(const Criterion& criterion) : criterion_(criterion) {}

  // Whether all cuts of the node can be compared at once from sorted rows: two classes and no limits.
  bool compares_at_once(const Node& node, const Limits& limits) {
    if constexpr (kClasses) {
      return !has_limits(limits) && find_two_classes(node.summary);
    } else {
      return false;
    }
  }

  enum class Outcome { kBetter, kNotBetter, kUnknown };

  // The same as `offer` where compares_at_once, straight from the sorted rows: bin_of(i) and sample_of(i) of
  // the i-th. Without it most of the time in small nodes goes into lists that are read once. Unknown: rows
  // share a bin of several codes.
  template <class BinOf, class SampleOf>
  Outcome offer_sorted(const Node& node, bool exact, const Limits& limits, BinOf bin_of, SampleOf sample_of,
                       Candidate& best) {
    if constexpr (kClasses) {
      typename Criterion::Number weight = 0, second = 0;
      const auto other = static_cast<std::uint32_t>(classes_[1]);
      // Every row overwrites what the one before it wrote if both are of one bin.
      std::size_t n = 0;
      std::uint32_t bin = bin_of(0);
      for (std::size_t i = 0; i < node.size; ++i) {
        const Sample sample = sample_of(i);
        weight += sample.amount_of();
        second += sample.label == other ? sample.amount_of() : 0;
        weight_[n + 1] = static_cast<double>(weight);
        second_[n + 1] = static_cast<double>(second);
        bins_[n] = bin;
        const std::uint32_t next = i + 1 < node.size ? bin_of(i + 1) : 0;  // no row of a bin 0 is here
        n += next != bin;
        bin = next;
      }
      if (!exact && n < node.size) return Outcome::kUnknown;
      double gain = best.gain;
      const std::size_t taken = first_best(node, n, limits, gain);
      if (taken == n) return Outcome::kNotBetter;
      best.gain = gain;
      best.kind = NodeKind::kThreshold;
      best.left_weight = weight_[taken + 1];
      best.bin = bins_[taken];
      best.cut = exact ? bins_[taken] : bins_[taken + 1];
      best.next = exact ? bins_[taken + 1] : kCodeUnknown;
      return Outcome::kBetter;
    } else {
      return Outcome::kUnknown;
    }
  }

  // Offers the cuts to `best`; returns whether one of them is the best now. `last_codes` is empty when every
  // bin is one code.
  bool offer(const Column& column, const std::vector<Code>& last_codes, const Node& node, Groups& groups,
             const Limits& limits, const RowOrder& order, Candidate& best) {
    const bool exact = last_codes.empty();
    if constexpr (kClasses) {
      if (!has_limits(limits) && find_two_classes(node.summary)) {
        return offer_batch(column, last_codes, node, groups, limits, order, best);
      }
    }
    if (exact || !kHasBounds || groups.most_rows < 2) return offer_edges(node, groups, limits, exact, best);
    if constexpr (kHasBounds) {
      const double edge = best_edge(node, groups, limits);
      const double enough = std::max(best.gain + limits.tie, edge - limits.tie);
      if (want_groups(last_codes, node, groups, limits, enough)) {
        sort_wanted(column, node, groups, order);
        return offer_all(node, groups, limits, best);
      }
      if (!(edge > best.gain + limits.tie)) return false;
    }
    return offer_edges(node, groups, limits, exact, best);
  }

 private:
  static constexpr bool kClasses = requires { Scan::kGiniOfClasses; };

  // Whether just two classes are left in the node, and which: however many there are elsewhere, the gain is
  // that of two.
  bool find_two_classes(const Summary& summary) {
    int found = 0;
    const auto n = static_cast<int>(summary.totals.size());
    for (int k = 0; k < n; ++k) {
      if (summary.totals[static_cast<std::size_t>(k)] == 0) continue;
      if (found == 2) return false;
      classes_[found++] = k;
    }
    return found == 2;
  }

  static bool has_limits(const Limits& limits) {
    return limits.bounded || limits.min_rows > 1 || limits.min_weight > 0;
  }

  // The same with all cuts at once.
  bool offer_batch(const Column& column, const std::vector<Code>& last_codes, const Node& node,
                   Groups& groups, const Limits& limits, const RowOrder& order, Candidate& best) {
    using Target = typename Criterion::Target;
    typename Criterion::Number weight = 0, second = 0;
    const int first = classes_[0], other = classes_[1];
    for (std::size_t i = 0; i < groups.size; ++i) {
      const Cell* bucket = groups.bucket(i);
      const auto zeros = Target::amount(bucket[first]), ones = Target::amount(bucket[other]);
      weight += zeros + ones;
      second += ones;
      zeros_[i] = static_cast<double>(zeros);
      ones_[i] = static_cast<double>(ones);
      weight_[i + 1] = static_cast<double>(weight);
      second_[i + 1] = static_cast<double>(second);
    }
    double gain = best.gain;
    const std::size_t taken = first_best(node, groups.size, limits, gain);
    if (!last_codes.empty() && groups.most_rows > 1) {
      two_class_bounds(two_classes(node), weight_, second_, zeros_, ones_, groups.size, gain_);
      const double enough = std::max(best.gain + limits.tie, highest_ - limits.tie);
      bool any = false;
      for (std::size_t i = 0; i < groups.size; ++i) {
        auto& group = groups.list[i];
        if (!(gain_[i] > enough)) continue;
        group.wanted = group.rows > 1 && last_codes[group.bin] - last_codes[group.bin - 1] > 1;
        any |= group.wanted;
      }
      if (any) {
        sort_wanted(column, node, groups, order);
        return offer_all(node, groups, limits, best);
      }
    }
    if (taken == groups.size) return false;
    best.gain = gain;
    best.kind = NodeKind::kThreshold;
    best.left_weight = weight_[taken + 1];
    set_edge(groups, taken, last_codes.empty(), best);
    return true;
  }

  TwoClassNode two_classes(const Node& node) const {
    const auto other = static_cast<std::size_t>(classes_[1]);
    return {node.summary.weight, node.summary.totals[other] / node.summary.weight};
  }

  // The cut behind the i-th of n groups that is the best, n if none gains more than `gain`, which it sets.
  std::size_t first_best(const Node& node, std::size_t n, const Limits& limits, double& gain) {
    highest_ = two_class_gains(two_classes(node), weight_ + 1, second_ + 1, n - 1, gain_);
    std::size_t taken = n;
    // Most columns have no cut that is better than the best so far.
    for (std::size_t i = 0; i + 1 < n && highest_ > gain + limits.tie; ++i) {
      if (!(gain_[i] > gain + limits.tie)) continue;
      gain = gain_[i];
      taken = i;
    }
    return taken;
  }

  Scan start(const Node& node) {
    return Scan(criterion_, node.summary.totals.data(), node.summary.weight, buffer_);
  }

  static void set_edge(const Groups& groups, std::size_t i, bool exact, Candidate& best) {
    best.bin = groups.list[i].bin;
    best.cut = exact ? groups.list[i].bin : groups.list[i + 1].bin;
    best.next = exact ? groups.list[i + 1].bin : kCodeUnknown;
  }

  bool offer_edges(const Node& node, const Groups& groups, const Limits& limits, bool exact,
                   Candidate& best) {
    Scan scan = start(node);
    std::size_t left = 0, taken = groups.size;
    for (std::size_t i = 0; i + 1 < groups.size; ++i) {
      scan.move_bucket(groups.bucket(i));
      left += groups.list[i].rows;
      if (admissible(scan, left, node.size, limits) && offer_cut(scan, limits, best)) taken = i;
    }
    if (taken == groups.size) return false;
    set_edge(groups, taken, exact, best);
    return true;
  }

  // The gain of the best admissible cut between groups.
  double best_edge(const Node& node, const Groups& groups, const Limits& limits) {
    double best = -std::numeric_limits<double>::infinity();
    Scan scan = start(node);
    std::size_t left = 0;
    for (std::size_t i = 0; i + 1 < groups.size; ++i) {
      scan.move_bucket(groups.bucket(i));
      left += groups.list[i].rows;
      if (!scan.exceeds(best) || !admissible(scan, left, node.size, limits)) continue;
      if (limits.bounded && !limits.allow(scan.left_value(), scan.right_value())) continue;
      best = scan.gain();
    }
    return best;
  }

  // Marks the groups that a cut could gain more than `enough` in.
  bool want_groups(const std::vector<Code>& last_codes, const Node& node, Groups& groups,
                   const Limits& limits, double enough) {
    // Without limits both ends of a group were offered already.
    const bool ends_too = has_limits(limits);
    bool any = false;
    Scan scan = start(node);
    for (std::size_t i = 0; i < groups.size; ++i) {
      auto& group = groups.list[i];
      if (group.rows > 1 && scan.may_exceed(groups.bucket(i), enough, ends_too)) {
        group.wanted = last_codes[group.bin] - last_codes[group.bin - 1] > 1;
        any |= group.wanted;
      }
      scan.move_bucket(groups.bucket(i));
    }
    return any;
  }

  // The rows of the wanted groups in the order of their codes.
  void sort_wanted(const Column& column, const Node& node, const Groups& groups, const RowOrder& order) {
    std::uint8_t flags[256];
    std::size_t expected = 1, n = 0;
    for (std::size_t i = 0; i < groups.size; ++i) expected += groups.list[i].wanted ? groups.list[i].rows : 0;
    keys_.resize(std::max(keys_.size(), expected));
    other_keys_.resize(keys_.size());
    std::uint64_t* keys = keys_.data();
    if (order.sorted != nullptr) {
      for (std::size_t i = 0; i < groups.size; ++i) {
        const auto& group = groups.list[i];
        for (std::uint32_t j = 0; group.wanted && j < group.rows; ++j) {
          keys[n++] = static_cast<std::uint64_t>(order.sorted[group.first + j] & order.mask);
        }
      }
    } else {
      for (std::size_t i = 0; i < groups.size; ++i) flags[groups.list[i].bin] = groups.list[i].wanted;
      for (std::size_t i = 0; i < node.size; ++i) {  // no branch: most rows are not wanted
        keys[n] = i;
        n += flags[order.bytes[node.rows[i] * order.stride]];
      }
    }
    Code lowest = column.n_codes, highest = 0;
    constexpr int kLow = KeyLayout<std::uint64_t>::kPositionBits;
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t j = 0; j < n; ++j) {
        const Code code = codes[node.rows[keys[j]]];
        lowest = std::min(lowest, code);
        highest = std::max(highest, code);
        keys[j] |= static_cast<std::uint64_t>(code) << kLow;
      }
    });
    const int high = kLow + static_cast<int>(std::bit_width(lowest ^ highest));
    sorted_ = radix_sort(keys, other_keys_.data(), n, kLow, high);
  }

  // Cuts between groups and inside the wanted ones, lowest first.
  bool offer_all(const Node& node, const Groups& groups, const Limits& limits, Candidate& best) {
    Scan scan = start(node);
    std::size_t left = 0, next = 0;
    bool taken = false;
    for (std::size_t i = 0; i < groups.size; ++i) {
      const auto& group = groups.list[i];
      if (!group.wanted) {
        scan.move_bucket(groups.bucket(i));
        left += group.rows;
      } else {
        for (const std::size_t end = next + group.rows; next < end;) {
          const Code code = code_of(sorted_[next]);
          for (; next < end && code_of(sorted_[next]) == code; ++next, ++left) {
            scan.move(node.samples[position_of(sorted_[next])]);
          }
          if (next == end || !admissible(scan, left, node.size, limits) || !offer_cut(scan, limits, best)) {
            continue;
          }
          taken = true;
          best.bin = 0;
          best.cut = code;
          best.next = code_of(sorted_[next]);
        }
      }
      if (i + 1 == groups.size) break;
      if (!admissible(scan, left, node.size, limits) || !offer_cut(scan, limits, best)) continue;
      taken = true;
      set_edge(groups, i, false, best);
    }
    return taken;
  }

  const Criterion& criterion_;
  typename Criterion::ScanBuffer buffer_;
  std::vector<std::uint64_t> keys_, other_keys_;
  const std::uint64_t* sorted_ = nullptr;

  int classes_[2] = {0, 1};
  // Two classes: sums before each group and behind the last one, and the groups' own.
  double weight_[257] = {}, second_[257] = {}, zeros_[256], ones_[256], gain_[256];
  double highest_ = 0;  // of gain_
  std::uint32_t bins_[257];
};

}  // namespace treewright
