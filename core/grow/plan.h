// GrowPlan: everything that decides how a tree grows, as enums and numbers. No behaviour.
// An algorithm is one set of these values (a recipe in Python), not a class.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "criterion/criteria.h"
#include "split/rules.h"

namespace treewright {

// Which candidates may win: all, or only those whose gain reaches the average of the node (C4.5).
enum class Selection : std::uint8_t { kBest, kAboveAverageGain };

enum class Order : std::uint8_t { kDepthFirst, kLevelWise, kBestFirst };

// What a branch without rows answers: its parent's class distribution, or its parent's majority class alone.
enum class EmptyLeaf : std::uint8_t { kDistribution, kMajority };

struct GrowPlan : SplitRules {
  CriterionName criterion = CriterionName::kGini;
  Selection selection = Selection::kBest;
  Order order = Order::kDepthFirst;
  EmptyLeaf empty_leaf = EmptyLeaf::kDistribution;

  // Limits. Rows are counted, not weighed; min_weight_leaf is the same limit on weight.
  std::int64_t max_depth = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_leaves = std::numeric_limits<std::int64_t>::max();
  std::int64_t min_rows_split = 2;
  std::int64_t min_rows_leaf = 1;
  double min_weight_leaf = 0.0;
  double min_weight_split = 0.0;       // a node of less weight becomes a leaf (C4.5: 2 m)
  double min_impurity_decrease = 0.0;  // gain / weight of all rows must reach this
  double min_gain = -std::numeric_limits<double>::infinity();  // the node's own gain must exceed this
  bool gain_per_weight =
      true;  // min_gain is compared with gain / weight of the node, else with the total gain

  // Ties: a candidate replaces the best only if it is better by more than relative_tie * loss(node) +
  // absolute_tie. Then the column that is compared first and its lowest cut win: the first one of the table,
  // or of those that a node draws the first drawn.
  double relative_tie = 1e-10;
  double absolute_tie = 0.0;
  bool draw_ties = false;  // nodes that look at all columns compare them in an order that is drawn, too

  std::int64_t max_features = 0;  // features drawn per node; 0 = all of them, nothing is random
  std::uint64_t seed = 0;
  std::int64_t surrogates = 0;        // substitutes kept per node with MissingRule::kSurrogate
  std::int64_t n_candidates = 0;      // features kept beside a node's winner, with their best test
  std::vector<std::int8_t> monotone;  // per feature -1, 0, 1; empty = no constraint

  // C4.5: a nominal column with at least this share of all rows as values does not count in the average gain.
  double many_values_share = 0.0;

  // Forests; boosters of least-squares trees have the price, too.
  bool random_cuts = false;     // one random test of each drawn feature instead of its best one (ExtraTrees)
  double ccp_alpha = 0.0;       // price of a leaf by which every tree is pruned
  bool keep_leaf_rows = false;  // say which rows each leaf holds
  bool keep_trees = false;      // return the trees in full, too: a forest knows neither losses nor gains
  bool release_memory = true;   // give freed memory back while growing; a forest does so once, at its end

  double tie(double loss) const { return relative_tie * std::abs(loss) + absolute_tie; }
};

}  // namespace treewright
