// C4.5's error-based pruning: bottom-up, a node becomes a leaf, or is replaced by its largest branch
// (raising), when a pessimistic estimate of the errors does not rise by that.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.h"
#include "criterion/criteria.h"
#include "data/dataset.h"
#include "prune/extra_errors.h"
#include "tree/tree.h"

namespace treewright {

struct PessimisticPlan {
  PruneProgram program = PruneProgram::kRelease8;
  double confidence = 0.25;
  bool raising = true;
  CriterionName criterion = CriterionName::kEntropy;  // what the arrays `loss` and `gain` of the result hold
};

// The tree was grown on these rows; labels are 0 ... n_classes - 1, weights positive or empty (all 1).
// A tree with surrogates is pruned by its own arrays, without raising only.
// Throws std::invalid_argument if something does not fit.
Tree prune_pessimistic(Tree tree, const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                       std::span<const double> weights, const PessimisticPlan& plan, Team& team);

}  // namespace treewright
