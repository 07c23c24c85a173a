// One encoded column: an integer code per row, 0 = missing.
// Numeric codes are dense ranks (exact) or bins; `lower` and `upper` give the range of values behind a code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/blocks.h"
#include "base/stop.h"
#include "base/types.h"

namespace treewright {

// ValueList: the values behind the codes of a numeric column, read as doubles.
// Columns that came as float32 keep their values as float32: with exact ranks there can be one value per row,
// and doubles would then take twice the memory of the codes.
class ValueList {
 public:
  ValueList() = default;
  ValueList(std::vector<double> values) : doubles_(std::move(values)) {}
  ValueList(std::vector<float> values) : floats_(std::move(values)) {}
  ValueList(std::initializer_list<double> values) : doubles_(values) {}

  std::size_t size() const { return floats_.size() + doubles_.size(); }
  bool empty() const { return size() == 0; }
  bool is_single() const { return doubles_.empty(); }
  std::size_t bytes() const { return floats_.size() * sizeof(float) + doubles_.size() * sizeof(double); }

  double operator[](std::size_t i) const {
    return floats_.empty() ? doubles_[i] : static_cast<double>(floats_[i]);
  }

 private:
  std::vector<float> floats_;  // at most one of the two is in use
  std::vector<double> doubles_;
};

enum class ColumnKind : std::uint8_t { kNumeric = 0, kNominal = 1, kOrdinal = 2 };

struct Column {
  ColumnKind kind = ColumnKind::kNumeric;
  std::uint8_t width = 1;           // bytes per code: 1, 2 or 4
  bool has_missing = false;         // some row holds code 0
  Code n_codes = 0;                 // codes run from 1 to n_codes
  std::vector<std::uint8_t> bytes;  // n_rows codes of `width` bytes each

  // Where nearly all rows have one code, `rest`, only the others may be listed: their numbers, ascending, and
  // in `bytes` the code of each.
  bool is_sparse = false;
  Code rest = 0;
  std::vector<RowId> rows;

  // Numeric only. The smallest and largest training value behind code c stand at c - 1;
  // with exact ranks they are equal and `upper` is left empty.
  ValueList lower;
  ValueList upper;

  double lowest(Code code) const { return lower[code - 1]; }
  double highest(Code code) const { return upper.empty() ? lower[code - 1] : upper[code - 1]; }

  // The range behind a code of any kind of column, as tests compare it: a category is its own code.
  double value_from(Code code) const {
    return kind == ColumnKind::kNumeric ? lowest(code) : static_cast<double>(code);
  }
  double value_to(Code code) const {
    return kind == ColumnKind::kNumeric ? highest(code) : static_cast<double>(code);
  }

  template <class T>
  const T* codes() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
};

// The narrowest width in bytes. Categories also need room for n_codes + 1, the code of one not seen in
// training.
inline std::uint8_t code_width(ColumnKind kind, std::size_t n_codes) {
  const std::size_t largest = kind == ColumnKind::kNumeric ? n_codes : n_codes + 1;
  if (largest <= 0xFF) return 1;
  return largest <= 0xFFFF ? 2 : 4;
}

[[noreturn]] inline void throw_bad_width(std::uint8_t width) {
  throw std::logic_error("The codes of a column have 1, 2 or 4 bytes, not " + std::to_string(width) + ".");
}

[[noreturn]] inline void throw_not_dense() {
  throw std::logic_error("The codes of a sparse column were asked for row by row.");
}

// Calls `visit(const T* codes)` with T the unsigned type of the column's width, the one place that looks at
// it: of a sparse column the codes of its listed rows.
template <class Visitor>
decltype(auto) visit_stored(const Column& column, Visitor&& visit) {
  switch (column.width) {
    case 1: return std::forward<Visitor>(visit)(column.codes<std::uint8_t>());
    case 2: return std::forward<Visitor>(visit)(column.codes<std::uint16_t>());
    case 4: return std::forward<Visitor>(visit)(column.codes<std::uint32_t>());
    default: throw_bad_width(column.width);
  }
}

// The same for a column that has a code for every row.
template <class Visitor>
decltype(auto) visit_codes(const Column& column, Visitor&& visit) {
  if (column.is_sparse) throw_not_dense();
  return visit_stored(column, std::forward<Visitor>(visit));
}

// Fills `bytes`, `width`, `n_codes` and `has_missing` with code_of(row) for every row; `kind` must be set.
// The block size lets `stop` interrupt columns of any length within milliseconds.
template <class CodeOf>
void write_codes(Column* column, std::size_t n_rows, std::size_t n_codes, const StopFlag& stop,
                 CodeOf&& code_of) {
  column->n_codes = static_cast<Code>(n_codes);
  column->width = code_width(column->kind, n_codes);
  column->bytes.resize(n_rows * column->width);
  const auto write = [&](auto* codes) {
    using T = std::remove_pointer_t<decltype(codes)>;
    bool has_missing = false;
    for_blocks(n_rows, stop, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        const T code = static_cast<T>(code_of(row));
        codes[row] = code;
        has_missing |= code == kMissing;
      }
    });
    column->has_missing = has_missing;
  };
  std::uint8_t* bytes = column->bytes.data();
  switch (column->width) {
    case 1: return write(bytes);
    case 2: return write(reinterpret_cast<std::uint16_t*>(bytes));
    case 4: return write(reinterpret_cast<std::uint32_t*>(bytes));
    default: throw_bad_width(column->width);
  }
}

}  // namespace treewright
