// BitSet: a set of small numbers (codes of categories), as 32-bit words like the tables of subset nodes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

class BitSet {
 public:
  explicit BitSet(std::size_t n_bits = 0) : words_((n_bits + 31) / 32, 0) {}

  void insert(std::uint32_t bit) { words_[bit >> 5] |= 1U << (bit & 31); }
  void erase(std::uint32_t bit) { words_[bit >> 5] &= ~(1U << (bit & 31)); }

  // Numbers past the end are not in the set.
  bool contains(std::uint32_t bit) const {
    const std::size_t word = bit >> 5;
    return word < words_.size() && ((words_[word] >> (bit & 31)) & 1U) != 0;
  }

  std::size_t count() const {
    std::size_t total = 0;
    for (const std::uint32_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }

  const std::vector<std::uint32_t>& words() const { return words_; }
  bool operator==(const BitSet&) const = default;

 private:
  std::vector<std::uint32_t> words_;
};

}  // namespace treewright
