#include "data/encode_category.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/blocks.h"
#include "data/numeric_source.h"

namespace treewright {

namespace {

void refuse(const std::byte* codes, std::ptrdiff_t stride, std::size_t begin, std::size_t end, Code n_codes) {
  for (std::size_t row = begin; row < end; ++row) {
    const Code code = load_scalar<Code>(codes + static_cast<std::ptrdiff_t>(row) * stride);
    if (code > n_codes) {
      throw std::invalid_argument("Row " + std::to_string(row) + " holds category code " +
                                  std::to_string(code) + ", but the column has only " +
                                  std::to_string(n_codes) + " categories.");
    }
  }
}

}  // namespace

Column encode_category(const std::byte* codes, std::ptrdiff_t stride, std::size_t n_rows, Code n_codes,
                       ColumnKind kind, const StopFlag& stop) {
  if (n_codes == std::numeric_limits<Code>::max()) {
    throw std::invalid_argument("A column can have at most 4294967294 categories.");
  }
  const auto code_of = [&](std::size_t row) {
    return load_scalar<Code>(codes + static_cast<std::ptrdiff_t>(row) * stride);
  };
  for_blocks(n_rows, stop, [&](std::size_t begin, std::size_t end) {
    Code largest = 0;
    for (std::size_t row = begin; row < end; ++row) largest = std::max(largest, code_of(row));
    if (largest > n_codes) refuse(codes, stride, begin, end, n_codes);
  });
  Column column;
  column.kind = kind;
  write_codes(&column, n_rows, n_codes, stop, code_of);
  return column;
}

}  // namespace treewright
