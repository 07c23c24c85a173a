// Dictionary codes of categories, given as 32-bit integers, to a column of the narrowest width.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/stop.h"
#include "data/column.h"

namespace treewright {

// `codes` has n_rows numbers `stride` bytes apart: 0 = missing, 1 ... n_codes. Throws std::invalid_argument
// with the row and the code when one is larger.
Column encode_category(const std::byte* codes, std::ptrdiff_t stride, std::size_t n_rows, Code n_codes,
                       ColumnKind kind, const StopFlag& stop);

}  // namespace treewright
