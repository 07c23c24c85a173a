// CodeRecords: every value of a table as a small whole number, rows side by side, so that all columns drawn
// in a node cost one visit to memory per row.
//
// A column with few enough codes stands there as it is. A column with more is cut into bins, each a run of
// neighbouring codes with about as many rows as any other: some sums per bin then show where the best cut of
// a node may lie, and only the rows of those bins need their codes looked at. 0 = missing in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/huge_array.h"
#include "base/parallel.h"
#include "data/dataset.h"

namespace treewright {

// T: std::uint8_t or std::uint16_t.
template <class T>
class CodeRecords {
 public:
  using Value = T;
  static constexpr std::size_t kMostBins = std::numeric_limits<T>::max();

  // Makes none when they are not wanted. Columns of just two values have better ones (forest/key_records.h).
  CodeRecords(const Dataset& data, bool wanted, Team& team);

  // The number of row r stands at r * stride() of its column; those of all columns at r * stride() of these.
  const T* records() const { return numbers_.data(); }
  const T* column(FeatureId feature) const { return numbers_.data() + place(feature); }
  std::size_t place(FeatureId feature) const { return place_[static_cast<std::size_t>(feature)]; }
  std::size_t stride() const { return stride_; }

  // Whether the numbers are the column's codes.
  bool is_exact(FeatureId feature) const { return bins_[static_cast<std::size_t>(feature)].empty(); }
  // Nominal columns with very many categories are left out, too.
  bool has(FeatureId feature) const { return has_[static_cast<std::size_t>(feature)] != 0; }

  // The last code of every bin; entry 0, the missing ones, is 0. Empty when the numbers are the codes.
  const std::vector<Code>& last_codes(FeatureId feature) const {
    return bins_[static_cast<std::size_t>(feature)];
  }
  // Numbers are smaller than this.
  std::size_t n_values(FeatureId feature) const { return n_values_[static_cast<std::size_t>(feature)]; }

 private:
  std::size_t stride_ = 0;
  HugeArray<T> numbers_;
  std::vector<std::vector<Code>> bins_;
  std::vector<char> has_;
  std::vector<std::size_t> place_;  // in a record
  std::vector<std::size_t> n_values_;
};

// Whether every column has so few codes that a byte holds them.
inline bool bytes_are_exact(const Dataset& data) {
  for (const Column& column : data.columns) {
    if (column.width > 1 && !column.is_sparse) return false;
  }
  return true;
}

}  // namespace treewright
