// The values to predict for: a view of a caller's matrix, and blocks of it in which every row is contiguous.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"

namespace treewright {

// Strides count elements and may be negative. NaN is a missing value, a category is its code (1 ... n).
template <class T>
struct MatrixView {
  const T* data = nullptr;
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 1;
};

// Rows whose columns are adjacent: value of feature f in row i = first[i * stride + f].
template <class T>
struct MatrixRows {
  const T* first = nullptr;
  std::ptrdiff_t stride = 0;
  std::size_t n_rows = 0;

  const T* row(std::size_t i) const { return first + static_cast<std::ptrdiff_t>(i) * stride; }
  MatrixRows from(std::size_t i) const { return {row(i), stride, n_rows - i}; }
};

// Hands out the rows of a matrix in blocks: in place when rows are contiguous, otherwise through a small copy
// that stays in the cache. Only the columns in `used` are copied. One object per thread.
template <class T>
class BlockReader {
 public:
  BlockReader(const MatrixView<T>& matrix, std::span<const FeatureId> used)
      : matrix_(matrix), used_(used), in_place_(matrix.column_stride == 1 || matrix.n_columns <= 1) {}

  std::size_t rows_per_block() const {
    if (in_place_) return kMostRows;
    const std::size_t fitting = kCopyBytes / (sizeof(T) * std::max<std::size_t>(matrix_.n_columns, 1));
    return std::clamp(fitting / 8 * 8, std::size_t{8}, kMostRows);
  }

  MatrixRows<T> read(std::size_t begin, std::size_t end) {
    const T* first = matrix_.data + static_cast<std::ptrdiff_t>(begin) * matrix_.row_stride;
    const std::size_t n_rows = end - begin;
    if (in_place_) return {first, matrix_.row_stride, n_rows};
    copy_.resize(n_rows * matrix_.n_columns);
    for (const FeatureId feature : used_) {
      const T* from = first + feature * matrix_.column_stride;
      T* to = copy_.data() + feature;
      for (std::size_t i = 0; i < n_rows; ++i, from += matrix_.row_stride, to += matrix_.n_columns)
        *to = *from;
    }
    return {copy_.data(), static_cast<std::ptrdiff_t>(matrix_.n_columns), n_rows};
  }

 private:
  static constexpr std::size_t kMostRows = 256;
  static constexpr std::size_t kCopyBytes = 64 * 1024;

  MatrixView<T> matrix_;
  std::span<const FeatureId> used_;
  bool in_place_;
  std::vector<T> copy_;
};

}  // namespace treewright
