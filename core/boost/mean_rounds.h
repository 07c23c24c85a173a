// The rounds of gradient boosting (Friedman 2001, 2002): a least-squares tree on the negative gradients of
// the rows, weights as weights; then every leaf takes the step of least loss for its rows.
#pragma once

#include "base/parallel.h"
#include "boost/rounds.h"
#include "grow/plan.h"

namespace treewright {

// Of the task's plan only learning_rate, subsample and seed are read; `tree` says how trees grow. Of a share
// of the rows, as many are drawn in every round as scikit-learn would draw. With a price of leaves every tree
// is pruned before its leaves take their steps.
BoostedTrees boost_means(BoostTask task, const GrowPlan& tree, Team& team);

}  // namespace treewright
