// ColumnOrder: the rows of a growing tree in the order of one column, node by node: the rows of a node stand
// together, ascending. Rows of finished leaves are dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boost/sorted_column.h"

namespace treewright {

class ColumnOrder {
 public:
  // One node with all rows; `in_sample`, one flag per row, may be empty: every row takes part.
  void start(const SortedColumn& column, std::span<const std::uint8_t> in_sample) {
    rows_.resize(column.rows.size());
    std::size_t n = 0;
    const auto n_values = static_cast<std::uint32_t>(column.n_values());
    for (std::uint32_t rank = 0; rank < n_values; ++rank) {
      for (std::uint32_t i = column.begin[rank]; i < column.begin[rank + 1]; ++i) {
        const RowId row = column.rows[i];
        rows_[n] = {row, rank};
        n += in_sample.empty() ? 1U : in_sample[row];
      }
    }
    ends_.assign({0, n});
  }

  // Replaces each node by those of its children that are kept (bit 0: the left one, bit 1: the right one), so
  // that leaves vanish. `goes_right`: a flag per row. `spare` is scratch memory.
  void divide(std::span<const std::uint8_t> kept, const std::uint8_t* goes_right,
              std::vector<RankedRow>& spare) {
    std::size_t to = 0;
    next_ends_.assign(1, 0);
    for (std::size_t node = 0; node < kept.size(); ++node) {
      if (kept[node] == 0) continue;
      const std::size_t begin = ends_[node], end = ends_[node + 1];
      if (spare.size() < end - begin) spare.resize(end - begin);
      RankedRow* rows = rows_.data();
      RankedRow* right_rows = spare.data();
      const std::size_t left_begin = to;
      std::size_t n_right = 0;
      for (std::size_t i = begin; i < end; ++i) {
        // Both sides are written, one of them advances: no branch to mispredict. `to` never overtakes i.
        const RankedRow row = rows[i];
        const std::size_t right = goes_right[row.row];
        rows[to] = row;
        right_rows[n_right] = row;
        to += 1 - right;
        n_right += right;
      }
      if ((kept[node] & 1U) != 0) {
        next_ends_.push_back(to);
      } else {
        to = left_begin;
      }
      if ((kept[node] & 2U) == 0) continue;
      std::copy_n(right_rows, n_right, rows + to);
      to += n_right;
      next_ends_.push_back(to);
    }
    ends_.swap(next_ends_);
  }

  std::size_t n_nodes() const { return ends_.size() - 1; }
  std::span<const RankedRow> rows(std::size_t node) const {
    return {rows_.data() + ends_[node], ends_[node + 1] - ends_[node]};
  }

 private:
  std::vector<RankedRow> rows_;
  std::vector<std::size_t> ends_{0};  // node i ends at ends_[i + 1], where node i + 1 begins
  std::vector<std::size_t> next_ends_;
};

}  // namespace treewright
