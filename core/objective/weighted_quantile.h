// Quantiles of weighted numbers, e.g. of what the scores of a leaf's rows leave unexplained.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/types.h"
#include "objective/objective.h"

namespace treewright {

struct WeightedNumbers {
  std::vector<double> values;
  std::vector<double> weights;  // empty: all count once
};

// y − raw of the rows of a leaf, with the rows' weights.
inline WeightedNumbers residuals(const Targets& rows, const double* raw, std::span<const RowId> leaf) {
  WeightedNumbers rest;
  rest.values.reserve(leaf.size());
  for (const RowId row : leaf) rest.values.push_back(rows.y[row] - raw[row]);
  if (rows.weights.empty()) return rest;
  rest.weights.reserve(leaf.size());
  for (const RowId row : leaf) rest.weights.push_back(rows.weights[row]);
  return rest;
}

// y − offset of all rows, with their weights; without offsets y itself.
inline WeightedNumbers residuals(const Targets& rows, std::span<const double> offset) {
  WeightedNumbers rest{{rows.y.begin(), rows.y.end()}, {rows.weights.begin(), rows.weights.end()}};
  for (std::size_t i = 0; i < offset.size(); ++i) rest.values[i] -= offset[i];
  return rest;
}

// The same number. Throws std::invalid_argument unless it is between 0 and 1.
double checked_quantile(double share);

// The least value at which the weight so far reaches `share` of the whole. The numbers are put in order.
double lower_quantile(WeightedNumbers& numbers, double share);

// The same, but the middle between that value and the next where the weight reaches `share` exactly: the
// ordinary median for share = 1/2.
double middle_quantile(WeightedNumbers& numbers, double share);

}  // namespace treewright
