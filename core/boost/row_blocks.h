// RowBlocks: the rows of a tree, leaf by leaf, in blocks of at most 65 536. Inside a block a row is a number
// of 16 bits, and every node has one range of each block: dividing a node's rows touches no other block, so
// threads share blocks out among themselves and exchange nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace treewright {

struct BlockRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::size_t size() const { return end - begin; }
};

// Reorders the numbers of rows so that those which go left come first, each side in its old order; returns
// how many. goes_right[code] says where a code goes. `spare` has room for all.
template <class T>
std::size_t divide_ids(std::uint16_t* ids, std::size_t n, const T* codes, const std::uint8_t* goes_right,
                       std::uint16_t* spare) {
  std::size_t n_left = 0, n_right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t id = ids[i];
    const std::size_t right = goes_right[codes[id]];
    ids[n_left] = id;  // not past i, so nothing is lost
    spare[n_right] = id;
    n_left += 1 - right;
    n_right += right;
  }
  std::memcpy(ids + n_left, spare, n_right * sizeof(std::uint16_t));
  return n_left;
}

class RowBlocks {
 public:
  static constexpr std::size_t kMostRows = 65536;

  explicit RowBlocks(std::size_t n_rows)
      : n_rows_(n_rows),
        block_rows_(std::clamp((n_rows / kBlocksWanted + 1023) / 1024 * 1024, std::size_t{1024}, kMostRows)),
        ids_(n_rows) {}

  std::size_t n_blocks() const { return (n_rows_ + block_rows_ - 1) / block_rows_; }
  std::size_t first_row(std::size_t block) const { return block * block_rows_; }
  std::size_t end_row(std::size_t block) const { return std::min(n_rows_, (block + 1) * block_rows_); }
  std::uint16_t* ids(std::size_t block) { return ids_.data() + first_row(block); }
  const std::uint16_t* ids(std::size_t block) const { return ids_.data() + first_row(block); }

  // Divides a range; `spare` has room for a block.
  template <class T>
  std::size_t divide(std::size_t block, BlockRange range, const T* codes, const std::uint8_t* goes_right,
                     std::uint16_t* spare) {
    return divide_ids(ids(block) + range.begin, range.size(), codes + first_row(block), goes_right, spare);
  }

 private:
  // Enough blocks for several threads to share; the number depends on the rows alone.
  static constexpr std::size_t kBlocksWanted = 16;

  std::size_t n_rows_;
  std::size_t block_rows_;
  std::vector<std::uint16_t> ids_;
};

}  // namespace treewright
