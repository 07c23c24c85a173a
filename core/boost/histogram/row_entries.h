// RowEntries: for every row the cells of a histogram that its entries in sparse columns count in. What is not
// listed needs no addition: the sums of a column's usual code are those of the node less all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "boost/histogram/column_groups.h"
#include "data/dataset.h"
#include "data/sparse_entries.h"

namespace treewright {

class RowEntries {
 public:
  RowEntries(const Dataset& data, const ColumnGroups& groups) {
    if (groups.size() == groups.n_dense()) return;
    if (groups.n_cells() > std::numeric_limits<std::uint32_t>::max()) {
      throw std::length_error("A sparse table can have at most 4294967295 bins.");
    }
    begin_.assign(data.n_rows + 1, 0);
    const auto for_columns = [&](auto&& visit) {
      for (std::size_t g = groups.n_dense(); g < groups.size(); ++g) {
        for (const GroupMember& member : groups[g].members) visit(groups[g], member);
      }
    };
    for_columns([&](const ColumnGroup&, const GroupMember& member) {
      for (const RowId row : data.column(member.column).rows) ++begin_[row + 1];
    });
    for (std::size_t row = 0; row < data.n_rows; ++row) begin_[row + 1] += begin_[row];
    cells_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_columns([&](const ColumnGroup& group, const GroupMember& member) {
      for_entries(data.column(member.column), 0, data.n_rows, [&](std::size_t row, Code code) {
        cells_[next[row]++] =
            static_cast<std::uint32_t>(group.offset + group.part(member, member.digit(code)));
      });
    });
  }

  bool empty() const { return cells_.empty(); }
  std::size_t size() const { return cells_.size(); }
  // Ascending.
  std::span<const std::uint32_t> of(std::size_t row) const {
    return {cells_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }

 private:
  std::vector<std::size_t> begin_;  // by row, and the end of the last
  std::vector<std::uint32_t> cells_;
};

}  // namespace treewright
