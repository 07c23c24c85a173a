// What the criteria on class counts share: totals per class, purity, and the class distribution as a leaf's
// value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "criterion/summary.h"
#include "target/class_counts.h"

namespace treewright {

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

}  // namespace treewright
