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
#include "bind/tree_arrays.h"
#include "predict/predictor.h"

namespace treewright {

namespace {

using Matrix = nb::ndarray<nb::ro, nb::device::cpu>;
using Codes = nb::ndarray<const std::uint32_t, nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
MatrixView<T> view(const Matrix& matrix) {
  return {static_cast<const T*>(matrix.data()), matrix.shape(0), matrix.shape(1), matrix.stride(0),
          matrix.stride(1)};
}

constexpr std::size_t kRowsWithoutPolling = 16;

// Calls run(view, team) for the element type of the matrix, without the GIL.
template <class Run>
void with_matrix(const Matrix& matrix, int n_threads, Run&& run) {
  const bool is_float32 = matrix.dtype() == nb::dtype<float>();
  if (matrix.ndim() != 2 || (!is_float32 && matrix.dtype() != nb::dtype<double>())) {
    throw nb::type_error("The matrix must be 2-D and of float32 or float64.");
  }
  const auto run_typed = [&](Team& team) {
    if (is_float32) {
      run(view<float>(matrix), team);
    } else {
      run(view<double>(matrix), team);
    }
  };
  if (matrix.shape(0) > kRowsWithoutPolling) return run_interruptible(n_threads, run_typed);
  // A few rows are done before anybody could press a key: asking Python about signals would take longer than
  // they do.
  const nb::gil_scoped_release release;
  Team team(1);
  run_typed(team);
}

template <class T>
using Result = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
using Indices = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

template <class T>
Result<T> new_matrix(std::unique_ptr<T[]> data, std::size_t n_rows, std::size_t n_columns) {
  nb::capsule owner(data.get(), [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
  return Result<T>(data.release(), {n_rows, n_columns}, owner);
}

void make_predictor(Predictor* self, const std::vector<nb::dict>& arrays, const Codes& n_codes) {
  std::vector<Tree> trees;
  trees.reserve(arrays.size());
  for (const nb::dict& tree : arrays) trees.push_back(tree_from_arrays(tree));
  new (self) Predictor(trees, std::span<const Code>(n_codes.data(), n_codes.shape(0)));
}

// The number of elements of a result with a row per row of the matrix.
std::size_t result_size(const Matrix& matrix, std::size_t n_columns) {
  return matrix.ndim() == 0 ? 0 : matrix.shape(0) * n_columns;
}

Result<NodeId> apply(const Predictor& predictor, const Matrix& matrix, int n_threads) {
  auto out = std::make_unique_for_overwrite<NodeId[]>(result_size(matrix, predictor.n_trees()));
  with_matrix(matrix, n_threads,
              [&](const auto& view, Team& team) { predictor.apply(view, team, out.get()); });
  return new_matrix(std::move(out), matrix.shape(0), predictor.n_trees());
}

Result<double> values(const Predictor& predictor, const Matrix& matrix, int n_threads) {
  auto out = std::make_unique_for_overwrite<double[]>(result_size(matrix, predictor.n_outputs()));
  with_matrix(matrix, n_threads,
              [&](const auto& view, Team& team) { predictor.values(view, team, out.get()); });
  return new_matrix(std::move(out), matrix.shape(0), predictor.n_outputs());
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
      .def("decision_path", &decision_path, nb::arg("matrix"),
           "The nodes that each row reaches in a single tree, as (indptr, indices) of a CSR matrix.");
}

}  // namespace treewright
