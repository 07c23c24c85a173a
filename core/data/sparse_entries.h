// The entries of a sparse column: its rows whose code is not that of the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/column.h"
#include "data/dataset.h"

namespace treewright {

// visit(row, code) for the entries of rows first ... end - 1, ascending.
template <class Visit>
void for_entries(const Column& column, std::size_t first, std::size_t end, Visit&& visit) {
  const auto begin = std::lower_bound(column.rows.begin(), column.rows.end(), first);
  visit_stored(column, [&](const auto* codes) {
    for (auto i = static_cast<std::size_t>(begin - column.rows.begin());
         i < column.rows.size() && column.rows[i] < end; ++i) {
      visit(std::size_t{column.rows[i]}, static_cast<Code>(codes[i]));
    }
  });
}

// A column with a code for every row.
inline Column dense_copy(const Column& column, std::size_t n_rows) {
  Column dense = column;
  if (!column.is_sparse) return dense;
  dense.is_sparse = false;
  dense.rows = {};
  dense.bytes.resize(n_rows * column.width);
  visit_stored(column, [&]<class T>(const T* stored) {
    T* codes = reinterpret_cast<T*>(dense.bytes.data());
    std::fill_n(codes, n_rows, static_cast<T>(column.rest));
    for (std::size_t i = 0; i < column.rows.size(); ++i) codes[column.rows[i]] = stored[i];
  });
  return dense;
}

inline Dataset dense_copy(const Dataset& data) {
  Dataset dense;
  dense.n_rows = data.n_rows;
  dense.columns.reserve(data.columns.size());
  for (const Column& column : data.columns) dense.columns.push_back(dense_copy(column, data.n_rows));
  return dense;
}

}  // namespace treewright
