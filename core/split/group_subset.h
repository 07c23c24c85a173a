// Subset grouping: the categories of a nominal column in two groups.
// Beyond a few categories only groups along an order are tried.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "criterion/gini_subsets.h"
#include "split/category_buckets.h"
#include "split/category_order.h"
#include "split/group_ordered.h"
#include "split/many_categories.h"

namespace treewright {

// Up to this many categories present, more than two classes are split by trying every subset.
inline constexpr std::size_t kExhaustiveCategories = SubsetGains::kMostCategories;

// Which categories go right, from "the first `cut` places of the order go left".
template <class Target>
void set_right_codes(const CategoryBuckets<Target>& buckets, std::span<const std::size_t> order,
                     Candidate& candidate) {
  candidate.kind = NodeKind::kSubset;
  candidate.right.clear();
  for (std::size_t place = candidate.cut; place < order.size(); ++place) {
    candidate.right.push_back(buckets.codes[order[place]]);
  }
  std::sort(candidate.right.begin(), candidate.right.end());
}

template <class Scan, class Criterion>
Candidate best_along_order(const NodeColumn<Criterion>& node,
                           const CategoryBuckets<typename Criterion::Target>& buckets,
                           std::span<const std::size_t> order) {
  std::size_t tries = 0;
  Candidate best =
      best_grouping<Scan>(node, OrderedSource<typename Criterion::Target>{buckets, order}, 0.0, &tries);
  if (best.valid()) set_right_codes(buckets, order, best);
  return best;
}

// Scratch memory of one thread.
template <class Target>
struct SubsetScratch {
  PooledCategories<Target> pooled;
  CategoryOrder order;
  SubsetGains gains;
  std::vector<typename Target::Cell> sums;  // of every subset
};

// One subset against all other rows, as if the column had two codes.
template <class Target>
class SubsetCursor {
 public:
  SubsetCursor(const Target& target, const typename Target::Cell* bucket)
      : target_(target), bucket_(bucket) {}

  bool one_left() const { return moved_; }
  template <class Scan>
  void advance(Scan& scan) {
    scan.move_bucket(bucket_);
    moved_ = true;
  }
  Code code() const { return 1; }
  Code next_code() const { return 2; }
  Code last_code() const { return 2; }
  std::size_t rows() const { return moved_ ? target_.rows(bucket_) : 0; }

 private:
  const Target& target_;
  const typename Target::Cell* bucket_;
  bool moved_ = false;
};

template <class Target>
struct SubsetSource {
  const Target& target;
  const typename Target::Cell* bucket;
  const typename Target::Cell* missing;

