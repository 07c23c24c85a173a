// residuals: what the scores of a leaf's rows leave unexplained, with the rows' weights.
#pragma once

#include <span>

#include "objective/objective.h"
#include "objective/weighted_quantile.h"

namespace treewright {

inline WeightedNumbers residuals(const Targets& rows, const double* raw, std::span<const RowId> leaf) {
  WeightedNumbers rest;
  rest.values.reserve(leaf.size());
  for (const RowId row : leaf) rest.values.push_back(rows.y[row] - raw[row]);
  if (rows.weights.empty()) return rest;
  rest.weights.reserve(leaf.size());
  for (const RowId row : leaf) rest.weights.push_back(rows.weights[row]);
  return rest;
}

}  // namespace treewright
