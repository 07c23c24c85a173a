#include "data/encode_category.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/blocks.h"
#include "base/row_error.h"

namespace treewright {

namespace {

template <class T>
struct CodeReader {
  const std::byte* data;
  std::ptrdiff_t stride;
  Code operator()(std::size_t row) const {
    return load_scalar<T>(data + static_cast<std::ptrdiff_t>(row) * stride);
  }
};

template <class Reader>
void check_codes(const Reader& code_of, std::size_t begin, std::size_t end, Code n_codes) {
  Code largest = 0;
  for (std::size_t row = begin; row < end; ++row) largest = std::max(largest, code_of(row));
  if (largest <= n_codes) return;
  while (code_of(begin) <= n_codes) ++begin;
  throw RowError(begin, "holds category code " + std::to_string(code_of(begin)) +
                            ", but the column has only " + std::to_string(n_codes) + " categories.");
}

template <class Reader>
Column encode(const Reader& code_of, std::size_t n_rows, Code n_codes, ColumnKind kind,
              const StopFlag& stop) {
  for_blocks(n_rows, stop,
             [&](std::size_t begin, std::size_t end) { check_codes(code_of, begin, end, n_codes); });
  Column column;
  column.kind = kind;
  write_codes(&column, n_rows, n_codes, stop, code_of);
  return column;
}

}  // namespace

Column encode_category(const NumericSource& codes, std::size_t n_rows, Code n_codes, ColumnKind kind,
                       const StopFlag& stop) {
  if (n_codes == std::numeric_limits<Code>::max()) {
    throw std::invalid_argument("A column can have at most 4294967294 categories.");
  }
  switch (codes.type) {
    case Scalar::kUint8:
      return encode(CodeReader<std::uint8_t>{codes.data, codes.stride}, n_rows, n_codes, kind, stop);
    case Scalar::kUint16:
      return encode(CodeReader<std::uint16_t>{codes.data, codes.stride}, n_rows, n_codes, kind, stop);
    case Scalar::kUint32:
      return encode(CodeReader<std::uint32_t>{codes.data, codes.stride}, n_rows, n_codes, kind, stop);
    default: throw std::invalid_argument("Categories must be unsigned integers of 8, 16 or 32 bits.");
  }
}

}  // namespace treewright
