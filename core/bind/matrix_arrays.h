// Matrices for prediction as Python hands them over, and the results that go back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "bind/arrays.h"
#include "predict/matrix.h"

namespace treewright {

using Matrix = nb::ndarray<nb::ro, nb::device::cpu>;

template <class T>
MatrixView<T> matrix_view(const Matrix& matrix) {
  return {static_cast<const T*>(matrix.data()), matrix.shape(0), matrix.shape(1), matrix.stride(0),
          matrix.stride(1)};
}

inline constexpr std::size_t kRowsWithoutPolling = 16;

// Calls run(view, team) for the element type of the matrix, without the GIL.
template <class Run>
void with_matrix(const Matrix& matrix, int n_threads, Run&& run) {
  const bool is_float32 = matrix.dtype() == nb::dtype<float>();
  if (matrix.ndim() != 2 || (!is_float32 && matrix.dtype() != nb::dtype<double>())) {
    throw nb::type_error("The matrix must be 2-D and of float32 or float64.");
  }
  const auto run_typed = [&](Team& team) {
    if (is_float32) {
      run(matrix_view<float>(matrix), team);
    } else {
      run(matrix_view<double>(matrix), team);
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
using MatrixResult = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

// A matrix with a row per row of `matrix`, filled by fill(view, team, T* out).
template <class T, class Fill>
MatrixResult<T> fill_matrix(const Matrix& matrix, std::size_t n_columns, int n_threads, Fill&& fill) {
  const std::size_t n_rows = matrix.ndim() == 2 ? matrix.shape(0) : 0;
  auto out = std::make_unique_for_overwrite<T[]>(n_rows * n_columns);
  with_matrix(matrix, n_threads, [&](const auto& view, Team& team) { fill(view, team, out.get()); });
  nb::capsule owner(out.get(), [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
  return MatrixResult<T>(out.release(), {n_rows, n_columns}, owner);
}

}  // namespace treewright
