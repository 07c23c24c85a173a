// ColumnDraw: draws columns of one node without replacement, one after the other, in time that depends on how
// many are drawn and not on how many there are.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/types.h"

namespace treewright {

class ColumnDraw {
 public:
  // Forgets the draw before.
  void start(std::span<const FeatureId> columns, const Random& random) {
    if (columns.data() != source_ || columns.size() != columns_.size()) {
      columns_.assign(columns.begin(), columns.end());
      source_ = columns.data();
    } else {
      // Swaps taken back in reverse order restore the list.
      while (!swapped_.empty()) {
        std::swap(columns_[swapped_.size() - 1], columns_[swapped_.back()]);
        swapped_.pop_back();
      }
    }
    swapped_.clear();
    random_ = random;
  }

  bool empty() const { return swapped_.size() == columns_.size(); }

  FeatureId next() {
    const std::size_t place = swapped_.size();
    const std::size_t other = place + static_cast<std::size_t>(random_.uniform(columns_.size() - place));
    std::swap(columns_[place], columns_[other]);
    swapped_.push_back(other);
    return columns_[place];
  }

 private:
  const FeatureId* source_ = nullptr;
  std::vector<FeatureId> columns_;
  std::vector<std::size_t> swapped_;
  Random random_;
};

}  // namespace treewright
