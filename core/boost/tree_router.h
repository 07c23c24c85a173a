// TreeRouter: which leaf of a tree the rows of an encoded table are in, also of rows that the tree was not
// grown on. Thresholds are turned into codes once, so a row is never looked up by value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "data/dataset.h"
#include "tree/table.h"
#include "tree/tree.h"

namespace treewright {

class TreeRouter {
 public:
  // A threshold inside a bin, which then holds none of the node's rows, is moved to the end of the bin: codes
  // and values must say the same about every row.
  TreeRouter(const Dataset& data, Tree& tree) : data_(data), tree_(tree), last_left_(tree.size(), 0) {
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.kind[node] != NodeKind::kThreshold) continue;
      const Column& column = data.column(tree.feature[node]);
      const Code last = codes_up_to(column, tree.threshold[node]);
      last_left_[node] = last;
      if (last == 0 || column.kind != ColumnKind::kNumeric) continue;
      if (column.highest(last) > tree.threshold[node]) tree.threshold[node] = column.highest(last);
    }
  }

  // leaf[row] of all rows.
  void route(Team& team, std::vector<NodeId>& leaf) const {
    leaf.assign(data_.n_rows, 0);
    constexpr std::size_t kBlock = 4096;
    const std::size_t n_blocks = (data_.n_rows + kBlock - 1) / kBlock;
    team.parallel_for(n_blocks, data_.n_rows * 16, [&](std::size_t block, int) {
      const std::size_t begin = block * kBlock, end = std::min(data_.n_rows, begin + kBlock);
      for (std::size_t row = begin; row < end; ++row) leaf[row] = leaf_of(row);
    });
  }

 private:
  // How many codes stand for values of at most `threshold`.
  static Code codes_up_to(const Column& column, double threshold) {
    Code low = 0, high = column.n_codes;
    while (low < high) {
      const Code middle = low + (high - low + 1) / 2;
      const double value =
          column.kind == ColumnKind::kNumeric ? column.lowest(middle) : static_cast<double>(middle);
      if (value <= threshold) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  NodeId leaf_of(std::size_t row) const {
    std::size_t node = 0;
    while (tree_.kind[node] != NodeKind::kLeaf) {
      const Column& column = data_.column(tree_.feature[node]);
      const Code code =
          visit_codes(column, [row](const auto* codes) { return static_cast<Code>(codes[row]); });
      std::uint32_t branch = tree_.missing[node];
      if (tree_.kind[node] == NodeKind::kSubset) {
        branch = branch_of(tree_.tables.data() + tree_.table[node], code);
      } else if (code != kMissing) {
        branch = code <= last_left_[node] ? 0 : 1;
      }
      node = static_cast<std::size_t>(tree_.first_child[node]) + branch;
    }
    return static_cast<NodeId>(node);
  }

  const Dataset& data_;
  const Tree& tree_;
  std::vector<Code> last_left_;  // the last code of branch 0 of each threshold
};

}  // namespace treewright
