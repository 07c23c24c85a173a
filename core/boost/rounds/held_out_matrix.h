// Held-out rows, sent down one tree after the other: HeldOutMatrix, a matrix of values; HeldOutCodes, a
// matrix of narrow codes and, for each code of a column, a value that all thresholds tell apart as they do
// the values behind it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "boost/rounds/rounds.h"
#include "predict/matrix.h"
#include "tree/code_route.h"
#include "tree/tree.h"

namespace treewright {

// What both do: `Derived` has size(), and value(row, feature).
template <class Derived>
class WalkedRows : public HeldOutRows {
 public:
  void add_step(const Tree& tree, double* raw, Team& team) const override {
    constexpr std::size_t kBlock = 1024;
    const std::size_t n_blocks = (size() + kBlock - 1) / kBlock;
    team.parallel_for(n_blocks, size() * 32, [&](std::size_t block, int) {
      const std::size_t end = std::min(size(), (block + 1) * kBlock);
      for (std::size_t row = block * kBlock; row < end; ++row) raw[row] += tree.value[leaf(tree, row)];
    });
  }

 private:
  friend Derived;
  explicit WalkedRows(std::span<const Code> n_codes) : n_codes_(n_codes) {}

  std::size_t leaf(const Tree& tree, std::size_t row) const {
    std::size_t node = 0;
    while (tree.kind[node] != NodeKind::kLeaf) {
      const FeatureId feature = tree.feature[node];
      const double x = static_cast<const Derived&>(*this).value(row, feature);
      node = static_cast<std::size_t>(tree.first_child[node]) +
             branch_of_value(tree, node, x, n_codes_[static_cast<std::size_t>(feature)]);
    }
    return node;
  }

  std::span<const Code> n_codes_;
};

template <class T>
class HeldOutMatrix final : public WalkedRows<HeldOutMatrix<T>> {
 public:
  HeldOutMatrix(const MatrixView<T>& matrix, std::span<const Code> n_codes)
      : WalkedRows<HeldOutMatrix<T>>(n_codes), matrix_(matrix) {}

  std::size_t size() const override { return matrix_.n_rows; }
  double value(std::size_t row, FeatureId feature) const {
    return static_cast<double>(matrix_.data[static_cast<std::ptrdiff_t>(row) * matrix_.row_stride +
                                            feature * matrix_.column_stride]);
  }

 private:
  MatrixView<T> matrix_;
};

template <class T>
class HeldOutCodes final : public WalkedRows<HeldOutCodes<T>> {
 public:
  // `values`: of each column, by code. Codes must be below their number.
  HeldOutCodes(const MatrixView<T>& codes, std::vector<std::span<const double>> values,
               std::span<const Code> n_codes)
      : WalkedRows<HeldOutCodes<T>>(n_codes), codes_(codes), values_(std::move(values)) {}

  std::size_t size() const override { return codes_.n_rows; }
  double value(std::size_t row, FeatureId feature) const {
    const T code =
        codes_.data[static_cast<std::ptrdiff_t>(row) * codes_.row_stride + feature * codes_.column_stride];
    return values_[static_cast<std::size_t>(feature)][code];
  }
  bool are_known() const {
    for (std::size_t row = 0; row < codes_.n_rows; ++row) {
      for (std::size_t f = 0; f < values_.size(); ++f) {
        const auto place = static_cast<std::ptrdiff_t>(row) * codes_.row_stride +
                           static_cast<std::ptrdiff_t>(f) * codes_.column_stride;
        if (codes_.data[place] >= values_[f].size()) return false;
      }
    }
    return true;
  }

 private:
  MatrixView<T> codes_;
  std::vector<std::span<const double>> values_;
};

}  // namespace treewright
