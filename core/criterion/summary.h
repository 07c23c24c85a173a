// Summary: what a criterion knows about the rows of one node before it is split, and how the rows of each
// kind of target add up to one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "target/class_counts.h"
#include "target/weighted_mean.h"

namespace treewright {

struct Summary {
  std::size_t rows = 0;
  double weight = 0;
  double loss = 0;             // total loss of the rows as one leaf
  bool pure = true;            // nothing is left to gain: one class, or one value of y
  std::vector<double> totals;  // one number per channel of the target
};

// What follows from rows and totals.
inline void complete_classes(Summary& summary) {
  int present = 0;
  summary.weight = 0;
  for (double count : summary.totals) {
    summary.weight += count;
    present += count > 0;
  }
  summary.pure = present <= 1;
}

template <class Target>
Summary summarise_classes(const Target& target, const typename Target::Sample* samples, std::size_t n) {
  Summary summary;
  summary.rows = n;
  const auto n_classes = static_cast<std::size_t>(target.classes);
  summary.totals.assign(n_classes, 0.0);
  double* totals = summary.totals.data();
  constexpr std::size_t kFewClasses = 16;
  if (!Target::kIsWeighted && n_classes <= kFewClasses) {
    // Whole numbers, and neighbours that do not wait for each other's.
    std::int64_t counts[2][kFewClasses] = {};
    for (std::size_t i = 0; i < n; ++i) {
      counts[i & 1][samples[i].label] += static_cast<std::int64_t>(samples[i].amount_of());
    }
    for (std::size_t k = 0; k < n_classes; ++k) totals[k] = static_cast<double>(counts[0][k] + counts[1][k]);
  } else {
    for (std::size_t i = 0; i < n; ++i) totals[samples[i].label] += samples[i].weight();
  }
  complete_classes(summary);
  return summary;
}

inline void class_distribution(const Summary& summary, double* value) {
  const double scale = summary.weight > 0 ? 1.0 / summary.weight : 0.0;
  for (std::size_t k = 0; k < summary.totals.size(); ++k) value[k] = summary.totals[k] * scale;
}

template <class Target>
Summary summarise_means(const typename Target::Sample* samples, std::size_t n) {
  Summary summary;
  summary.rows = n;
  double sum = 0, weight = 0;
  double lowest = n > 0 ? samples[0].y : 0, highest = lowest;
  for (std::size_t i = 0; i < n; ++i) {
    sum += samples[i].sum();
    weight += samples[i].weight();
    lowest = std::min(lowest, samples[i].y);
    highest = std::max(highest, samples[i].y);
  }
  summary.weight = weight;
  summary.totals = {sum, weight, lowest};
  summary.pure = lowest == highest;
  return summary;
}

// A constant y is given back exactly, whatever rounding its sum saw.
inline double mean_of(const Summary& summary) {
  if (summary.pure) return summary.totals[2];
  return summary.totals[0] / summary.weight;
}

}  // namespace treewright
