// The rows of one tree with what each adds to a bucket.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"
#include "data/encode_numeric.h"
#include "grow/open_node.h"
#include "split/rules.h"
#include "target/class_counts.h"
#include "target/ranked_value.h"
#include "target/weighted_mean.h"

namespace treewright {

inline void check_lengths(std::size_t n_rows, std::size_t n_targets, std::size_t n_weights) {
  if (n_rows == 0) throw std::invalid_argument("A tree needs at least one row.");
  if (n_rows > std::numeric_limits<RowId>::max())
    throw std::invalid_argument("There are more than 4294967295 rows.");
  if (n_targets != n_rows || (n_weights != 0 && n_weights != n_rows)) {
    throw std::invalid_argument("Columns, target and weights must have the same number of rows.");
  }
}

inline void check_classes(int n_classes) {
  if (n_classes < 1 || n_classes > std::numeric_limits<std::uint16_t>::max()) {
    throw std::invalid_argument("The number of classes must be between 1 and 65535.");
  }
}

// Whether rows are divided among branches: fractions of rows are weights.
inline bool shares_rows(const Dataset& data, const SplitRules& rules) {
  return rules.missing == MissingRule::kFractional &&
         std::any_of(data.columns.begin(), data.columns.end(),
                     [](const Column& column) { return column.has_missing; });
}

template <class Sample>
RowList<Sample> empty_bag(std::size_t n_rows) {
  RowList<Sample> bag;
  bag.rows.resize(n_rows);
  std::iota(bag.rows.begin(), bag.rows.end(), RowId{0});
  bag.samples.resize(n_rows);
  return bag;
}

template <bool kWeighted>
RowList<typename ClassCounts<kWeighted>::Sample> class_bag(std::span<const std::int32_t> labels,
                                                           int n_classes, std::span<const double> weights) {
  auto bag = empty_bag<typename ClassCounts<kWeighted>::Sample>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= n_classes)
      throw std::invalid_argument("A label is outside 0 ... n_classes - 1.");
    if constexpr (kWeighted) {
      bag.samples[i] = {weights.empty() ? 1.0 : weights[i], static_cast<std::uint32_t>(labels[i])};
    } else {
      bag.samples[i] = {static_cast<std::uint16_t>(labels[i])};
    }
  }
  return bag;
}

template <bool kWeighted>
typename WeightedMean<kWeighted>::Sample mean_sample(std::span<const double> y,
                                                     std::span<const double> weights, std::size_t row) {
  if constexpr (kWeighted) {
    return {y[row], weights.empty() ? 1.0 : weights[row]};
  } else {
    return {y[row]};
  }
}

template <bool kWeighted>
RowList<typename WeightedMean<kWeighted>::Sample> mean_bag(std::span<const double> y,
                                                           std::span<const double> weights) {
  auto bag = empty_bag<typename WeightedMean<kWeighted>::Sample>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) bag.samples[i] = mean_sample<kWeighted>(y, weights, i);
  return bag;
}

// Ranks all values once, as if y were a column; nodes then order their rows by these small whole numbers.
inline RowList<RankedValue::Sample> ranked_bag(std::span<const double> y, double origin,
                                               std::span<const double> weights, Team& team) {
  auto bag = empty_bag<RankedValue::Sample>(y.size());
  const NumericSource source{std::as_bytes(y).data(), sizeof(double), Scalar::kFloat64};
  const Column ranks = encode_numeric({source}, y.size(), 0, team).front();
  visit_codes(ranks, [&](const auto* codes) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      bag.samples[i] = {y[i] - origin, weights.empty() ? 1.0 : weights[i],
                        static_cast<std::uint32_t>(codes[i])};
    }
  });
  return bag;
}

// The rows of a criterion on numbers.
template <class Criterion>
RowList<typename Criterion::Sample> number_bag(const Criterion& criterion, std::span<const double> y,
                                               std::span<const double> weights, Team& team) {
  if constexpr (Criterion::kOrdered) {
    return ranked_bag(y, criterion.origin, weights, team);
  } else {
    return mean_bag<Criterion::Target::kIsWeighted>(y, weights);
  }
}

}  // namespace treewright
