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
#include "split/monotone.h"
#include "split/rules.h"
#include "tree/tree.h"

namespace treewright {

class NodeRules {
 public:
  NodeRules(const GrowPlan& plan, double total_weight) : plan_(plan), total_weight_(total_weight) {}

  bool may_split(std::int64_t depth, const Summary& summary) const {
    const auto rows = static_cast<std::int64_t>(summary.rows);
    return !is_pure(summary) && depth < plan_.max_depth && rows >= plan_.min_rows_split &&
           rows >= 2 * plan_.min_rows_leaf && summary.weight >= 2 * plan_.min_weight_leaf &&
           at_least(summary.weight, plan_.min_weight_split, plan_.arithmetic);
  }

  Limits limits(const Summary& summary, const ValueBounds& bounds) const {
    Limits limits;
    limits.min_rows = static_cast<std::size_t>(std::max<std::int64_t>(plan_.min_rows_leaf, 1));
    limits.min_weight = plan_.min_weight_leaf;
    limits.tie = plan_.tie(summary.loss);
    if (plan_.arithmetic == Arithmetic::kTolerant) {
      limits.tie = kTolerance * summary.weight;
      limits.floor = 0;
    }
    limits.bounds = bounds;
    limits.bounded = !plan_.monotone.empty();
    return limits;
  }

  int monotone(FeatureId feature) const { return direction_of(plan_.monotone, feature); }

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

  ValueBounds bounds_of_child(const ValueBounds& bounds, const Candidate& candidate,
                              std::uint32_t branch) const {
    return child_bounds(bounds, monotone(candidate.feature), candidate.left_value, candidate.right_value,
                        branch);
  }

  template <class Criterion>
  void record(Tree& tree, NodeId id, const Criterion& criterion, const Summary& summary,
              const ValueBounds& bounds) const {
    const auto i = static_cast<std::size_t>(id);
    tree.rows[i] = static_cast<std::int64_t>(summary.rows);
    tree.weight[i] = summary.weight;
    tree.loss[i] = summary.loss;
    double* value = tree.value.data() + i * static_cast<std::size_t>(tree.outputs);
    criterion.value(summary, value);
    if (plan_.monotone.empty()) return;
    if (tree.outputs == 1) {
      value[0] = bounds.clip(value[0]);
    } else {  // two classes: the constraint is on the second
      value[1] = bounds.clip(value[1]);
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
