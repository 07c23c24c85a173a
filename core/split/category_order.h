// The order of the categories of a node along which they are cut: by their mean target, or, with more than
// two classes, along the first principal axis of their class shares.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "split/category_buckets.h"
#include "target/class_counts.h"
#include "target/weighted_mean.h"

namespace treewright {

// Scratch memory of one thread, and the order that was found last.
struct CategoryOrder {
  std::vector<std::size_t> places;  // buckets in ascending order of their keys
  std::vector<double> keys;
  std::vector<std::size_t> present;  // classes of the node, ascending
  std::vector<double> shares, weights, mean, variance, axis, next, matrix;
};

// The same linear map again and again, until nothing changes.
inline void iterate(const std::vector<double>& matrix, std::vector<double>& axis, std::vector<double>& next) {
  constexpr int kRounds = 50;  // the order settles long before the axis does
  const std::size_t n = axis.size();
  next.resize(n);
  for (int round = 0; round < kRounds; ++round) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) next[k] += axis[j] * matrix[j * n + k];
    }
    const double length = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    if (!(length > 0)) return;
    for (double& part : next) part /= length;
    if (next == axis) return;
    axis.swap(next);
  }
}

// Power iteration on Σ w·(p − p̄)(p − p̄)ᵀ, started at the class whose share varies most; fewer categories
// than classes are scored by their own products instead, which is the same iteration. `shares` holds p,
// category by category.
inline void principal_scores(CategoryOrder& order, std::size_t classes) {
  const std::size_t n = order.weights.size();
  const std::vector<double>& weights = order.weights;
  std::vector<double>& centred = order.shares;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  order.mean.assign(classes, 0.0);
  order.variance.assign(classes, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      order.mean[k] += weights[i] / total * centred[i * classes + k];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      const double apart = centred[i * classes + k] -= order.mean[k];
      order.variance[k] += weights[i] * apart * apart;
    }
  }
  const auto start = static_cast<std::size_t>(std::max_element(order.variance.begin(), order.variance.end()) -
                                              order.variance.begin());
  if (classes <= n) {
    order.matrix.assign(classes * classes, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double* own = centred.data() + i * classes;
      for (std::size_t j = 0; j < classes; ++j) {
        const double pull = weights[i] * own[j];
        for (std::size_t k = 0; k < classes; ++k) order.matrix[j * classes + k] += pull * own[k];
      }
    }
    order.axis.assign(classes, 0.0);
    order.axis[start] = 1.0;
    iterate(order.matrix, order.axis, order.next);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < classes; ++k) {
        order.keys[i] += order.axis[k] * centred[i * classes + k];
      }
    }
    return;
  }
  order.matrix.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      order.matrix[i * n + j] =
          weights[i] * std::inner_product(centred.begin() + static_cast<std::ptrdiff_t>(i * classes),
                                          centred.begin() + static_cast<std::ptrdiff_t>((i + 1) * classes),
                                          centred.begin() + static_cast<std::ptrdiff_t>(j * classes), 0.0);
    }
  }
  for (std::size_t i = 0; i < n; ++i) order.keys[i] = centred[i * classes + start];
  iterate(order.matrix, order.keys, order.next);
}

template <bool kWeighted>
void find_keys(const CategoryBuckets<WeightedMean<kWeighted>>& buckets, std::span<const double>,
               CategoryOrder& order) {
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    order.keys[i] = buckets.bucket(i)[0] / buckets.bucket(i)[1];
  }
}

template <class Target>
  requires requires(Target target) { target.classes; }
void find_keys(const CategoryBuckets<Target>& buckets, std::span<const double> totals, CategoryOrder& order) {
  if (buckets.target->classes == 2) {
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      order.keys[i] = static_cast<double>(Target::amount(buckets.bucket(i)[1])) /
                      buckets.target->weight(buckets.bucket(i));
    }
    return;
  }
  // With thousands of classes a node has few of them, and the others would only add zeros to every sum.
  order.present.clear();
  for (std::size_t k = 0; k < totals.size(); ++k) {
    if (totals[k] > 0) order.present.push_back(k);
  }
  const std::size_t classes = order.present.size();
  if (classes == 0) return;
  order.shares.resize(buckets.size() * classes);
  order.weights.resize(buckets.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto* bucket = buckets.bucket(i);
    double weight = 0;
    for (const std::size_t k : order.present) weight += static_cast<double>(Target::amount(bucket[k]));
    order.weights[i] = weight;
    for (std::size_t j = 0; j < classes; ++j) {
      order.shares[i * classes + j] = static_cast<double>(Target::amount(bucket[order.present[j]])) / weight;
    }
  }
  principal_scores(order, classes);
}

// `totals` are those of the node. Equal keys stand in the order of their codes.
template <class Target>
std::span<const std::size_t> order_categories(const CategoryBuckets<Target>& buckets,
                                              std::span<const double> totals, CategoryOrder& order) {
  order.keys.assign(buckets.size(), 0.0);
  find_keys(buckets, totals, order);
  order.places.resize(buckets.size());
  std::iota(order.places.begin(), order.places.end(), std::size_t{0});
  const double* keys = order.keys.data();
  constexpr std::size_t kFew = 24;
  if (buckets.size() > kFew) {
    std::stable_sort(order.places.begin(), order.places.end(),
                     [keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    return order.places;
  }
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    std::size_t place = i;
    for (; place > 0 && keys[i] < keys[order.places[place - 1]]; --place) {
      order.places[place] = order.places[place - 1];
    }
    order.places[place] = i;
  }
  return order.places;
}

}  // namespace treewright
