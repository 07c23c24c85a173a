// Grows the trees of a forest, several at a time, each by one thread. Tree t depends on the data, the plan,
// the rule's seed and t alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"
#include "forest/bag_rule.h"
#include "forest/drawn_tests.h"
#include "grow/plan.h"
#include "tree/forest.h"
#include "tree/tree.h"

namespace treewright {

struct ForestTask {
  const Dataset& data;
  const GrowPlan& plan;
  const BagRule& rule;
  std::uint64_t first_tree;  // number of the first one; others of the forest may exist already
  std::size_t n_trees;
  std::span<const double> weights;  // of the rows, used where none are drawn; empty = 1
  Team& team;
  std::atomic<std::size_t>& n_done;  // trees that are finished, for those who wait
  DrawnTests* noted = nullptr;       // of a single tree with random cuts
};

struct GrownForest {
  Forest forest;
  std::vector<double> importances;  // n_trees * n_features: share of a tree's gain that is a feature's
  // With plan.keep_leaf_rows: the rows of leaf i, leaves counted over all trees in the order of their nodes,
  // stand at leaf_begin[i] ... leaf_begin[i + 1] - 1. A row that was drawn several times stands there once.
  std::vector<std::int64_t> leaf_begin;
  std::vector<std::uint32_t> leaf_rows;
  std::vector<Tree> trees;  // with plan.keep_trees: as they were grown
};

GrownForest grow_class_forest(const ForestTask& task, std::span<const std::int32_t> labels, int n_classes);
GrownForest grow_mean_forest(const ForestTask& task, std::span<const double> y);

}  // namespace treewright
