// Subset grouping: the categories of a nominal column in two groups.
// Beyond a few categories only groups along an order are tried.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "split/category_buckets.h"
#include "split/group_ordered.h"
#include "target/class_counts.h"
#include "target/weighted_mean.h"

namespace treewright {

template <bool kWeighted>
std::vector<double> order_keys(const CategoryBuckets<WeightedMean<kWeighted>>& buckets) {
  std::vector<double> keys(buckets.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = buckets.bucket(i)[0] / buckets.bucket(i)[1];
  return keys;
}

// Power iteration on Σ w·(p − p̄)(p − p̄)ᵀ, started at the class whose share varies most. `centred` comes as
// the shares p, category by category; each loop goes along memory, so that it becomes vectors.
inline std::vector<double> principal_scores(std::vector<double> centred, const std::vector<double>& weights,
                                            std::size_t classes) {
  const std::size_t n = weights.size();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> mean(classes, 0.0), variance(classes, 0.0), axis(classes, 0.0), next(classes);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < classes; ++k) mean[k] += weights[i] / total * centred[i * classes + k];
  }
  std::vector<double> by_class(n * classes);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      const double apart = centred[i * classes + k] - mean[k];
      centred[i * classes + k] = by_class[k * n + i] = apart;
      variance[k] += weights[i] * apart * apart;
    }
  }
  axis[static_cast<std::size_t>(std::max_element(variance.begin(), variance.end()) - variance.begin())] = 1.0;
  std::vector<double> scores(n);
  constexpr int kRounds = 50;  // the order settles long before the axis does
  for (int round = 0; round <= kRounds; ++round) {
    std::fill(scores.begin(), scores.end(), 0.0);
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t i = 0; i < n; ++i) scores[i] += axis[k] * by_class[k * n + i];
    }
    if (round == kRounds) break;
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double pull = weights[i] * scores[i];
      for (std::size_t k = 0; k < classes; ++k) next[k] += pull * centred[i * classes + k];
    }
    const double length = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    if (!(length > 0)) break;
    for (double& part : next) part /= length;
    if (next == axis) break;  // all further rounds would be this one again
    axis.swap(next);
  }
  return scores;
}

// The classes that some of the rows have, ascending. With thousands of classes a node has few of them, and
// the others would only add zeros to every sum.
template <class Target>
std::vector<std::size_t> classes_present(const CategoryBuckets<Target>& buckets) {
  std::vector<bool> is_present(static_cast<std::size_t>(buckets.target->classes));
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto* bucket = buckets.bucket(i);
    for (std::size_t k = 0; k < is_present.size(); ++k) {
      if (Target::amount(bucket[k]) != 0) is_present[k] = true;
    }
  }
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < is_present.size(); ++k) {
    if (is_present[k]) present.push_back(k);
  }
  return present;
}

template <class Target>
  requires requires(Target target) { target.classes; }
std::vector<double> order_keys(const CategoryBuckets<Target>& buckets) {
  std::vector<double> keys(buckets.size(), 0.0);
  if (buckets.target->classes == 2) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<double>(Target::amount(buckets.bucket(i)[1])) /
                buckets.target->weight(buckets.bucket(i));
    }
    return keys;
  }
  const std::vector<std::size_t> present = classes_present(buckets);
  if (present.empty()) return keys;
  std::vector<double> shares(buckets.size() * present.size()), weights(buckets.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    weights[i] = buckets.target->weight(buckets.bucket(i));
    for (std::size_t j = 0; j < present.size(); ++j) {
      const auto amount = static_cast<double>(Target::amount(buckets.bucket(i)[present[j]]));
      shares[i * present.size() + j] = amount / weights[i];
    }
  }
  return principal_scores(std::move(shares), weights, present.size());
}

