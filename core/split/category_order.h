// The order of categories along which the best subset is found by one pass.
// Two classes or a mean: by the share of the second class or by the mean, which is exact (Fisher 1958,
// Breiman et al. 1984, theorem 4.5). More classes: by the first principal component of the class shares
// (Coppersmith et al. 1999), which is a very good guess.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "split/category_buckets.h"
#include "target/class_counts.h"
#include "target/weighted_mean.h"

namespace treewright {

template <bool kWeighted>
std::vector<double> order_keys(const CategoryBuckets<WeightedMean<kWeighted>>& buckets) {
  std::vector<double> keys(buckets.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = buckets.bucket(i)[0] / buckets.bucket(i)[1];
  return keys;
}

// Power iteration on Σ w·(p − p̄)(p − p̄)ᵀ, started at the class whose share varies most.
inline std::vector<double> principal_scores(const std::vector<double>& shares,
                                            const std::vector<double>& weights, std::size_t classes) {
  const std::size_t n = weights.size();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> mean(classes, 0.0), centred(shares), variance(classes, 0.0), axis(classes, 0.0),
      next(classes);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < classes; ++k) mean[k] += weights[i] / total * shares[i * classes + k];
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      centred[i * classes + k] -= mean[k];
      variance[k] += weights[i] * centred[i * classes + k] * centred[i * classes + k];
    }
  }
  axis[static_cast<std::size_t>(std::max_element(variance.begin(), variance.end()) - variance.begin())] = 1.0;
  std::vector<double> scores(n, 0.0);
  constexpr int kRounds = 50;  // the order settles long before the axis does
  for (int round = 0; round <= kRounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      scores[i] = std::inner_product(axis.begin(), axis.end(),
                                     centred.begin() + static_cast<std::ptrdiff_t>(i * classes), 0.0);
    }
    if (round == kRounds) break;
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < classes; ++k) next[k] += weights[i] * scores[i] * centred[i * classes + k];
    }
    const double length = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    if (!(length > 0)) break;
    for (std::size_t k = 0; k < classes; ++k) axis[k] = next[k] / length;
  }
  return scores;
}

template <class Target>
  requires requires(Target target) { target.classes; }
std::vector<double> order_keys(const CategoryBuckets<Target>& buckets) {
  const auto classes = static_cast<std::size_t>(buckets.target->classes);
  std::vector<double> shares(buckets.size() * classes), weights(buckets.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    weights[i] = buckets.target->weight(buckets.bucket(i));
    for (std::size_t k = 0; k < classes; ++k) {
      shares[i * classes + k] = static_cast<double>(Target::amount(buckets.bucket(i)[k])) / weights[i];
    }
  }
  if (classes > 2) return principal_scores(shares, weights, classes);
  std::vector<double> keys(buckets.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = shares[i * classes + 1];
  return keys;
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

}  // namespace treewright
