// Where the rows for a forest come from: a caller's matrix, or the codes of an encoded table. Both are turned
// into blocks of cells (forest_slots.h). One object per thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "data/dataset.h"
#include "predict/forest_slots.h"
#include "predict/general_nodes.h"
#include "predict/key_nodes.h"
#include "predict/matrix.h"

namespace treewright {

// The cell of a number. Codes come as what they are.
template <class Cell>
Cell number_cell(double x, CellForm form) {
  using Keys = CellKeys<std::conditional_t<sizeof(Cell) == sizeof(float), float, double>>;
  if (x != x) return form == CellForm::kMissingRight ? Keys::kMissingRight : Keys::kMissingLeft;
  if constexpr (sizeof(Cell) == sizeof(float)) {
    return narrow_key(x);
  } else {
    return to_key(x);
  }
}

inline bool is_float32(double x) {
  return x != x || static_cast<double>(static_cast<float>(x)) == x;
}

template <class T>
class MatrixCells {
 public:
  MatrixCells(const MatrixView<T>& matrix, const ForestSlots& slots) : matrix_(matrix), slots_(slots) {}

  // Fills `out` with the rows begin ... end - 1. False when narrow cells do not hold all that the numbers
  // say, so that rows may be in doubt.
  template <class Cell>
  bool read(std::size_t begin, std::size_t end, std::vector<Cell>& out) const {
    // Tiles, because the columns of a row are adjacent in the matrix as well as in the block.
    constexpr std::size_t kTileRows = 64;
    out.resize((end - begin) * slots_.width());
    bool fits = true;
    for (std::size_t tile = begin; tile < end; tile += kTileRows) {
      const std::size_t n = std::min(kTileRows, end - tile);
      fits &= read_tile(tile, n, out.data() + (tile - begin) * slots_.width());
    }
    return fits;
  }

 private:
  template <class Cell>
  bool read_tile(std::size_t begin, std::size_t n, Cell* out) const {
    const T* first = matrix_.data + static_cast<std::ptrdiff_t>(begin) * matrix_.row_stride;
    bool fits = true;
    for (const ForestSlot& slot : slots_.slots()) {
      const T* from = first + slot.feature * matrix_.column_stride;
      Cell* to = out++;
      for (std::size_t i = 0; i < n; ++i, from += matrix_.row_stride, to += slots_.width()) {
        const auto x = static_cast<double>(*from);
        if constexpr (sizeof(Cell) < sizeof(T)) fits &= is_float32(x);
        *to = slot.form == CellForm::kCode ? Cell{code_of(x, slot.n_codes)} : number_cell<Cell>(x, slot.form);
      }
    }
    return fits;
  }

  const MatrixView<T>& matrix_;
  const ForestSlots& slots_;
};

// The value that stands for a code of a column: its lowest number, or the category's code as a number. Where
// numbers were joined to bins, a threshold lies inside a bin only if no row of its node was in that bin.
inline double value_of(const Column& column, Code code) {
  if (code == kMissing) return std::numeric_limits<double>::quiet_NaN();
  return column.kind == ColumnKind::kNumeric ? column.lowest(code) : static_cast<double>(code);
}

template <class Cell>
class TableCells {
 public:
  TableCells(const Dataset& data, const ForestSlots& slots) : data_(data), slots_(slots) {}

  // The rows row_of(i) for i in [0, n).
  template <class RowOf>
  MatrixRows<Cell> read(std::size_t n, RowOf&& row_of) {
    cells_.resize(n * slots_.width());
    n_ = n;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) write(slot, row_of);
    return {cells_.data(), static_cast<std::ptrdiff_t>(slots_.width()), n};
  }

  // Gives the rows of the last block other values in one slot: those of the rows row_of(i).
  template <class RowOf>
  void write(std::size_t position, RowOf&& row_of) {
    const ForestSlot& slot = slots_.slots()[position];
    const Column& column = data_.column(slot.feature);
    Cell* to = cells_.data() + position;
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t i = 0; i < n_; ++i, to += slots_.width()) {
        const auto code = static_cast<Code>(codes[row_of(i)]);
        *to =
            slot.form == CellForm::kCode ? Cell{code} : number_cell<Cell>(value_of(column, code), slot.form);
      }
    });
  }

 private:
  const Dataset& data_;
  const ForestSlots& slots_;
  std::vector<Cell> cells_;
  std::size_t n_ = 0;
};

// Whether narrow cells can hold every number that the forest reads from the table.
inline bool fits_narrow_cells(const Dataset& data, const ForestSlots& slots) {
  for (const ForestSlot& slot : slots.slots()) {
    const ValueList& values = data.column(slot.feature).lower;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_float32(values[i])) return false;
    }
  }
  return true;
}

// Throws std::invalid_argument when the table's columns are not those that the forest was made for.
inline void check_table_fits(const Dataset& data, const ForestSlots& slots, std::span<const Code> n_codes) {
  if (data.columns.size() != n_codes.size()) {
    throw std::invalid_argument("The table has " + std::to_string(data.columns.size()) +
                                " columns, expected " + std::to_string(n_codes.size()) + ".");
  }
  for (const ForestSlot& slot : slots.slots()) {
    const Column& column = data.column(slot.feature);
    const bool fits = slot.form != CellForm::kCode ||
                      (column.kind != ColumnKind::kNumeric && column.n_codes <= slot.n_codes);
    if (!fits) {
      throw std::invalid_argument("Column " + std::to_string(slot.feature) +
                                  " of the table does not hold the categories that the forest tests.");
    }
  }
}

}  // namespace treewright