// Indices of the buckets in ascending order of their keys; equal keys in the order of their codes.
template <class Target>
std::vector<std::size_t> category_order(const CategoryBuckets<Target>& buckets) {
  const std::vector<double> keys = order_keys(buckets);
  std::vector<std::size_t> order(buckets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

// Up to this many categories present, more than two classes are split by trying every subset.
inline constexpr std::size_t kExhaustiveCategories = 8;

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

// Every subset that keeps the last category on the right: the others are mirror images.
template <class Scan, class Criterion>
Candidate best_of_all_subsets(const NodeColumn<Criterion>& node,
                              const CategoryBuckets<typename Criterion::Target>& buckets) {
  const std::size_t n = buckets.size();
  Candidate best;
  for (std::size_t mask = 1; mask < (std::size_t{1} << (n - 1)); ++mask) {
    // The left categories first, then the right ones: "cut" at their border.
    std::vector<std::size_t> order;
    for (std::size_t side : {std::size_t{1}, std::size_t{0}}) {
      for (std::size_t i = 0; i < n; ++i) {
        if (((mask >> i) & 1U) == side) order.push_back(i);
      }
    }
    const auto n_left = static_cast<std::size_t>(std::popcount(mask));
    CategoryBuckets<typename Criterion::Target> pair;
    pair.reset(*buckets.target);
    pair.missing = buckets.missing;
    pair.codes = {1, 2};
    const auto stride = static_cast<std::size_t>(buckets.target->stride());
    pair.cells.assign(2 * stride, {});
    for (std::size_t place = 0; place < n; ++place) {
      auto* cell = pair.cells.data() + (place < n_left ? 0 : stride);
      for (std::size_t k = 0; k < stride; ++k) cell[k] += buckets.bucket(order[place])[k];
    }
    const std::size_t both[] = {0, 1};
    Candidate candidate = best_along_order<Scan>(node, pair, both);
    if (!candidate.valid() || !(candidate.gain > best.gain + node.limits.tie)) continue;
    candidate.cut = static_cast<Code>(candidate.next == 0 ? n : n_left);
    set_right_codes(buckets, order, candidate);
    best = std::move(candidate);
  }
  return best;
}

template <class Scan, class Criterion>
Candidate best_subset(const NodeColumn<Criterion>& node,
                      const CategoryBuckets<typename Criterion::Target>& buckets) {
  // One category present: the only test left is "known or missing".
  const bool many_classes = node.criterion.outputs() > 2;
  if (many_classes && buckets.size() >= 2 && buckets.size() <= kExhaustiveCategories) {
    return best_of_all_subsets<Scan>(node, buckets);
  }
  const std::vector<std::size_t> order = category_order(buckets);
  return best_along_order<Scan>(node, buckets, order);
}

// Where losses are no sums over buckets: categories in the order of their medians, found row by row.
template <class Scan, class Criterion, class Key>
Candidate best_subset_by_rows(const NodeColumn<Criterion>& node,
                              const SortedRows<Key, typename Criterion::Sample>& rows,
                              const CategoryBuckets<typename Criterion::Target>& buckets) {
  using Sample = typename Criterion::Sample;
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
  std::vector<std::size_t> order(buckets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return medians[a] < medians[b]; });

  std::vector<std::uint64_t> keys;
  keys.reserve(rows.size);
  for (std::size_t i = 0; i < node.missing_rows; ++i) {
    keys.push_back(make_key<std::uint64_t>(kMissing, position_of(rows.keys[i])));
  }
  for (std::size_t place = 0; place < order.size(); ++place) {
    for (std::size_t i = begins[order[place]]; i < begins[order[place] + 1]; ++i) {
      keys.push_back(make_key<std::uint64_t>(static_cast<Code>(place + 1), position_of(rows.keys[i])));
    }
  }
  const SortedRows<std::uint64_t, Sample> reordered{keys.data(), keys.size(), rows.samples};
  std::size_t tries = 0;
  Candidate best = best_grouping<Scan>(
      node, SortedSource<std::uint64_t, Sample>{reordered, node.missing_rows}, 0.0, &tries);
  if (best.valid()) set_right_codes(buckets, order, best);
  return best;
}

}  // namespace treewright
