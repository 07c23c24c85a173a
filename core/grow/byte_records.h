// ByteRecords: every value of a table as one byte, rows side by side, so that all columns drawn in a node cost
// one visit to memory per row.
//
// A column with at most 255 codes stands there as it is. A column with more is cut into 255 bins, each a run of
// neighbouring codes with about as many rows as any other: a few hundred sums then show where the best cut of
// a node may lie, and only the rows of those bins need their codes looked at. 0 = missing in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"

namespace treewright {

class ByteRecords {
 public:
  static constexpr std::size_t kMostBins = 255;

  ByteRecords(const Dataset& data, Team& team);

  // The byte of row r stands at r * stride().
  const std::uint8_t* column(FeatureId feature) const { return bytes_ + feature; }
  std::size_t stride() const { return stride_; }

  // Whether the bytes are the column's codes.
  bool is_exact(FeatureId feature) const { return bins_[static_cast<std::size_t>(feature)].empty(); }
  // Nominal columns with very many categories have no bytes.
  bool has(FeatureId feature) const { return has_[static_cast<std::size_t>(feature)]; }

  // The last code of every bin; entry 0, the missing ones, is 0.
  const std::vector<Code>& last_codes(FeatureId feature) const {
    return bins_[static_cast<std::size_t>(feature)];
  }
  // The number of bytes that occur is at most this.
  std::size_t n_values(FeatureId feature) const { return n_values_[static_cast<std::size_t>(feature)]; }

 private:
  std::size_t stride_ = 0;
  std::vector<std::uint8_t> memory_;
  std::uint8_t* bytes_ = nullptr;
  std::vector<std::vector<Code>> bins_;
  std::vector<char> has_;
  std::vector<std::size_t> n_values_;
};

}  // namespace treewright
