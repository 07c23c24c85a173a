// Python's view of growing: the plan and the two functions that turn encoded columns and a target into a
// tree.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/memory.h"
#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/tree_arrays.h"
#include "grow/check_plan.h"
#include "grow/grow.h"
#include "split/many_categories.h"

namespace treewright {

namespace {

// A tree that was grown from lists of rows leaves many freed pieces behind.
void release_after(const Dataset& data) {
  constexpr std::size_t kManyRows = 50'000;
  if (data.n_rows >= kManyRows) release_freed_memory();
}

nb::dict py_grow_classes(const Dataset& data, const Vector<std::int32_t>& labels, int n_classes,
                         const std::optional<Vector<double>>& weights, const GrowPlan& plan, int n_threads) {
  check_plan(plan, data.columns.size());
  Tree tree = run_interruptible(n_threads, [&](Team& team) {
    return grow_classes(data, span_of(labels), n_classes, span_of(weights), plan, team);
  });
  release_after(data);
  return arrays_from_tree(std::move(tree));
}

nb::dict py_grow_means(const Dataset& data, const Vector<double>& y,
                       const std::optional<Vector<double>>& weights, const GrowPlan& plan, int n_threads) {
  check_plan(plan, data.columns.size());
  Tree tree = run_interruptible(
      n_threads, [&](Team& team) { return grow_means(data, span_of(y), span_of(weights), plan, team); });
  return arrays_from_tree(std::move(tree));
}

void bind_enums(nb::module_& m) {
  nb::enum_<Ranking>(m, "Ranking", "What candidates of different features compete on.")
      .value("gain", Ranking::kGain)
      .value("gain_ratio", Ranking::kGainRatio);
  nb::enum_<Selection>(m, "Selection", "Which candidates may win.")
      .value("best", Selection::kBest)
      .value("above_average_gain", Selection::kAboveAverageGain);
  nb::enum_<CategoryGrouping>(m, "CategoryGrouping", "How categories become children.")
      .value("subset", CategoryGrouping::kSubset)
      .value("multiway", CategoryGrouping::kMultiway)
      .value("merged", CategoryGrouping::kMerged)
      .value("one_against_rest", CategoryGrouping::kOneAgainstRest);
  nb::enum_<Arithmetic>(m, "Arithmetic", "How class counts are added up and compared.")
      .value("exact", Arithmetic::kExact)
      .value("single", Arithmetic::kSingle)
      .value("tolerant", Arithmetic::kTolerant);
  nb::enum_<EmptyLeaf>(m, "EmptyLeaf", "What a branch without rows answers.")
      .value("distribution", EmptyLeaf::kDistribution)
      .value("majority", EmptyLeaf::kMajority);
  nb::enum_<CutRule>(m, "CutRule", "Where between two values a threshold stands.")
      .value("midpoint", CutRule::kMidpoint)
      .value("value_below", CutRule::kValueBelow);
  nb::enum_<MissingRule>(m, "MissingRule", "Where rows with a missing value go.")
      .value("learned", MissingRule::kLearned)
      .value("majority", MissingRule::kMajority)
      .value("surrogate", MissingRule::kSurrogate)
      .value("fractional", MissingRule::kFractional)
      .value("own_branch", MissingRule::kOwnBranch);
  nb::enum_<Order>(m, "Order", "Which open node is split next.")
      .value("depth_first", Order::kDepthFirst)
      .value("level_wise", Order::kLevelWise)
      .value("best_first", Order::kBestFirst);
}

void bind_criteria(nb::module_& m) {
  nb::enum_<CriterionName> names(m, "Criterion", "What a split makes smaller.");
  for (const CriterionEntry& entry : kCriteria) names.value(std::string(entry.name).c_str(), entry.criterion);
  m.def(
      "criteria",
      [](bool classes) {
        std::vector<CriterionName> found;
        for (const CriterionEntry& entry : kCriteria) {
          if ((entry.task == Task::kClasses) == classes) found.push_back(entry.criterion);
        }
        return found;
      },
      nb::kw_only(), nb::arg("classes"), "All criteria for classes, or all for numbers.");
}

}  // namespace

void bind_grow(nb::module_& m) {
  bind_criteria(m);
  bind_enums(m);
  nb::class_<GrowPlan>(m, "GrowPlan", "Everything that decides how a tree grows, as names and numbers.")
      .def(nb::init<>())
      .def_rw("criterion", &GrowPlan::criterion)
      .def_rw("ranking", &GrowPlan::ranking)
      .def_rw("selection", &GrowPlan::selection)
      .def_rw("categories", &GrowPlan::categories)
      .def_rw("cut", &GrowPlan::cut)
      .def_rw("missing", &GrowPlan::missing)
      .def_rw("arithmetic", &GrowPlan::arithmetic)
      .def_rw("empty_leaf", &GrowPlan::empty_leaf)
      .def_rw("order", &GrowPlan::order)
      .def_rw("max_depth", &GrowPlan::max_depth)
      .def_rw("max_leaves", &GrowPlan::max_leaves)
      .def_rw("min_rows_split", &GrowPlan::min_rows_split)
      .def_rw("min_rows_leaf", &GrowPlan::min_rows_leaf)
      .def_rw("min_weight_leaf", &GrowPlan::min_weight_leaf)
      .def_rw("min_weight_split", &GrowPlan::min_weight_split)
      .def_rw("min_impurity_decrease", &GrowPlan::min_impurity_decrease)
      .def_rw("min_gain", &GrowPlan::min_gain)
      .def_rw("gain_per_weight", &GrowPlan::gain_per_weight)
      .def_rw("relative_tie", &GrowPlan::relative_tie)
      .def_rw("absolute_tie", &GrowPlan::absolute_tie)
      .def_rw("draw_ties", &GrowPlan::draw_ties)
      .def_rw("max_features", &GrowPlan::max_features)
      .def_rw("seed", &GrowPlan::seed)
      .def_rw("surrogates", &GrowPlan::surrogates)
      .def_rw("n_candidates", &GrowPlan::n_candidates)
      .def_rw("monotone", &GrowPlan::monotone)
      .def_rw("min_branch_weight", &GrowPlan::min_branch_weight)
      .def_rw("declared_classes", &GrowPlan::declared_classes)
      .def_rw("cut_penalty", &GrowPlan::cut_penalty)
      .def_rw("min_value_gap", &GrowPlan::min_value_gap)
      .def_rw("category_price", &GrowPlan::category_price)
      .def_rw("min_category_rows", &GrowPlan::min_category_rows)
      .def_rw("many_values_share", &GrowPlan::many_values_share)
      .def_rw("random_cuts", &GrowPlan::random_cuts)
      .def_rw("keep_trees", &GrowPlan::keep_trees)
      .def_rw("ccp_alpha", &GrowPlan::ccp_alpha)
      .def_rw("keep_leaf_rows", &GrowPlan::keep_leaf_rows);
  m.attr("FREE_CATEGORIES") = kFreeCategories;
  m.attr("TOLERANCE") = kTolerance;
  m.attr("SLACK") = kSlack;
  m.def("grow_classes", &py_grow_classes, nb::arg("dataset"), nb::arg("labels"), nb::arg("n_classes"),
        nb::arg("weights").none(), nb::arg("plan"), nb::arg("n_threads") = 1,
        "Grow a classification tree; labels are int32 from 0 to n_classes - 1. Returns the arrays of the "
        "tree.");
  m.def("grow_means", &py_grow_means, nb::arg("dataset"), nb::arg("y"), nb::arg("weights").none(),
        nb::arg("plan"), nb::arg("n_threads") = 1, "Grow a regression tree. Returns the arrays of the tree.");
}

}  // namespace treewright
