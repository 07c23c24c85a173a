// What pruning asks of a classification tree's own arrays, and of the columns it was grown on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "data/dataset.h"
#include "tree/tree.h"

namespace treewright {

// The number of categories of each column, 0 for a numeric one, as check_tree wants it.
inline std::vector<Code> category_counts(const Dataset& data) {
  std::vector<Code> counts;
  for (const Column& column : data.columns) {
    counts.push_back(column.kind == ColumnKind::kNumeric ? 0 : column.n_codes);
  }
  return counts;
}

// Throws std::invalid_argument unless every value is a class distribution.
inline void check_distributions(const Tree& tree) {
  const auto n_classes = static_cast<std::size_t>(tree.outputs);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    const double* value = tree.value.data() + node * n_classes;
    double sum = 0;
    for (std::size_t k = 0; k < n_classes; ++k) sum += value[k] >= 0 ? value[k] : HUGE_VAL;
    if (!(std::abs(sum - 1) < 1e-6)) {
      throw std::invalid_argument("Only a classification tree can be pruned by its errors.");
    }
  }
}

// Weight of the rows that the node's majority class gets wrong.
inline double training_errors(const Tree& tree, std::size_t node) {
  const auto n_classes = static_cast<std::size_t>(tree.outputs);
  const double* value = tree.value.data() + node * n_classes;
  return tree.weight[node] * std::max(0.0, 1.0 - *std::max_element(value, value + n_classes));
}

}  // namespace treewright
