// Python's view of the candidates of one node.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/tree_arrays.h"
#include "grow/candidates/candidates.h"
#include "grow/check_plan.h"
#include "split/monotone.h"

namespace treewright {

namespace {

nb::dict branches_as_dict(const std::vector<BranchFacts>& branches) {
  const std::size_t width = branches.empty() ? 0 : branches.front().amounts.size();
  std::vector<std::int64_t> rows;
  std::vector<double> weight, loss, amounts;
  for (const BranchFacts& branch : branches) {
    rows.push_back(static_cast<std::int64_t>(branch.rows));
    weight.push_back(branch.weight);
    loss.push_back(branch.loss);
    amounts.insert(amounts.end(), branch.amounts.begin(), branch.amounts.end());
  }
  nb::dict result;
  result["rows"] = own_array(std::move(rows));
  result["weight"] = own_array(std::move(weight));
  result["loss"] = own_array(std::move(loss));
  result["amounts"] = own_array(std::move(amounts), {branches.size(), width});
  return result;
}

nb::dict curve_as_dict(CutCurve&& curve) {
  nb::dict result;
  result["threshold"] = own_array(std::move(curve.threshold));
  result["gain"] = own_array(std::move(curve.gain));
  result["left_weight"] = own_array(std::move(curve.left_weight));
  result["left_rows"] = own_array(std::move(curve.left_rows));
  result["missing_left"] = own_array(std::move(curve.missing_left));
  result["admissible"] = own_array(std::move(curve.admissible));
  result["order"] = own_array(std::move(curve.order));
  return result;
}

nb::dict feature_as_dict(FeatureFacts&& facts, bool eligible) {
  const Candidate& best = facts.best;
  nb::dict result;
  result["feature"] = best.feature;
  result["kind"] = static_cast<int>(best.kind);
  result["gain"] = best.gain;
  result["mean_gain"] = best.mean_gain;
  result["rank"] = best.rank;
  result["split_info"] = best.split_info;
  result["missing"] = facts.missing;
  result["left_value"] = best.left_value;
  result["right_value"] = best.right_value;
  result["drawn"] = facts.drawn;
  result["eligible"] = eligible;
  result["n_values"] = facts.n_values;
  result["threshold"] = facts.threshold;
  result["n_children"] = facts.n_children;
  result["known"] = branches_as_dict({facts.known});
  result["branches"] = branches_as_dict(facts.branches);
  result["code_branches"] = own_array(std::move(facts.code_branches));
  result["table"] = own_array(std::move(facts.table));
  result["decrease"] = facts.decrease;
  result["tries"] = best.tries;
  result["curve"] = curve_as_dict(std::move(facts.curve));
  return result;
}

nb::dict as_dict(NodeCandidates&& found) {
  nb::dict result;
  result["node"] = branches_as_dict({found.node});
  result["may_split"] = found.may_split;
  result["average_gain"] = found.average_gain;
  const bool has_winner = found.winner < found.features.size();
  result["winner"] = has_winner ? static_cast<std::int64_t>(found.winner) : std::int64_t{-1};
  result["next"] = std::vector<std::int64_t>(found.next.begin(), found.next.end());
  result["memory"] = candidate_arrays(std::move(found.memory));
  result["accepted"] = found.accepted;
  nb::list features;
  for (std::size_t i = 0; i < found.features.size(); ++i) {
    features.append(feature_as_dict(std::move(found.features[i]), found.eligible[i] != 0));
  }
  result["features"] = features;
  return result;
}

// What all targets have in common.
template <class Search>
nb::dict ask(const Dataset& data, const GrowPlan& plan, const Vector<RowId>& rows,
             const std::optional<Vector<double>>& weights, double total_weight,
             const std::vector<std::uint32_t>& path, double lower, double upper,
             std::optional<std::vector<FeatureId>> features, bool cuts, int n_threads, Search&& search) {
  check_plan(plan, data.columns.size());
  if (!features) {
    features.emplace(data.columns.size());
    std::iota(features->begin(), features->end(), FeatureId{0});
  }
  NodeQuery query;
  query.rows = span_of(rows);
  if (weights) query.weights = span_of(*weights);
  query.total_weight = total_weight;
  query.path = path;
  query.bounds = {lower, upper};
  query.features = *features;
  query.cuts = cuts;
  return as_dict(run_interruptible(n_threads, [&](Team& team) { return search(query, team); }));
}

nb::dict py_class_candidates(const Dataset& data, const Vector<std::int32_t>& labels, int n_classes,
                             const GrowPlan& plan, const Vector<RowId>& rows,
                             const std::optional<Vector<double>>& weights, double total_weight,
                             const std::vector<std::uint32_t>& path, double lower, double upper,
                             std::optional<std::vector<FeatureId>> features, bool cuts, int n_threads) {
  return ask(data, plan, rows, weights, total_weight, path, lower, upper, std::move(features), cuts,
             n_threads, [&](const NodeQuery& query, Team& team) {
               return class_candidates(data, span_of(labels), n_classes, query, plan, team);
             });
}

nb::dict py_mean_candidates(const Dataset& data, const Vector<double>& y, const GrowPlan& plan,
                            const Vector<RowId>& rows, const std::optional<Vector<double>>& weights,
                            double total_weight, const std::vector<std::uint32_t>& path, double lower,
                            double upper, std::optional<std::vector<FeatureId>> features, bool cuts,
                            int n_threads) {
  return ask(data, plan, rows, weights, total_weight, path, lower, upper, std::move(features), cuts,
             n_threads, [&](const NodeQuery& query, Team& team) {
               return mean_candidates(data, span_of(y), query, plan, team);
             });
}

}  // namespace

void bind_candidates(nb::module_& m) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  m.def("class_candidates", &py_class_candidates, nb::arg("dataset"), nb::arg("labels"), nb::arg("n_classes"),
        nb::arg("plan"), nb::arg("rows"), nb::arg("weights").none(), nb::arg("total_weight"),
        nb::arg("path") = std::vector<std::uint32_t>{}, nb::arg("lower") = -kInfinity,
        nb::arg("upper") = kInfinity, nb::arg("features").none() = nb::none(), nb::arg("cuts") = false,
        nb::arg("n_threads") = 1,
        "The best test of each feature at a node with the given rows (weights: one per listed row), found as "
        "in\ngrowing, with what it does to the rows. path: the branches that lead to the node.");
  m.def("mean_candidates", &py_mean_candidates, nb::arg("dataset"), nb::arg("y"), nb::arg("plan"),
        nb::arg("rows"), nb::arg("weights").none(), nb::arg("total_weight"),
        nb::arg("path") = std::vector<std::uint32_t>{}, nb::arg("lower") = -kInfinity,
        nb::arg("upper") = kInfinity, nb::arg("features").none() = nb::none(), nb::arg("cuts") = false,
        nb::arg("n_threads") = 1, "The same for a target of numbers.");
  m.def(
      "child_bounds",
      [](double lower, double upper, int direction, double left_value, double right_value,
         std::uint32_t branch) {
        const ValueBounds bounds =
            child_bounds(ValueBounds{lower, upper}, direction, left_value, right_value, branch);
        return std::pair(bounds.lower, bounds.upper);
      },
      nb::arg("lower"), nb::arg("upper"), nb::arg("direction"), nb::arg("left_value"), nb::arg("right_value"),
      nb::arg("branch"),
      "The values that leaves below a branch may take, from those allowed above it: a feature with a "
      "monotone "
      "direction\n(-1, 1) separates the values of its children at the middle between them.");
}

}  // namespace treewright
