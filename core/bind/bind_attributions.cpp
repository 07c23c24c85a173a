// Python's view of attributions: a sum of trees, prepared once, asked for blocks of rows.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/forest_arrays.h"
#include "bind/matrix_arrays.h"
#include "bind/tree_arrays.h"
#include "explain/attributions.h"
#include "explain/dependence.h"
#include "forest/unpack_forest.h"
#include "tree/check.h"

namespace treewright {

namespace {

using Codes = nb::ndarray<const std::uint32_t, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NodeValues = nb::ndarray<const double, nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BoundAttributions {
  BoundAttributions(const Codes& codes, std::size_t n_outputs)
      : n_codes(codes.data(), codes.data() + codes.shape(0)), sum(codes.shape(0), n_outputs) {}

  void add(Tree tree, std::vector<double> values, std::size_t n_own, std::size_t first_output, bool by_rows) {
    if (by_rows) std::copy(tree.rows.begin(), tree.rows.end(), tree.weight.begin());
    sum.add(GameTree(tree, n_codes, std::move(values), n_own), first_output);
  }

  void add_tree(const nb::dict& arrays, const NodeValues& values, std::size_t first_output, bool by_rows) {
    Tree tree = tree_from_arrays(arrays);
    check_tree(tree, n_codes);
    if (values.shape(0) != tree.size() || values.shape(1) < 1) {
      throw std::invalid_argument("There must be a row of values for every node.");
    }
    const std::size_t n_own = values.shape(1);
    std::vector<double> own(values.data(), values.data() + values.size());
    const nb::gil_scoped_release release;
    add(std::move(tree), std::move(own), n_own, first_output, by_rows);
  }

  // Trees t of the forest add to output t % n_outputs, or to all of them when they hold classes.
  void add_forest(const nb::dict& arrays, double factor, bool votes, bool by_rows) {
    const BorrowedForest borrowed(arrays);
    const ForestView& forest = borrowed.view();
    check_forest(forest, n_codes);
    const CriterionName criterion = forest.is_classes() ? CriterionName::kGini : CriterionName::kSquaredError;
    run_interruptible(1, [&](Team& team) {
      for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        team.poll();
        add_unpacked(forest, t, criterion, factor, votes, by_rows);
      }
    });
  }

  void add_unpacked(const ForestView& forest, std::size_t t, CriterionName criterion, double factor,
                    bool votes, bool by_rows) {
    Tree tree = unpack(forest, t, criterion);
    std::vector<double> values = tree.value;
    const std::size_t n_own = forest.n_outputs;
    for (std::size_t node = 0; votes && node < tree.size(); ++node) {
      double* own = values.data() + node * n_own;
      const auto best = static_cast<std::size_t>(std::max_element(own, own + n_own) - own);
      for (std::size_t k = 0; k < n_own; ++k) own[k] = k == best ? 1.0 : 0.0;
    }
    for (double& value : values) value *= factor;
    add(std::move(tree), std::move(values), n_own, forest.is_classes() ? 0 : t % sum.n_outputs(), by_rows);
  }

  std::vector<Code> n_codes;
  Attributions sum;
};

nb::object base(const BoundAttributions& self) {
  return own_array(self.sum.base());
}

const Background* found_for(const BoundAttributions& self, const Background* background) {
  if (background != nullptr && background->trees.size() != self.sum.n_trees()) {
    throw std::invalid_argument("The background was made for other trees.");
  }
  return background;
}

MatrixResult<double> values(const BoundAttributions& self, const Matrix& matrix, int n_threads,
                            const Background* background) {
  found_for(self, background);
  return fill_matrix<double>(
      matrix, self.sum.n_features() * self.sum.n_outputs(), n_threads,
      [&](const auto& view, Team& team, double* out) { self.sum.values(view, team, out, background); });
}

MatrixResult<double> interactions(const BoundAttributions& self, const Matrix& matrix, int n_threads,
                                  const Background* background) {
  found_for(self, background);
  return fill_matrix<double>(
      matrix, self.sum.n_features() * self.sum.n_features() * self.sum.n_outputs(), n_threads,
      [&](const auto& view, Team& team, double* out) { self.sum.interactions(view, team, out, background); });
}

MatrixResult<double> scaled_values(const BoundAttributions& self, const Matrix& matrix,
                                   const Background& background, const NodeValues& factors, int n_threads) {
  found_for(self, &background);
  if (matrix.ndim() != 2 || factors.shape(0) != matrix.shape(0) || factors.shape(1) != background.n_rows) {
    throw std::invalid_argument("There must be a factor for every row and row of the background.");
  }
  return fill_matrix<double>(matrix, self.sum.n_features() * self.sum.n_outputs(), n_threads,
                             [&](const auto& view, Team& team, double* out) {
                               self.sum.scaled_values(view, team, out, background, factors.data());
                             });
}

Background background(const BoundAttributions& self, const Matrix& matrix, int n_threads) {
  Background found;
  with_matrix(matrix, n_threads,
              [&](const auto& view, Team& team) { found = self.sum.background(view, team); });
  return found;
}

MatrixResult<std::uint8_t> shared(const BoundAttributions& self, const Matrix& matrix, int n_threads) {
  return fill_matrix<std::uint8_t>(
      matrix, self.sum.n_trees(), n_threads,
      [&](const auto& view, Team& team, std::uint8_t* out) { self.sum.shared(view, team, out); });
}

DependenceGrid grid_from(const std::vector<FeatureId>& features,
                         const std::vector<std::vector<double>>& values) {
  if (features.size() != values.size()) {
    throw std::invalid_argument("There must be values for every feature of a grid.");
  }
  DependenceGrid grid;
  for (std::size_t a = 0; a < features.size(); ++a) grid.axes.push_back({features[a], values[a]});
  return grid;
}

MatrixResult<double> curves(const BoundAttributions& self, const Matrix& matrix,
                            const std::vector<FeatureId>& features,
                            const std::vector<std::vector<double>>& grid_values, int n_threads) {
  const DependenceGrid grid = grid_from(features, grid_values);
  check_grid(grid, self.sum.n_features());
  return fill_matrix<double>(
      matrix, grid.n_cells() * self.sum.n_outputs(), n_threads,
      [&](const auto& view, Team& team, double* out) { dependence_curves(self.sum, grid, view, team, out); });
}

nb::object curve_sums(const BoundAttributions& self, const Matrix& matrix,
                      const std::vector<FeatureId>& features,
                      const std::vector<std::vector<double>>& grid_values,
                      const std::optional<Weights>& weights, int n_threads) {
  const DependenceGrid grid = grid_from(features, grid_values);
  std::span<const double> given;
  if (weights) given = {weights->data(), weights->shape(0)};
  if (weights && (matrix.ndim() != 2 || weights->shape(0) != matrix.shape(0))) {
    throw std::invalid_argument("There must be a weight for every row.");
  }
  std::vector<double> found;
  with_matrix(matrix, n_threads, [&](const auto& view, Team& team) {
    found = dependence_sums(self.sum, grid, view, given, team);
  });
  return own_array(std::move(found));
}

nb::object expected_curve(const BoundAttributions& self, const std::vector<FeatureId>& features,
                          const std::vector<std::vector<double>>& grid_values, int n_threads) {
  const DependenceGrid grid = grid_from(features, grid_values);
  std::vector<double> found;
  run_interruptible(n_threads, [&](Team& team) { found = expected_dependence(self.sum, grid, team); });
  return own_array(std::move(found));
}

}  // namespace

