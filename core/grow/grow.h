// Grows one tree from encoded columns and a target: the way into this folder.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.h"
#include "data/dataset.h"
#include "grow/plan.h"
#include "tree/tree.h"

namespace treewright {

// Labels are 0 ... n_classes - 1. Weights are positive; empty means 1 for every row.
Tree grow_classes(const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                  std::span<const double> weights, const GrowPlan& plan, Team& team);

Tree grow_means(const Dataset& data, std::span<const double> y, std::span<const double> weights,
                const GrowPlan& plan, Team& team);

// By squared error, from some of the rows, ascending; y and weights have an entry for every row.
Tree grow_means_of(const Dataset& data, std::span<const RowId> rows, std::span<const double> y,
                   std::span<const double> weights, const GrowPlan& plan, Team& team);

}  // namespace treewright
