// RowCodes: the codes of a dataset row by row, one byte each, for filling histograms: a row is one or two
// cache lines. Columns keep their own copy for partitioning, where one column of many rows is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"

namespace treewright {

class RowCodes {
 public:
  RowCodes(const Dataset& data, Team& team)
      : width_((data.columns.size() + 7) / 8 * 8), codes_(data.n_rows * width_, 0) {
    // Cells of a column start where those of the one before end: no power-of-two stride, which would make
    // columns with few codes fight for the same cache lines.
    for (const Column& column : data.columns) {
      if (column.width != 1)
        throw std::invalid_argument("Histograms need columns with at most 255 codes: use bins.");
      offsets_.push_back(static_cast<std::uint32_t>(cells_));
      cells_ += column.n_codes + 1;
    }
    constexpr std::size_t kBlock = 4096;
    const std::size_t n_blocks = (data.n_rows + kBlock - 1) / kBlock;
    team.parallel_for(n_blocks, data.n_rows * width_, [&](std::size_t block, int) {
      const std::size_t end = std::min(data.n_rows, (block + 1) * kBlock);
      for (std::size_t f = 0; f < data.columns.size(); ++f) {
        const std::uint8_t* column = data.columns[f].codes<std::uint8_t>();
        for (std::size_t row = block * kBlock; row < end; ++row) codes_[row * width_ + f] = column[row];
      }
    });
  }

  const std::uint8_t* row(std::size_t row) const { return codes_.data() + row * width_; }
  const std::vector<std::uint32_t>& offsets() const { return offsets_; }
  std::size_t cells() const { return cells_; }

 private:
  std::size_t width_;
  std::size_t cells_ = 0;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint8_t> codes_;
};

}  // namespace treewright
