// Python's view of what reports ask about a tree.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/forest_arrays.h"
#include "bind/matrix_arrays.h"
#include "bind/tree_arrays.h"
#include "boost/node_tests.h"
#include "explain/tree_rows.h"
#include "tree/code_route.h"

namespace treewright {

namespace {

using Rows = nb::ndarray<nb::numpy, RowId, nb::ndim<1>>;
using Weights = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using RowsAndWeights = nb::typed<nb::tuple, Rows, std::optional<Weights>>;

void make_tree_rows(TreeRows* self, const nb::dict& arrays, const Vector<Code>& n_codes) {
  new (self) TreeRows(tree_from_arrays(arrays), {n_codes.data(), n_codes.shape(0)});
}

std::vector<RowId> listed(const Matrix& matrix, const std::optional<Vector<RowId>>& rows) {
  if (rows) return {rows->data(), rows->data() + rows->shape(0)};
  std::vector<RowId> every(matrix.ndim() == 2 ? matrix.shape(0) : 0);
  std::iota(every.begin(), every.end(), RowId{0});
  return every;
}

WeightedRows given(const Matrix& matrix, const std::optional<Vector<RowId>>& rows,
                   const std::optional<Vector<double>>& weights) {
  WeightedRows found{listed(matrix, rows), {}};
  if (weights) found.weights.emplace(weights->data(), weights->data() + weights->shape(0));
  return found;
}

RowsAndWeights as_tuple(WeightedRows&& found) {
  nb::object weights = found.weights ? own_array(std::move(*found.weights)) : nb::none();
  return nb::make_tuple(own_array(std::move(found.rows)), weights);
}

Rows branches(const TreeRows& tree, NodeId node, const Matrix& matrix,
              const std::optional<Vector<RowId>>& rows) {
  const std::vector<RowId> of = listed(matrix, rows);
  std::vector<std::uint32_t> found;
  with_matrix(matrix, 1, [&](const auto& view, Team&) { found = tree.branches(node, view, of); });
  return nb::cast<Rows>(own_array(std::move(found)));
}

RowsAndWeights down(const TreeRows& tree, NodeId node, std::uint32_t branch, const Matrix& matrix,
                    const Vector<RowId>& rows, const std::optional<Vector<double>>& weights, bool single) {
  const WeightedRows at = given(matrix, rows, weights);
  WeightedRows found;
  with_matrix(matrix, 1, [&](const auto& view, Team&) { found = tree.down(node, branch, view, at, single); });
  return as_tuple(std::move(found));
}

RowsAndWeights at(const TreeRows& tree, NodeId node, const Matrix& matrix,
                  const std::optional<Vector<RowId>>& rows, const std::optional<Vector<double>>& weights,
                  bool single) {
  WeightedRows found = given(matrix, rows, weights);
  with_matrix(matrix, 1,
              [&](const auto& view, Team&) { found = tree.at(node, view, std::move(found), single); });
  return as_tuple(std::move(found));
}

nb::dict test_as_dict(NodeTest&& test) {
  nb::dict result;
  result["kind"] = static_cast<int>(test.kind);
  result["is_constant"] = test.is_constant;
  result["threshold"] = test.threshold;
  result["branches"] = own_array(std::move(test.branches));
  result["rows"] = std::vector<std::size_t>(test.rows.begin(), test.rows.end());
  result["gradient"] = std::vector<double>(test.gradient.begin(), test.gradient.end());
  result["hessian"] = std::vector<double>(test.hessian.begin(), test.hessian.end());
  return result;
}

nb::typed<nb::list, nb::dict> boost_candidates(const Dataset& data, const Vector<float>& gradients,
                                               const Vector<float>& hessians, const BoostPlan& plan,
                                               const Vector<RowId>& rows, std::uint64_t round,
                                               std::size_t output, bool exact, bool equal_hessians,
                                               const std::optional<Vector<std::uint8_t>>& drawn, double lower,
                                               double upper, int n_threads) {
  const std::size_t n = data.n_rows;
  if (gradients.shape(0) != n || hessians.shape(0) != n || (drawn && drawn->shape(0) != n)) {
    throw std::invalid_argument("There must be a gradient and a hessian for every row.");
  }
  if (!plan.monotone.empty() && plan.monotone.size() != data.columns.size()) {
    throw std::invalid_argument("The plan must name a monotone direction for every column.");
  }
  const std::span<const RowId> of_node(rows.data(), rows.shape(0));
  if (std::any_of(of_node.begin(), of_node.end(), [n](RowId row) { return row >= n; })) {
    throw std::out_of_range("A row is not one of the dataset.");
  }
  Gradients given{{gradients.data(), n}, {hessians.data(), n}};
  given.equal_hessians = equal_hessians;
  if (drawn) given.drawn = {drawn->data(), n};
  std::vector<NodeTest> found = run_interruptible(n_threads, [&](Team& team) {
    return node_tests(data, plan, given, {round, output, exact, {lower, upper}}, of_node, team);
  });
  nb::list tests;
  for (NodeTest& test : found) tests.append(test_as_dict(std::move(test)));
  return tests;
}

Rows forest_branches(const nb::dict& arrays, const Vector<std::int64_t>& nodes,
                     const Vector<double>& values) {
  const BorrowedForest forest(arrays);
  if (values.shape(0) != nodes.shape(0))
    throw std::invalid_argument("There must be one value for every node.");
  std::vector<std::uint32_t> found(nodes.shape(0));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t node = nodes(i);
    if (node < 0 || static_cast<std::size_t>(node) >= forest.view().n_nodes()) {
      throw std::out_of_range("The forest has no such node.");
    }
    if (forest.view().is_leaf(static_cast<std::size_t>(node))) {
      throw std::invalid_argument("Only an inner node sends rows to branches.");
    }
    found[i] = branch_at(forest.view(), static_cast<std::size_t>(node), values(i));
  }
  return nb::cast<Rows>(own_array(std::move(found)));
}

}  // namespace

