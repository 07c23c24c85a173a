// Dataset: the encoded columns of one table. Built once, shared by all trees, folds and rounds.
#pragma once

#include <cstddef>
#include <vector>

#include "data/column.h"

namespace treewright {

struct Dataset {
  std::size_t n_rows = 0;
  std::vector<Column> columns;

  FeatureId n_features() const { return static_cast<FeatureId>(columns.size()); }
  const Column& column(FeatureId feature) const { return columns[static_cast<std::size_t>(feature)]; }

  std::size_t code_bytes() const {
    std::size_t total = 0;
    for (const Column& column : columns) total += column.bytes.size() + column.rows.size() * sizeof(RowId);
    return total;
  }
  bool has_sparse() const {
    for (const Column& column : columns) {
      if (column.is_sparse) return true;
    }
    return false;
  }
};

}  // namespace treewright
