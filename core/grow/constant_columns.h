// ConstantColumns: the columns that are known to be constant in a node, and so in all nodes below it. Sets
// are kept on a stack, because a tree that is grown depth first is done with them in reverse order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace treewright {

class ConstantColumns {
 public:
  // Starts with one empty set, set 0.
  void start(std::size_t n_columns) {
    words_per_set_ = (n_columns + 63) / 64;
    words_.assign(words_per_set_, 0);
  }

  // A copy of a set on top of it, for the children of the node that the set belongs to; all sets above it are
  // dropped. Returns the number of the copy.
  std::size_t push_copy(std::size_t set) {
    words_.resize((set + 2) * words_per_set_);
    const auto from = static_cast<std::ptrdiff_t>(set * words_per_set_);
    std::copy_n(words_.begin() + from, words_per_set_,
                words_.begin() + from + static_cast<std::ptrdiff_t>(words_per_set_));
    return set + 1;
  }

  bool contains(std::size_t set, FeatureId column) const {
    const auto c = static_cast<std::size_t>(column);
    return (words_[set * words_per_set_ + c / 64] >> (c % 64) & 1U) != 0;
  }
  void add(std::size_t set, FeatureId column) {
    const auto c = static_cast<std::size_t>(column);
    words_[set * words_per_set_ + c / 64] |= std::uint64_t{1} << (c % 64);
  }

 private:
  std::size_t words_per_set_ = 1;
  std::vector<std::uint64_t> words_;
};

}  // namespace treewright
