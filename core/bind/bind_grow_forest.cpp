// Python's view of growing forests: the rule that draws bags, the bags, and forests for classes and numbers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/memory.h"
#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/forest_arrays.h"
#include "bind/tree_arrays.h"
#include "forest/grow_forest.h"
#include "grow/check_plan.h"

namespace treewright {

namespace {

using Path = std::optional<std::vector<std::uint32_t>>;

void check_forest_plan(const Dataset& data, const GrowPlan& plan, const BagRule& rule) {
  check_plan(plan, data.columns.size());
  const bool whole_rows = plan.missing == MissingRule::kLearned || plan.missing == MissingRule::kMajority;
  if (!whole_rows || plan.categories != CategoryGrouping::kSubset || plan.ranking != Ranking::kGain ||
      plan.selection != Selection::kBest || plan.arithmetic != Arithmetic::kExact) {
    throw std::invalid_argument("The trees of a forest are CART trees with missing values in one branch.");
  }
  if (rule.features > static_cast<std::int64_t>(data.columns.size()) && !rule.replace_features) {
    throw std::invalid_argument("More columns are to be drawn than there are.");
  }
}

nb::list list_of(const DrawnTests& noted) {
  nb::list tests;
  for (const DrawnTest& found : noted.tests) {
    const Candidate& test = found.test;
    nb::dict one;
    one["feature"] = test.feature;
    one["kind"] = static_cast<int>(test.kind);
    one["threshold"] = test.drawn;
    one["right"] = own_numpy(std::vector<Code>(test.right), {test.right.size()});
    one["missing"] = test.missing_known ? static_cast<int>(test.missing) : -1;
    one["gain"] = test.valid() ? test.gain + test.price : 0.0;
    one["price"] = test.price;
    one["allowed"] = found.allowed;
    tests.append(one);
  }
  return tests;
}

// Grows with the GIL released; `progress` is called from this thread whenever more trees are finished.
template <class Grow>
nb::dict run(const Dataset& data, const GrowPlan& plan, const BagRule& rule, std::uint64_t first_tree,
             std::size_t n_trees, std::span<const double> weights, int n_threads, const nb::object& progress,
             const Path& path, Grow grow) {
  check_forest_plan(data, plan, rule);
  if (path && (n_trees != 1 || !plan.random_cuts)) {
    throw std::invalid_argument("Tests are noted down of one tree with random cuts.");
  }
  std::optional<DrawnTests> noted;
  if (path) noted.emplace(*path);
  std::atomic<std::size_t> n_done{0};
  std::size_t n_told = 0;
  const bool interruptible = on_main_thread();
  const auto poll = [&] {
    const nb::gil_scoped_acquire gil;
    if (interruptible && PyErr_CheckSignals() != 0) throw nb::python_error();
    const std::size_t now = n_done.load(std::memory_order_relaxed);
    if (progress.is_none() || now == n_told) return;
    n_told = now;
    progress(now);
  };
  GrownForest grown;
  {
    const nb::gil_scoped_release release;
    const bool polls = interruptible || !progress.is_none();
    Team team(n_threads, polls ? std::function<void()>(poll) : std::function<void()>());
    grown = grow(
        ForestTask{data, plan, rule, first_tree, n_trees, weights, team, n_done, noted ? &*noted : nullptr});
  }
  constexpr std::size_t kManyRows = 50'000;
  if (data.n_rows >= kManyRows) release_freed_memory();
  nb::dict arrays = arrays_from_forest(std::move(grown.forest));
  arrays["importances"] = own_array(std::move(grown.importances), {n_trees, data.columns.size()});
  if (plan.keep_leaf_rows) {
    arrays["leaf_begin"] = own_array(std::move(grown.leaf_begin));
    arrays["leaf_rows"] = own_array(std::move(grown.leaf_rows));
  }
  if (plan.keep_trees) {
    nb::list trees;
    for (Tree& tree : grown.trees) trees.append(arrays_from_tree(std::move(tree)));
    arrays["trees"] = trees;
  }
  if (noted) arrays["drawn"] = list_of(*noted);
  return arrays;
}

nb::dict py_class_forest(const Dataset& data, const Vector<std::int32_t>& labels, int n_classes,
                         const std::optional<Vector<double>>& weights, const GrowPlan& plan,
                         const BagRule& rule, std::uint64_t first_tree, std::size_t n_trees, int n_threads,
                         const nb::object& progress, const Path& path) {
  return run(data, plan, rule, first_tree, n_trees, span_of(weights), n_threads, progress, path,
             [&](const ForestTask& task) { return grow_class_forest(task, span_of(labels), n_classes); });
}

nb::dict py_mean_forest(const Dataset& data, const Vector<double>& y,
                        const std::optional<Vector<double>>& weights, const GrowPlan& plan,
                        const BagRule& rule, std::uint64_t first_tree, std::size_t n_trees, int n_threads,
                        const nb::object& progress, const Path& path) {
  return run(data, plan, rule, first_tree, n_trees, span_of(weights), n_threads, progress, path,
             [&](const ForestTask& task) { return grow_mean_forest(task, span_of(y)); });
}

}  // namespace

void bind_grow_forest(nb::module_& m) {
  nb::class_<BagRule>(m, "BagRule", "Which rows and columns each tree of a forest gets.")
      .def(nb::init<>())
      .def_rw("seed", &BagRule::seed)
      .def_rw("draws", &BagRule::draws, "Rows drawn for each tree; 0: every row once.")
      .def_rw("replace", &BagRule::replace)
      .def_prop_rw(
          "probabilities", [](const BagRule& rule) { return rule.probabilities; },
          [](BagRule& rule, const std::optional<Vector<double>>& values) {
            const auto given = span_of(values);
            rule.probabilities.assign(given.begin(), given.end());
          },
          nb::arg("values").none(), "Rows are drawn in proportion to these; empty: all alike.")
      .def_rw("balanced", &BagRule::balanced, "Give every class of a bag the same weight.")
      .def_rw("features", &BagRule::features, "Columns drawn for each tree; 0: all.")
      .def_rw("replace_features", &BagRule::replace_features);
  m.def(
      "draw_bag",
      [](const BagRule& rule, std::size_t n_rows, std::uint64_t tree) {
        return own_numpy(BagDraw(rule, n_rows).counts(tree), {n_rows});
      },
      nb::arg("rule"), nb::arg("n_rows"), nb::arg("tree"), "How often each row is in the bag of a tree.");
  m.def(
      "draw_features",
      [](const BagRule& rule, FeatureId n_features, std::uint64_t tree) {
        std::vector<FeatureId> columns = draw_columns(rule, n_features, tree);
        const std::size_t size = columns.size();
        return own_numpy(std::move(columns), {size});
      },
      nb::arg("rule"), nb::arg("n_features"), nb::arg("tree"), "The columns of a tree, ascending.");
  m.def("node_seed", &node_seed, nb::arg("rule"), nb::arg("tree"),
        "The seed of the plan by which a tree compares the columns of its nodes.");
  m.def("grow_class_forest", &py_class_forest, nb::arg("dataset"), nb::arg("labels"), nb::arg("n_classes"),
        nb::arg("weights").none(), nb::arg("plan"), nb::arg("rule"), nb::arg("first_tree"),
        nb::arg("n_trees"), nb::arg("n_threads") = 1, nb::arg("progress") = nb::none(),
        nb::arg("path") = nb::none(),
        "Grow classification trees, several at a time. Returns the arrays of the forest; with the branches "
        "to a "
        "node of one tree with random cuts also the tests that the node chose from, `drawn`.");
  m.def("grow_mean_forest", &py_mean_forest, nb::arg("dataset"), nb::arg("y"), nb::arg("weights").none(),
        nb::arg("plan"), nb::arg("rule"), nb::arg("first_tree"), nb::arg("n_trees"), nb::arg("n_threads") = 1,
        nb::arg("progress") = nb::none(), nb::arg("path") = nb::none(),
        "Grow regression trees, several at a time, as grow_class_forest does.");
}

}  // namespace treewright
