// Python's view of BoostPlan: a struct with read/write attributes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.h"
#include "boost/boost_plan.h"

namespace treewright {

void bind_boost_plan(nb::module_& m) {
  nb::enum_<BoostOrder>(m, "BoostOrder", "Which open node of a boosted tree is split next.")
      .value("depth_wise", BoostOrder::kDepthWise)
      .value("leaf_wise", BoostOrder::kLeafWise);
  nb::class_<BoostPlan>(m, "BoostPlan",
                        "Everything that decides how the trees of a booster grow, as names and numbers.")
      .def(nb::init<>())
      .def_rw("order", &BoostPlan::order)
      .def_rw("learning_rate", &BoostPlan::learning_rate)
      .def_rw("learning_rates", &BoostPlan::learning_rates)
      .def_rw("l2", &BoostPlan::l2)
      .def_rw("l1", &BoostPlan::l1)
      .def_rw("min_gain", &BoostPlan::min_gain)
      .def_rw("chance_gain", &BoostPlan::chance_gain)
      .def_rw("max_step", &BoostPlan::max_step)
      .def_rw("max_depth", &BoostPlan::max_depth)
      .def_rw("max_leaves", &BoostPlan::max_leaves)
      .def_rw("min_rows_leaf", &BoostPlan::min_rows_leaf)
      .def_rw("min_hessian_leaf", &BoostPlan::min_hessian_leaf)
      .def_rw("max_features_tree", &BoostPlan::max_features_tree)
      .def_rw("max_features_level", &BoostPlan::max_features_level)
      .def_rw("max_features_node", &BoostPlan::max_features_node)
      .def_rw("subsample", &BoostPlan::subsample)
      .def_rw("top_share", &BoostPlan::top_share)
      .def_rw("other_share", &BoostPlan::other_share)
      .def_rw("drop_hopeless", &BoostPlan::drop_hopeless,
              "A column without a test worth making at a node is not asked again below it.")
      .def_rw("share_codes", &BoostPlan::share_codes,
              "Columns with few values share a code: faster, the same trees.")
      .def_rw("seed", &BoostPlan::seed)
      .def_rw("one_against_rest", &BoostPlan::one_against_rest)
      .def_rw("few_categories", &BoostPlan::few_categories)
      .def_rw("category_smoothing", &BoostPlan::category_smoothing)
      .def_rw("category_l2", &BoostPlan::category_l2)
      .def_rw("max_categories_side", &BoostPlan::max_categories_side)
      .def_rw("min_rows_category", &BoostPlan::min_rows_category)
      .def_rw("monotone", &BoostPlan::monotone)
      .def_rw("interactions", &BoostPlan::interactions);
}

}  // namespace treewright
