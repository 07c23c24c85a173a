// What the criteria on means share: {Σ w·y, Σ w, smallest y} and whether y is constant in the node.
#pragma once

#include <algorithm>
#include <cstddef>

#include "criterion/summary.h"
#include "target/weighted_mean.h"

namespace treewright {

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