void bind_explain(nb::module_& m) {
  nb::class_<TreeRows>(m, "TreeRows",
                       "Which rows of a matrix reach the nodes of a tree, as growing sent them.")
      .def("__init__", &make_tree_rows, nb::arg("arrays"), nb::arg("n_codes"),
           "Check a tree (a dict of arrays); n_codes holds the categories per feature, 0 for numeric.")
      .def("branches", &branches, nb::arg("node"), nb::arg("matrix"), nb::arg("rows").none() = nb::none(),
           "Where the test of a node sends rows: a branch, or the entries for every branch and for none.")
      .def("down", &down, nb::arg("node"), nb::arg("branch"), nb::arg("matrix"), nb::arg("rows"),
           nb::arg("weights").none(), nb::arg("single") = false,
           "The rows of a node that take one branch, and their weights with shares; None: each counts 1.")
      .def("at", &at, nb::arg("node"), nb::arg("matrix"), nb::arg("rows").none() = nb::none(),
           nb::arg("weights").none() = nb::none(), nb::arg("single") = false,
           "The rows of any node, and their weights with shares; rows and weights are those of the root.");
  m.def("forest_branches", &forest_branches, nb::arg("arrays"), nb::arg("nodes"), nb::arg("values"),
        "The branch that a value of the tested column takes at each of the inner nodes of a forest; NaN is "
        "missing, a\ncategory is its code.");
  m.def("boost_candidates", &boost_candidates, nb::arg("dataset"), nb::arg("gradients"), nb::arg("hessians"),
        nb::arg("plan"), nb::arg("rows"), nb::kw_only(), nb::arg("round") = 0, nb::arg("output") = 0,
        nb::arg("exact") = false, nb::arg("equal_hessians") = false, nb::arg("drawn").none() = nb::none(),
        nb::arg("lower") = -std::numeric_limits<double>::infinity(),
        nb::arg("upper") = std::numeric_limits<double>::infinity(), nb::arg("n_threads") = 1,
        "The best test of each column at a node of a boosted tree, found as in growing from the float32 "
        "gradients of all\nrows of the round; rows: those of the node; drawn: 1 for the rows that the round "
        "saw; lower and upper: the\nvalues that monotone constraints above the node allow. Each is a dict of "
        "kind,\nis_constant, threshold, branches (of every code, missing first) and "
        "rows, gradient and hessian of both sides.");
}

}  // namespace treewright
