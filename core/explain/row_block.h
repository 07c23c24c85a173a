// RowBlock: a few rows of a matrix, as columns of numbers for loops over rows and row by row for single
// tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/types.h"
#include "predict/matrix.h"

namespace treewright {

template <class T>
class RowBlock {
 public:
  static constexpr std::size_t kMostRows = 256;

  // used: the features that are asked for, ascending.
  RowBlock(const MatrixView<T>& matrix, std::span<const FeatureId> used, std::size_t most_rows = kMostRows)
      : matrix_(matrix),
        used_(used),
        // Columns begin in different sets of the cache.
        stride_(std::min(most_rows, matrix.n_rows) + 8),
        columns_(matrix.n_columns * stride_),
        rows_(matrix.n_columns * std::min(most_rows, matrix.n_rows)) {}

  // At most most_rows rows.
  void read(std::size_t begin, std::size_t end) {
    n_rows_ = end - begin;
    const T* first = matrix_.data + static_cast<std::ptrdiff_t>(begin) * matrix_.row_stride;
    for (const FeatureId feature : used_) {
      const T* from = first + feature * matrix_.column_stride;
      double* column = columns_.data() + static_cast<std::size_t>(feature) * stride_;
      T* row = rows_.data() + feature;
      for (std::size_t i = 0; i < n_rows_; ++i, from += matrix_.row_stride, row += matrix_.n_columns) {
        column[i] = static_cast<double>(*from);
        *row = *from;
      }
    }
  }

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_columns() const { return matrix_.n_columns; }
  const double* column(FeatureId feature) const {
    return columns_.data() + static_cast<std::size_t>(feature) * stride_;
  }
  const T* row(std::size_t i) const { return rows_.data() + i * matrix_.n_columns; }

 private:
  MatrixView<T> matrix_;
  std::span<const FeatureId> used_;
  std::size_t stride_;
  std::vector<double> columns_;
  std::vector<T> rows_;
  std::size_t n_rows_ = 0;
};

}  // namespace treewright
