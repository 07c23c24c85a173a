// LeafRanges: where the rows of each node of the growing tree stand, block by block.
#pragma once

#include <cstddef>
#include <vector>

#include "base/types.h"
#include "boost/row_blocks.h"

namespace treewright {

class LeafRanges {
 public:
  explicit LeafRanges(std::size_t n_blocks) : n_blocks_(n_blocks) {}

  void clear() { ranges_.clear(); }
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
