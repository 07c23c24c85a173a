// Histograms: buffers of cells, one per open leaf, lent and taken back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/huge_array.h"

namespace treewright {

template <class Cell>
class Histograms {
 public:
  // The first cells are never used: a column without missing values is read as if its cells began one
  // earlier.
  static constexpr std::size_t kLead = 8;

  explicit Histograms(std::size_t n_cells) : n_cells_(n_cells) {}

  // The cells hold anything.
  std::size_t acquire() {
    if (free_.empty()) {
      buffers_.emplace_back(kLead + n_cells_);
      return buffers_.size() - 1;
    }
    const std::size_t last = free_.back();
    free_.pop_back();
    return last;
  }
  void release(std::size_t histogram) { free_.push_back(histogram); }
  void release_all() {
    free_.clear();
    for (std::size_t i = buffers_.size(); i > 0; --i) free_.push_back(i - 1);
  }

  Cell* cells(std::size_t histogram) { return buffers_[histogram].data() + kLead; }
  void clear(std::size_t histogram) { std::fill_n(cells(histogram), n_cells_, Cell{}); }

 private:
  std::size_t n_cells_;
  std::vector<HugeArray<Cell>> buffers_;
  std::vector<std::size_t> free_;
};

}  // namespace treewright
