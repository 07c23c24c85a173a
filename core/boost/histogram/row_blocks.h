// RowBlocks: the rows of a tree, leaf by leaf, in blocks of at most 32 768. Inside a block a row is a number
// of 16 bits, and every node has one range of each block: dividing a node's rows touches no other block, so
// threads share blocks out among themselves and exchange nothing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.h"

namespace treewright {

// --- dividing the rows of a node, a row being a number of 16 bits within its block

// How many numbers beyond those that are divided `spare` must have room for.
inline constexpr std::size_t kSpareIds = 8;

// Reorders the numbers of rows so that those which go left come first, each side in its old order; returns
// how many. goes_right[code] says where a code goes, 0 or 1. `spare` has room for n + kSpareIds.
template <class T>
std::size_t divide_ids(std::uint16_t* ids, std::size_t n, const T* codes, const std::uint8_t* goes_right,
                       std::uint16_t* spare);

extern template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint8_t*, const std::uint8_t*,
                                       std::uint16_t*);
extern template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint16_t*, const std::uint8_t*,
                                       std::uint16_t*);
extern template std::size_t divide_ids(std::uint16_t*, std::size_t, const std::uint32_t*, const std::uint8_t*,
                                       std::uint16_t*);

struct BlockRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::size_t size() const { return end - begin; }
};

class RowBlocks {
 public:
  static constexpr std::size_t kMostRows = 32768;

  // `n_all_rows`: of all processes, where these rows are a share of them.
  RowBlocks(std::size_t n_rows, std::size_t n_all_rows)
      : n_rows_(n_rows), block_rows_(rows_per_block(n_all_rows)), ids_(n_rows) {}

  static std::size_t rows_per_block(std::size_t n_rows) {
    return std::clamp((n_rows / kBlocksWanted + 1023) / 1024 * 1024, std::size_t{1024}, kMostRows);
  }

  std::size_t n_blocks() const { return (n_rows_ + block_rows_ - 1) / block_rows_; }
  std::size_t block_rows() const { return block_rows_; }
  std::size_t first_row(std::size_t block) const { return block * block_rows_; }
  std::size_t end_row(std::size_t block) const { return std::min(n_rows_, (block + 1) * block_rows_); }
  std::uint16_t* ids(std::size_t block) { return ids_.data() + first_row(block); }
  const std::uint16_t* ids(std::size_t block) const { return ids_.data() + first_row(block); }

  // Divides a range; `spare` has room for a block and kSpareIds.
  template <class T>
  std::size_t divide(std::size_t block, BlockRange range, const T* codes, const std::uint8_t* goes_right,
                     std::uint16_t* spare) {
    return divide_ids(ids(block) + range.begin, range.size(), codes + first_row(block), goes_right, spare);
  }

  // Puts the rows of a range in ascending order.
  void sort(std::size_t block, BlockRange range) {
    std::array<std::uint64_t, kMostRows / 64> set{};
    std::uint16_t* own = ids(block);
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      set[own[i] / 64] |= std::uint64_t{1} << own[i] % 64;
    std::uint16_t* next = own + range.begin;
    for (std::size_t word = 0; word < set.size(); ++word) {
      for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1) {
        *next++ = static_cast<std::uint16_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  // Enough blocks for several threads to share; the number depends on the rows alone.
  static constexpr std::size_t kBlocksWanted = 16;

  std::size_t n_rows_;
  std::size_t block_rows_;
  std::vector<std::uint16_t> ids_;
};

// Where the rows of each node of the growing tree stand, block by block.
class LeafRanges {
 public:
  explicit LeafRanges(std::size_t n_blocks) : n_blocks_(n_blocks) {}

  void clear() { ranges_.clear(); }
  // Keeps those of some nodes, in this order.
  void pick(const std::vector<NodeId>& nodes) {
    std::vector<BlockRange> picked;
    picked.reserve(nodes.size() * n_blocks_);
    for (const NodeId node : nodes) {
      for (std::size_t block = 0; block < n_blocks_; ++block) picked.push_back(at(node, block));
    }
    ranges_ = std::move(picked);
  }
  void add_nodes(std::size_t n) { ranges_.resize(ranges_.size() + n * n_blocks_); }

  BlockRange& at(NodeId node, std::size_t block) {
    return ranges_[static_cast<std::size_t>(node) * n_blocks_ + block];
  }
  const BlockRange& at(NodeId node, std::size_t block) const {
    return ranges_[static_cast<std::size_t>(node) * n_blocks_ + block];
  }

  std::size_t rows(NodeId node) const {
    std::size_t rows = 0;
    for (std::size_t block = 0; block < n_blocks_; ++block) rows += at(node, block).size();
    return rows;
  }

 private:
  std::size_t n_blocks_;
  std::vector<BlockRange> ranges_;
};

}  // namespace treewright