  SubsetCursor<Target> cursor() const { return SubsetCursor<Target>(target, bucket); }
  template <class Scan>
  void move_missing(Scan& scan) const {
    scan.move_bucket(missing);
  }
};

// The sums of a subset, the categories in their order.
template <class Target>
void add_subset(const CategoryBuckets<Target>& buckets, std::size_t subset, typename Target::Cell* sums) {
  const auto stride = static_cast<std::size_t>(buckets.target->stride());
  std::fill_n(sums, stride, typename Target::Cell{});
  for (std::size_t i = 0; subset >> i != 0; ++i) {
    if ((subset >> i & 1U) == 0) continue;
    for (std::size_t k = 0; k < stride; ++k) sums[k] += buckets.bucket(i)[k];
  }
}

// What it takes to go left: the categories whose bits are set.
template <class Target>
void set_right_subset(const CategoryBuckets<Target>& buckets, std::size_t left, Candidate& candidate) {
  candidate.kind = NodeKind::kSubset;
  candidate.right.clear();
  const bool all_left = candidate.next == 0;  // missing rows alone go right
  candidate.cut =
      static_cast<Code>(all_left ? buckets.size() : static_cast<std::size_t>(std::popcount(left)));
  for (std::size_t i = 0; i < buckets.size() && !all_left; ++i) {
    if ((left >> i & 1U) == 0) candidate.right.push_back(buckets.codes[i]);
  }
}

// The test of one subset.
template <class Scan, class Criterion>
Candidate test_subset(const NodeColumn<Criterion>& node,
                      const CategoryBuckets<typename Criterion::Target>& buckets,
                      const typename Criterion::Cell* sums) {
  std::size_t tries = 0;
  return best_grouping<Scan>(
      node, SubsetSource<typename Criterion::Target>{*buckets.target, sums, buckets.missing.data()}, 0.0,
      &tries);
}

// Whether the gains of all subsets can be worked out at once.
template <class Scan, class Criterion>
bool has_subset_gains(const NodeColumn<Criterion>& node) {
  if constexpr (requires { Scan::kHasSubsetGains; }) {
    return Scan::kHasSubsetGains && node.missing_rows == 0 && node.limits.min_rows <= 1 &&
           node.limits.monotone == 0 && node.rules.declared_classes <= 0 &&
           node.summary.weight <= SubsetGains::kMostWeight;
  } else {
    return false;
  }
}

// The first subset of those that gain most, 0 for none.
template <class Criterion>
std::size_t best_by_gains(const NodeColumn<Criterion>& node,
                          const CategoryBuckets<typename Criterion::Target>& buckets, double price,
                          SubsetScratch<typename Criterion::Target>& scratch) {
  using Target = typename Criterion::Target;
  SubsetGains& gains = scratch.gains;
  const std::vector<double>& totals = node.summary.totals;
  const double weight = node.summary.weight;
  double squares = 0, counts[SubsetGains::kMostCategories];
  for (const double total : totals) squares += total * total;
  gains.start(buckets.size(), weight, squares);
  for (std::size_t k = 0; k < totals.size(); ++k) {
    if (!(totals[k] > 0)) continue;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      counts[i] = static_cast<double>(Target::amount(buckets.bucket(i)[k]));
    }
    gains.add_class(counts, totals[k]);
  }
  gains.finish();
  const Limits& limits = node.limits;
  if (!gains.any_exceeds(std::max(limits.floor, limits.to_beat + price) + limits.tie)) return 0;
  std::size_t best = 0;
  double best_gain = -std::numeric_limits<double>::infinity();
  for (std::size_t subset = 1; subset < gains.n_subsets(); ++subset) {
    const double left = gains.weight(subset);
    if (left < limits.min_weight || weight - left < limits.min_weight) continue;
    if (best != 0 && !gains.exceeds(subset, best_gain)) continue;
    if (!gains.exceeds(subset, limits.floor + limits.tie)) continue;
    const double gain = gains.gain(subset);
    if (!(gain > limits.floor + limits.tie) || !std::isfinite(gain)) continue;
    if (!(gain > best_gain + limits.tie)) continue;
    best = subset;
    best_gain = gain;
  }
  return best;
}

// Every subset that keeps the last category on the right: the others are mirror images.
template <class Scan, class Criterion>
Candidate best_of_all_subsets(const NodeColumn<Criterion>& node,
                              const CategoryBuckets<typename Criterion::Target>& buckets, double price,
                              SubsetScratch<typename Criterion::Target>& scratch) {
  const auto stride = static_cast<std::size_t>(buckets.target->stride());
  scratch.sums.resize(stride);
  if (has_subset_gains<Scan>(node)) {
    const std::size_t left = best_by_gains(node, buckets, price, scratch);
    if (left == 0) return Candidate{};
    add_subset(buckets, left, scratch.sums.data());
    Candidate best = test_subset<Scan>(node, buckets, scratch.sums.data());
    set_right_subset(buckets, left, best);
    return best;
  }
  Candidate best;
  for (std::size_t left = 1; left < (std::size_t{1} << (buckets.size() - 1)); ++left) {
    add_subset(buckets, left, scratch.sums.data());
    Candidate candidate = test_subset<Scan>(node, buckets, scratch.sums.data());
    if (!candidate.valid() || !(candidate.gain > best.gain + node.limits.tie)) continue;
    set_right_subset(buckets, left, candidate);
    best = std::move(candidate);
  }
  return best;
}

