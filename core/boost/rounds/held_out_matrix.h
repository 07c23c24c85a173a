// HeldOutMatrix: held-out rows as a matrix of values, sent down one tree after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "boost/rounds/rounds.h"
#include "predict/matrix.h"
#include "tree/code_route.h"
#include "tree/tree.h"

namespace treewright {

template <class T>
class HeldOutMatrix : public HeldOutRows {
 public:
  HeldOutMatrix(const MatrixView<T>& matrix, std::span<const Code> n_codes)
      : matrix_(matrix), n_codes_(n_codes) {}

  std::size_t size() const override { return matrix_.n_rows; }

  void add_step(const Tree& tree, double* raw, Team& team) const override {
    constexpr std::size_t kBlock = 1024;
    const std::size_t n_blocks = (size() + kBlock - 1) / kBlock;
    team.parallel_for(n_blocks, size() * 32, [&](std::size_t block, int) {
      const std::size_t end = std::min(size(), (block + 1) * kBlock);
      for (std::size_t row = block * kBlock; row < end; ++row) raw[row] += tree.value[leaf(tree, row)];
    });
  }

 private:
  std::size_t leaf(const Tree& tree, std::size_t row) const {
    const T* values = matrix_.data + static_cast<std::ptrdiff_t>(row) * matrix_.row_stride;
    std::size_t node = 0;
    while (tree.kind[node] != NodeKind::kLeaf) {
      const FeatureId feature = tree.feature[node];
      const auto x = static_cast<double>(values[feature * matrix_.column_stride]);
      node = static_cast<std::size_t>(tree.first_child[node]) +
             branch_of_value(tree, node, x, n_codes_[static_cast<std::size_t>(feature)]);
    }
    return node;
  }

  MatrixView<T> matrix_;
  std::span<const Code> n_codes_;
};

}  // namespace treewright
