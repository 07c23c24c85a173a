// What the criteria on class counts share: totals per class, purity, and the class distribution as a leaf's
// value.
#pragma once

#include <cstddef>

#include "criterion/summary.h"
#include "target/class_counts.h"

namespace treewright {

template <class Target>
Summary summarise_classes(const Target& target, const typename Target::Sample* samples, std::size_t n) {
  Summary summary;
  summary.rows = n;
  summary.totals.assign(static_cast<std::size_t>(target.classes), 0.0);
  for (std::size_t i = 0; i < n; ++i) summary.totals[samples[i].label] += samples[i].weight();
  int present = 0;
  for (double count : summary.totals) {
    summary.weight += count;
    present += count > 0;
  }
  summary.pure = present <= 1;
  return summary;
}

inline void class_distribution(const Summary& summary, double* value) {
  const double scale = summary.weight > 0 ? 1.0 / summary.weight : 0.0;
  for (std::size_t k = 0; k < summary.totals.size(); ++k) value[k] = summary.totals[k] * scale;
}

}  // namespace treewright