void bind_attributions(nb::module_& m) {
  nb::class_<Background>(m, "Background", "Rows that stand for what is not known, prepared for some trees.")
      .def_ro("n_rows", &Background::n_rows, "Their number.");
  nb::class_<BoundAttributions>(
      m, "Attributions",
      "Shapley values of a sum of trees. n_codes holds the categories per feature, 0 "
      "for numeric.")
      .def(nb::init<const Codes&, std::size_t>(), nb::arg("n_codes"), nb::arg("n_outputs"))
      .def("add_tree", &BoundAttributions::add_tree, nb::arg("arrays"), nb::arg("values"), nb::kw_only(),
           nb::arg("first_output") = 0, nb::arg("by_rows") = false,
           "Add a tree (a dict of arrays) whose nodes count values, float64 (n_nodes, n_own_outputs). "
           "by_rows: "
           "branches\nare as likely as their share of the training rows, not of their weight.")
      .def(
          "add_forest", &BoundAttributions::add_forest, nb::arg("arrays"), nb::kw_only(),
          nb::arg("factor") = 1.0, nb::arg("votes") = false, nb::arg("by_rows") = false,
          "Add the trees of a forest, their answers times factor: tree t of numbers to output t % n_outputs, "
          "classes to all\nof them, with votes 1 for the most likely class.")
      .def("base", &base, "What the trees say on average over the training rows, float64 (n_outputs,).")
      .def("background", &background, nb::arg("matrix"), nb::arg("n_threads") = 1,
           "Rows that stand for what is not known, in place of the training rows.")
      .def("values", &values, nb::arg("matrix"), nb::arg("n_threads") = 1,
           nb::arg("background").none() = nb::none(), "float64 (n_rows, n_features * n_outputs).")
      .def("scaled_values", &scaled_values, nb::arg("matrix"), nb::arg("background"), nb::arg("factors"),
           nb::arg("n_threads") = 1,
           "The values against each row of the background, times its factor, float64 (n_rows, n_background), "
           "added up.")
      .def("interactions", &interactions, nb::arg("matrix"), nb::arg("n_threads") = 1,
           nb::arg("background").none() = nb::none(),
           "float64 (n_rows, n_features * n_features * n_outputs).")
      .def("curves", &curves, nb::arg("matrix"), nb::arg("features"), nb::arg("values"),
           nb::arg("n_threads") = 1,
           "What the trees add up to when one or two features of each row take the values of a grid, float64 "
           "(n_rows,\nn_cells * n_outputs). Values ascend, NaN at the end; the last feature varies first.")
      .def("curve_sums", &curve_sums, nb::arg("matrix"), nb::arg("features"), nb::arg("values"),
           nb::arg("weights").none() = nb::none(), nb::arg("n_threads") = 1,
           "The sum of the curves over the rows, float64 (n_cells * n_outputs,).")
      .def("expected_curve", &expected_curve, nb::arg("features"), nb::arg("values"),
           nb::arg("n_threads") = 1,
           "Their mean over the training rows on their ways down the trees, float64 (n_cells * n_outputs,).")
      .def("shared", &shared, nb::arg("matrix"), nb::arg("n_threads") = 1,
           "Whether a tree shares a row among its branches, uint8 (n_rows, n_trees).");
}

}  // namespace treewright
