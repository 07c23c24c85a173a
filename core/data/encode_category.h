// Dictionary codes of categories, given as unsigned integers of 8, 16 or 32 bits, to a column of the
// narrowest width.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/stop.h"
#include "data/column.h"
#include "data/numeric_source.h"

namespace treewright {

// `codes` has n_rows numbers: 0 = missing, 1 ... n_codes. Throws std::invalid_argument with the row and the
// code when one is larger.
Column encode_category(const NumericSource& codes, std::size_t n_rows, Code n_codes, ColumnKind kind,
                       const StopFlag& stop);

// Whether codes may come as numbers of this type.
inline bool holds_codes(Scalar type) {
  return type == Scalar::kUint8 || type == Scalar::kUint16 || type == Scalar::kUint32;
}

}  // namespace treewright
