// KeyRecords: the values of a table's ordered columns as whole numbers that rise with them, rows side by
// side, each column in as few bits as it needs: what a node reads of a row then lies in one cache line, or
// in few. Of wide tables a node reads few columns; there each column stands for itself. For tests that are
// drawn between values, so a number must also tell its value at once:
//
//   few different values   the column's code, which its short list of values stays near for
//   many, and bins         the same, where single precision does not hold the values
//   many, single precision the bits of the value itself, ordered
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/huge_array.h"
#include "base/parallel.h"
#include "data/dataset.h"

namespace treewright {

// Where the number of a column stands: some bits of the four bytes from `byte` on, behind the first row's
// record.
struct KeyField {
  std::size_t byte = 0;
  std::int32_t shift = 0;
  std::int32_t mask = 0;

  std::int32_t read(const std::uint8_t* record) const {
    std::uint32_t bits;
    std::memcpy(&bits, record + byte, sizeof bits);
    return static_cast<std::int32_t>(bits >> shift) & mask;
  }
};

// The columns that records are made of: none, those of just two values, or all that have an order.
enum class KeyColumns { kNone, kTwoValued, kOrdered };

inline bool is_two_valued(const Column& column) {
  return column.kind != ColumnKind::kNominal && column.n_codes == 2 && !column.has_missing;
}

class KeyRecords {
 public:
  using Key = std::int32_t;

  // `per_node` is how many columns a node reads, 0 for all.
  KeyRecords(const Dataset& data, KeyColumns which, Team& team, std::size_t per_node = 0);

  bool has(FeatureId feature) const { return !columns_.empty() && field(feature).mask != 0; }

  // The record of row r stands at r * stride().
  const std::uint8_t* records() const { return records_.data(); }
  std::size_t stride() const { return stride_; }

  const KeyField& field(FeatureId feature) const { return columns_[index(feature)].field; }
  Key key(std::size_t row, FeatureId feature) const { return field(feature).read(records() + row * stride_); }

  // The key of a missing value, smaller than all others; in columns without missing values no row has it.
  Key missing(FeatureId feature) const {
    const KeyColumn& own = columns_[index(feature)];
    return own.is_value || own.first > 0 ? std::numeric_limits<Key>::min() : Key{0};
  }
  // The smallest value behind a key; an ordered category's is its code.
  double value(FeatureId feature, Key key) const {
    const KeyColumn& own = columns_[index(feature)];
    return own.is_value ? static_cast<double>(value_of(key)) : listed_value(feature, key);
  }
  // Whether a value is told by its key alone.
  bool holds_values(FeatureId feature) const { return columns_[index(feature)].is_value; }
  // The last key from low to high whose value is not above the threshold; that of low is not, that of high
  // is.
  Key last_below(FeatureId feature, double threshold, Key low, Key high) const;
  Key last_below(FeatureId feature, double threshold) const;  // of all keys of the column
  // The largest value behind a key: another one than the smallest where keys are bins.
  double highest(FeatureId feature, Key key) const;

 private:
  struct KeyColumn {
    KeyField field;
    bool is_value = false;  // the bits of a single-precision number, otherwise a code
    Code first = 0;         // the code whose key is 0
  };

  static std::size_t index(FeatureId feature) { return static_cast<std::size_t>(feature); }
  static Key key_of(float value);
  static float value_of(Key key) {
    return std::bit_cast<float>(key < 0 ? key ^ std::numeric_limits<Key>::max() : key);
  }
  double listed_value(FeatureId feature, Key key) const;
  void lay_out(KeyColumns which, std::size_t per_node);
  template <class Codes>
  void write(const Codes* codes, std::size_t begin, std::size_t end, std::size_t c);

  const Dataset& data_;
  std::size_t stride_ = 0;
  bool by_column_ = false;     // rows of one column stand side by side, not columns of one row
  std::size_t n_columns_ = 0;  // that have keys
  std::vector<KeyColumn> columns_;
  HugeArray<std::uint8_t> records_;
};

}  // namespace treewright
