// BoostPlan: everything that decides how the trees of a booster grow, as enums and numbers. No behaviour.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/types.h"

namespace treewright {

// Level by level to a depth (Chen & Guestrin 2016), or the leaf with the largest gain first (Ke et al. 2017).
enum class BoostOrder : std::uint8_t { kDepthWise, kLeafWise };

struct BoostPlan {
  BoostOrder order = BoostOrder::kLeafWise;
  double learning_rate = 0.1;
  std::vector<double> learning_rates{};  // of each round, from the first of all; empty: learning_rate

  // A leaf's value is −G/(H + λ), after G has been brought nearer to 0 by α.
  double l2 = 0.0;        // λ
  double l1 = 0.0;        // α
  double min_gain = 0.0;  // γ: G²/(H + λ) of the children minus the parent's must exceed it (no factor ½)
  // γ is at least so many times what dividing rows by chance gains on average, times 1 + ln k where a node
  // asks k columns; 0 = no such rule.
  double chance_gain = 0.0;
  double max_step = 0.0;  // largest absolute value of a leaf before the learning rate; 0 = no limit

  std::int64_t max_depth = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_leaves = std::numeric_limits<std::int64_t>::max();
  std::int64_t min_rows_leaf = 1;
  double min_hessian_leaf = 0.0;

  // Sampling. Counts of features; 0 = all of them.
  std::int64_t max_features_tree = 0;
  std::int64_t max_features_level = 0;  // of those of the tree
  std::int64_t max_features_node = 0;   // of those of the level
  double subsample = 1.0;               // share of rows that a round sees
  double top_share = 0.0;               // GOSS: share of rows with the largest gradients that are kept ...
  double other_share = 0.0;             // ... and share of all rows that is drawn from the others; 0 = off
  std::uint64_t seed = 0;

  bool drop_hopeless = false;  // a column without a test worth making at a node is not asked again below it
  bool share_codes = true;     // columns with few values share a code: faster, the same trees
  // Nodes with at most so many rows have no histogram: their rows are counted column by column. Faster, the
  // same trees.
  std::size_t few_rows = 384;

  // Categories.
  std::int64_t one_against_rest = 4;      // columns with at most this many: each category against the others
  std::int64_t few_categories = 8;        // with at most this many: the best of all subsets; else as follows
  double category_smoothing = 10.0;       // added to the hessian when categories are put in order
  double category_l2 = 10.0;              // more λ for subsets of categories
  std::int64_t max_categories_side = 32;  // a subset names at most this many categories
  std::int64_t min_rows_category = 50;    // categories with fewer rows in the node stay with the others

  std::vector<std::int8_t> monotone;                 // per feature -1, 0, 1; empty = no constraint
  std::vector<std::vector<FeatureId>> interactions;  // features that may meet in a branch; empty = all may

  double rate_of(std::size_t round) const {
    return learning_rates.empty() ? learning_rate
                                  : learning_rates[std::min(round, learning_rates.size() - 1)];
  }
};

}  // namespace treewright