// The most that any grouping of the categories can gain: a branch for each of them.
template <class Scan, class Criterion>
double gain_of_all(const NodeColumn<Criterion>& node,
                   const CategoryBuckets<typename Criterion::Target>& buckets) {
  const bool learned = node.rules.missing == MissingRule::kLearned;
  if constexpr (requires { Scan::kBranchGain; }) {
    if (learned || node.missing_rows == 0) {
      double sum = 0;
      const double* totals = node.summary.totals.data();
      const double weight = node.summary.weight;
      for (std::size_t i = 0; i < buckets.size(); ++i) {
        sum += Scan::branch_gain(node.criterion, totals, weight, buckets.bucket(i));
      }
      if (node.missing_rows > 0) {
        sum += Scan::branch_gain(node.criterion, totals, weight, buckets.missing.data());
      }
      constexpr double kRounding = 1e-9;
      return sum * (1 + kRounding) + kRounding * node.summary.loss;
    }
  }
  return std::numeric_limits<double>::infinity();
}

template <class Scan, class Criterion>
Candidate best_subset(const NodeColumn<Criterion>& node,
                      const CategoryBuckets<typename Criterion::Target>& buckets, double price,
                      SubsetScratch<typename Criterion::Target>& scratch) {
  const double needed = std::max(node.limits.floor, node.limits.to_beat + price) + node.limits.tie;
  if (needed > 0 && gain_of_all<Scan>(node, buckets) < needed) return Candidate{};
  // One category present: the only test left is "known or missing".
  const bool many_classes = node.criterion.outputs() > 2;
  if (many_classes && buckets.size() >= 2 && buckets.size() <= kExhaustiveCategories) {
    return best_of_all_subsets<Scan>(node, buckets, price, scratch);
  }
  return best_along_order<Scan>(node, buckets, order_categories(buckets, node.summary.totals, scratch.order));
}

// Where losses are no sums over buckets: the rows of a node, categories in the order of their medians, found
// row by row. The code of a row is the place of its category in that order, counted from 1.
template <class Criterion>
struct MedianOrder {
  using Sample = typename Criterion::Sample;

  template <class Key>
  MedianOrder(const NodeColumn<Criterion>& node, const SortedRows<Key, Sample>& rows,
              const CategoryBuckets<typename Criterion::Target>& buckets)
      : order(buckets.size()), samples(rows.samples) {
    std::vector<double> medians(buckets.size());
    std::vector<Sample> members;
    std::vector<std::size_t> begins(buckets.size() + 1, node.missing_rows);
    std::size_t at = node.missing_rows;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      members.clear();
      for (; at < rows.size && code_of(rows.keys[at]) == buckets.codes[i]; ++at) {
        members.push_back(rows.samples[position_of(rows.keys[at])]);
      }
      begins[i + 1] = at;
      node.criterion.value(node.criterion.summarise(members.data(), members.size()), &medians[i]);
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return medians[a] < medians[b]; });
    keys.reserve(rows.size);
    for (std::size_t i = 0; i < node.missing_rows; ++i) {
      keys.push_back(make_key<std::uint64_t>(kMissing, position_of(rows.keys[i])));
    }
    for (std::size_t place = 0; place < order.size(); ++place) {
      for (std::size_t i = begins[order[place]]; i < begins[order[place] + 1]; ++i) {
        keys.push_back(make_key<std::uint64_t>(static_cast<Code>(place + 1), position_of(rows.keys[i])));
      }
    }
  }

  SortedRows<std::uint64_t, Sample> rows() const { return {keys.data(), keys.size(), samples}; }

  std::vector<std::size_t> order;  // indices of the buckets
  std::vector<std::uint64_t> keys;
  const Sample* samples;
};

template <class Scan, class Criterion, class Key>
Candidate best_subset_by_rows(const NodeColumn<Criterion>& node,
                              const SortedRows<Key, typename Criterion::Sample>& rows,
                              const CategoryBuckets<typename Criterion::Target>& buckets) {
  using Sample = typename Criterion::Sample;
  const MedianOrder<Criterion> by_median(node, rows, buckets);
  std::size_t tries = 0;
  Candidate best = best_grouping<Scan>(
      node, SortedSource<std::uint64_t, Sample>{by_median.rows(), node.missing_rows}, 0.0, &tries);
  if (best.valid()) set_right_codes(buckets, by_median.order, best);
  return best;
}

}  // namespace treewright
