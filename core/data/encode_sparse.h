// A sparse matrix to columns: what is not stored is the number 0. The codes are those of the dense matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "data/column.h"

namespace treewright {

// By columns (CSC), each with ascending rows, none twice. Memory that someone else owns.
struct SparseMatrix {
  const void* values = nullptr;
  bool is_single = false;               // float32 instead of float64
  const RowId* rows = nullptr;          // of each value
  const std::int64_t* begin = nullptr;  // of each column, and the end of the last
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;

  std::size_t n_stored() const { return static_cast<std::size_t>(begin[n_columns]); }
};

// max_bins as in encode_numeric. With `keep_sparse` a column stays a list of entries unless a code per row
// takes less memory.
std::vector<Column> encode_sparse(const SparseMatrix& matrix, std::size_t max_bins, bool keep_sparse,
                                  Team& team);

}  // namespace treewright
