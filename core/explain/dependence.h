// Dependence: how the answers of a sum of trees change when one or two features take the values of a grid.
//
// Rows go down a tree together, as lists. A test of another feature divides the list; a test of a grid
// feature divides the values of the grid and both sides keep the list. So each tree is walked once, not once
// per value, and a leaf adds its number to a rectangle of the grid: at its corners, from which sums along the
// grid make the curves.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "explain/attributions.h"
#include "predict/matrix.h"

namespace treewright {

// One or two features and the values that they take: numbers ascending, codes of categories, at last NaN
// where a missing value is looked at, too.
struct DependenceGrid {
  struct Axis {
    FeatureId feature;
    std::vector<double> values;
  };
  std::vector<Axis> axes;

  std::size_t n_cells() const {
    std::size_t n = 1;
    for (const Axis& axis : axes) n *= axis.values.size();
    return n;
  }
};

// Throws std::invalid_argument for a grid that there cannot be.
void check_grid(const DependenceGrid& grid, std::size_t n_features);

// For every row n_cells * n_outputs numbers: what the trees add up to when the row has the values of a cell.
template <class T>
void dependence_curves(const Attributions& sum, const DependenceGrid& grid, const MatrixView<T>& matrix,
                       Team& team, double* out);

// Their sum over the rows, n_cells * n_outputs. weights: one per row; empty: each counts once.
template <class T>
std::vector<double> dependence_sums(const Attributions& sum, const DependenceGrid& grid,
                                    const MatrixView<T>& matrix, std::span<const double> weights, Team& team);

// The same on average over the training rows as they went down the trees, n_cells * n_outputs.
std::vector<double> expected_dependence(const Attributions& sum, const DependenceGrid& grid, Team& team);

}  // namespace treewright
