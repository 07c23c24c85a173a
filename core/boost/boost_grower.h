// BoostGrower: what the loop over rounds asks of whoever grows the trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "tree/tree.h"

namespace treewright {

class GradientSizes;

// First and second derivatives of every row for one output, and which rows the round sees.
struct Gradients {
  std::span<const float> gradient;
  std::span<const float> hessian;
  bool equal_hessians = false;            // all the same
  std::span<const std::uint8_t> drawn{};  // empty: all rows; else 0 = not seen, 1 = seen, 2 = counts `factor`
  float factor = 1;
  // In double precision. Newton trees take the sums of leaves from them, with weights and for few rows, so
  // that a weight of 2 equals the row twice; otherwise they are empty. Least-squares trees have no others:
  // their gradients are without weights, and they have hessians only where the user gave derivatives.
  std::span<const double> whole_gradient = {};
  std::span<const double> whole_hessian = {};
  double chance_gain = 0;                // γ of this tree, where it is larger than that of the plan
  const GradientSizes* sizes = nullptr;  // of the rows of all processes, where there are others

  bool sees(std::size_t row) const { return drawn.empty() || drawn[row] != 0; }
  float times(std::size_t row) const { return !drawn.empty() && drawn[row] == 2 ? factor : 1.0F; }
};

// One tree of a booster with what reports need beside the tree itself.
struct BoostedTree {
  Tree tree;                     // value: of every node, before the learning rate; weight: sum of hessians
  std::vector<double> gradient;  // sum per node
  std::vector<NodeId> leaf;      // of every row, where the grower knows it
};

// The rows of each leaf, ascending. Inner nodes have none.
struct LeafRows {
  std::vector<std::size_t> begin;  // by node, and the end of the last
  std::vector<RowId> rows;

  std::span<const RowId> of(std::size_t node) const {
    return {rows.data() + begin[node], begin[node + 1] - begin[node]};
  }

  // From the leaf of every row; rows for which sees(row) is false are left out.
  template <class Sees>
  static LeafRows from(std::span<const NodeId> leaf, std::size_t n_nodes, Sees&& sees) {
    LeafRows result;
    result.begin.assign(n_nodes + 1, 0);
    const auto for_rows = [&](auto&& visit) {
      for (std::size_t row = 0; row < leaf.size(); ++row) {
        if (sees(row)) visit(static_cast<std::size_t>(leaf[row]), static_cast<RowId>(row));
      }
    };
    for_rows([&](std::size_t node, RowId) { ++result.begin[node + 1]; });
    for (std::size_t node = 0; node < n_nodes; ++node) result.begin[node + 1] += result.begin[node];
    result.rows.resize(result.begin[n_nodes]);
    std::vector<std::size_t> next(result.begin);
    for_rows([&](std::size_t node, RowId row) { result.rows[next[node]++] = row; });
    return result;
  }
};

class BoostGrower {
 public:
  virtual ~BoostGrower() = default;

  // The tree of one output in one round; both key its random draws.
  virtual BoostedTree grow(const Gradients& gradients, std::uint64_t round, std::size_t output) = 0;

  // Adds values[leaf] of the tree grown last to the score of every row, also of those that the round did not
  // see.
  virtual void add_step(std::span<const double> values, double* raw) = 0;

  // The rows of the leaves of the tree grown last, without those that the round did not see.
  virtual LeafRows rows_by_leaf() const = 0;
};

}  // namespace treewright
