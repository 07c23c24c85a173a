// Python's view of prediction: Predictor over NumPy matrices, with the GIL released.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "bind/arrays.h"
#include "bind/bind.h"
#include "bind/matrix_arrays.h"
#include "bind/tree_arrays.h"
#include "predict/predictor.h"

namespace treewright {

namespace {

using Codes = nb::ndarray<const std::uint32_t, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

void make_predictor(Predictor* self, const std::vector<nb::dict>& arrays, const Codes& n_codes) {
  std::vector<Tree> trees;
  trees.reserve(arrays.size());
  for (const nb::dict& tree : arrays) trees.push_back(tree_from_arrays(tree));
  new (self) Predictor(trees, std::span<const Code>(n_codes.data(), n_codes.shape(0)));
}

MatrixResult<NodeId> apply(const Predictor& predictor, const Matrix& matrix, int n_threads) {
  return fill_matrix<NodeId>(
      matrix, predictor.n_trees(), n_threads,
      [&](const auto& view, Team& team, NodeId* out) { predictor.apply(view, team, out); });
}

MatrixResult<double> values(const Predictor& predictor, const Matrix& matrix, int n_threads) {
  return fill_matrix<double>(
      matrix, predictor.n_outputs(), n_threads,
      [&](const auto& view, Team& team, double* out) { predictor.values(view, team, out); });
}

MatrixResult<double> votes(const Predictor& predictor, const Matrix& matrix, int n_threads) {
  return fill_matrix<double>(
      matrix, predictor.n_outputs(), n_threads,
      [&](const auto& view, Team& team, double* out) { predictor.votes(view, team, out); });
}

nb::typed<nb::tuple, Indices, Indices> decision_path(const Predictor& predictor, const Matrix& matrix) {
  Paths paths;
  with_matrix(matrix, 1, [&](const auto& view, Team& team) { paths = predictor.decision_path(view, team); });
  return nb::make_tuple(own_array(std::move(paths.indptr)), own_array(std::move(paths.indices)));
}

}  // namespace

void bind_predict(nb::module_& m) {
  nb::class_<Predictor>(m, "Predictor",
                        "Trees made ready for prediction. May be used from several threads at once.")
      .def("__init__", &make_predictor, nb::arg("trees"), nb::arg("n_codes"),
           "Check and compile trees (dicts of arrays); n_codes holds the categories per feature, 0 for "
           "numeric.")
      .def_prop_ro("n_trees", &Predictor::n_trees)
      .def_prop_ro("n_features", &Predictor::n_features)
      .def_prop_ro("n_outputs", &Predictor::n_outputs)
      .def(
          "apply", &apply, nb::arg("matrix"), nb::arg("n_threads") = 1,
          "Leaf ids, int32 (n_rows, n_trees). A row shared among leaves gets the one with the largest share.")
      .def("values", &values, nb::arg("matrix"), nb::arg("n_threads") = 1,
           "Leaf values, summed over the trees, float64 (n_rows, n_outputs).")
      .def("votes", &votes, nb::arg("matrix"), nb::arg("n_threads") = 1,
           "The share of trees whose most likely class (the first among equals) is k, float64 (n_rows, "
           "n_outputs).")
      .def("decision_path", &decision_path, nb::arg("matrix"),
           "The nodes that each row reaches in a single tree, as (indptr, indices) of a CSR matrix.");
}

}  // namespace treewright
