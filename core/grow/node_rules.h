// NodeRules: the decisions about one node that do not depend on how its rows are stored: may it be split,
// what must a test respect, is the best test good enough, what do the children inherit, what is written into
// the tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "criterion/summary.h"
#include "grow/plan.h"
#include "split/candidate.h"
#include "split/limits.h"
#include "tree/tree.h"

namespace treewright {

struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

class NodeRules {
 public:
  NodeRules(const GrowPlan& plan, double total_weight) : plan_(plan), total_weight_(total_weight) {}

  bool may_split(std::int64_t depth, const Summary& summary) const {
    const auto rows = static_cast<std::int64_t>(summary.rows);
    return !is_pure(summary) && depth < plan_.max_depth && rows >= plan_.min_rows_split &&
           rows >= 2 * plan_.min_rows_leaf && summary.weight >= 2 * plan_.min_weight_leaf &&
           at_least(summary.weight, plan_.min_weight_split, plan_.arithmetic);
  }

  Limits limits(const Summary& summary, const Bounds& bounds) const {
    Limits limits;
    limits.min_rows = static_cast<std::size_t>(std::max<std::int64_t>(plan_.min_rows_leaf, 1));
    limits.min_weight = plan_.min_weight_leaf;
    limits.tie = plan_.tie(summary.loss);
    if (plan_.arithmetic == Arithmetic::kTolerant) {
      limits.tie = kTolerance * summary.weight;
      limits.floor = 0;
    }
    limits.lower = bounds.lower;
    limits.upper = bounds.upper;
    limits.bounded = !plan_.monotone.empty();
    return limits;
  }

  int monotone(FeatureId feature) const {
    return plan_.monotone.empty() ? 0 : plan_.monotone[static_cast<std::size_t>(feature)];
  }

  bool accepts(const Candidate& candidate, const Summary& summary) const {
    if (!candidate.valid()) return false;
    // One rounding error below the limit is on it, as in scikit-learn.
    constexpr double kRounding = std::numeric_limits<double>::epsilon();
    if (candidate.gain / total_weight_ + kRounding < plan_.min_impurity_decrease) return false;
    const double own_gain = plan_.ranking == Ranking::kGainRatio && plan_.selection == Selection::kBest
                                ? candidate.rank
                                : candidate.gain / (plan_.gain_per_weight ? summary.weight : 1.0);
    return own_gain > plan_.min_gain;
  }

  // A constrained feature separates the children's values at the middle between them.
  Bounds child_bounds(const Bounds& bounds, const Candidate& candidate, std::uint32_t branch) const {
    const int direction = monotone(candidate.feature);
    if (direction == 0) return bounds;
    const double middle = (candidate.left_value + candidate.right_value) / 2;
    Bounds child = bounds;
    const bool lower_side = (direction > 0) == (branch == 0);
    (lower_side ? child.upper : child.lower) = middle;
    return child;
  }

  template <class Criterion>
  void record(Tree& tree, NodeId id, const Criterion& criterion, const Summary& summary,
              const Bounds& bounds) const {
    const auto i = static_cast<std::size_t>(id);
    tree.rows[i] = static_cast<std::int64_t>(summary.rows);
    tree.weight[i] = summary.weight;
    tree.loss[i] = summary.loss;
    double* value = tree.value.data() + i * static_cast<std::size_t>(tree.outputs);
    criterion.value(summary, value);
    if (plan_.monotone.empty()) return;
    if (tree.outputs == 1) {
      value[0] = std::clamp(value[0], bounds.lower, bounds.upper);
    } else {  // two classes: the constraint is on the second
      value[1] = std::clamp(value[1], bounds.lower, bounds.upper);
      value[0] = 1 - value[1];
    }
  }

 private:
  // A share of a row that is lost in the program's arithmetic is no second class.
  bool is_pure(const Summary& summary) const {
    if (summary.pure || plan_.arithmetic == Arithmetic::kExact) return summary.pure;
    const double largest = *std::max_element(summary.totals.begin(), summary.totals.end());
    return at_least(largest, summary.weight, plan_.arithmetic);
  }

  const GrowPlan& plan_;
  double total_weight_;
};

}  // namespace treewright
