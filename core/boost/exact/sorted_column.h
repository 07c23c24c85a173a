// SortedColumn: the rows of a column in the order of its values, made once for all trees of a booster;
// ColumnOrder: the same of a growing tree, node by node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.h"
#include "base/types.h"
#include "boost/exact/node_rows.h"
#include "data/column.h"

namespace treewright {

struct SortedColumn {
  std::vector<RowId> rows;           // with a known value; equal values by row
  std::vector<std::uint32_t> begin;  // value r stands at begin[r] ... begin[r + 1] - 1 of `rows`
  std::vector<float> values;         // ascending; codes of an ordinal column
  std::vector<Code> last_code;       // the last code of the dataset behind value r; empty: it is r + 1
  bool has_gaps = false;             // some row has no value

  std::size_t n_values() const { return values.size(); }
  Code code_of(std::uint32_t rank) const { return last_code.empty() ? rank + 1 : last_code[rank]; }

  // Numeric columns in exact ranks, and ordinal ones. Values that are equal as floats count as one.
  static SortedColumn of(const Column& column, std::size_t n_rows, const StopFlag& stop);
};

// A row, and where its value stands among the different values of the column.
struct RankedRow {
  std::uint32_t place;  // in NodeRows
  std::uint32_t rank;
};

// The rows of a node stand together, ascending. Rows are known by their place in NodeRows, so that what
// belongs to the rows of a small node is close together in memory. Rows of finished leaves are dropped.
class ColumnOrder {
 public:
  // One node with all rows that take part.
  void start(const SortedColumn& column, const NodeRows& rows) {
    rows_.resize(column.rows.size());
    std::size_t n = 0;
    const auto n_values = static_cast<std::uint32_t>(column.n_values());
    const std::span<const std::uint32_t> place = rows.first_place();
    for (std::uint32_t rank = 0; rank < n_values; ++rank) {
      for (std::uint32_t i = column.begin[rank]; i < column.begin[rank + 1]; ++i) {
        const RowId row = column.rows[i];
        rows_[n] = {place.empty() ? row : place[row], rank};
        n += rows_[n].place == NodeRows::kNowhere ? 0U : 1U;
      }
    }
    ends_.assign({0, n});
  }

  // Replaces each node by those of its children that are kept. `spare` is scratch memory.
  void divide(std::span<const DividedNode> nodes, const NodeRows& all, std::vector<RankedRow>& spare) {
    const std::uint32_t* new_place = all.new_place();
    std::size_t to = 0;
    next_ends_.assign(1, 0);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      if (!nodes[node].keeps_left && !nodes[node].keeps_right) continue;
      const std::size_t begin = ends_[node], end = ends_[node + 1], left_begin = to;
      if (spare.size() < end - begin) spare.resize(end - begin);
      RankedRow* rows = rows_.data();
      RankedRow* right_rows = spare.data();
      const auto middle = static_cast<std::uint32_t>(nodes[node].middle);
      std::size_t n_right = 0;
      for (std::size_t i = begin; i < end; ++i) {
        // Both sides are written, one of them advances: no branch to mispredict. `to` never overtakes i.
        const RankedRow row{new_place[rows[i].place], rows[i].rank};
        const std::size_t right = row.place >= middle ? 1 : 0;
        rows[to] = row;
        right_rows[n_right] = row;
        to += 1 - right;
        n_right += right;
      }
      if (nodes[node].keeps_left) {
        next_ends_.push_back(to);
      } else {
        to = left_begin;
      }
      if (!nodes[node].keeps_right) continue;
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
