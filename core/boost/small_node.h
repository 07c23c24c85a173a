// SmallNode: the rows of a node that has few of them. The sums of a column's codes are added up straight from
// the rows: clearing a histogram of all columns, subtracting it and looking through it would take longer.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "base/types.h"
#include "boost/code_set.h"
#include "boost/column_groups.h"
#include "boost/growing_tree.h"
#include "boost/row_records.h"
#include "data/dataset.h"

namespace treewright {

template <class Steps>
struct SmallNode {
  std::vector<RowId> rows;
  std::vector<typename Steps::Cell> steps;  // of each row

  void gather(const GrowingTree& tree, NodeId node, RowRecords<Steps>& records) {
    rows.clear();
    steps.clear();
    const RowBlocks& blocks = tree.blocks();
    for (std::size_t block = 0; block < blocks.n_blocks(); ++block) {
      const BlockRange range = tree.ranges().at(node, block);
      const std::size_t first = blocks.first_row(block);
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const std::size_t row = first + blocks.ids(block)[i];
        rows.push_back(static_cast<RowId>(row));
        steps.push_back(Steps::cell(RowRecords<Steps>::steps(records.row(row), records.stride())));
      }
    }
  }

  // Adds the rows to the cells of a group of columns.
  void fill(const Dataset& data, const ColumnGroup& group, std::size_t number, RowRecords<Steps>& records,
            typename Steps::Cell* cells) const {
    const GroupMember& first = group.members.front();
    if (group.is_single() && !first.merges_rare()) {
      visit_codes(data.column(first.column), [&](const auto* codes) {
        typename Steps::Cell* of_code = cells - first.first;
        for (std::size_t i = 0; i < rows.size(); ++i) of_code[codes[rows[i]]] += steps[i];
      });
      return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      cells[records.code(records.row(rows[i]), number)] += steps[i];
    }
  }

  void find_codes(const std::uint8_t* codes, CodeSet& seen) const {
    seen.clear();
    for (const RowId row : rows) seen.add(codes[row]);
  }
};

// The sums of one column's codes at a small node. One per thread.
template <class Steps>
class SmallSums {
 public:
  using Cell = typename Steps::Cell;

  // Sums by code, or by digit where rare categories share one; valid until the next call.
  const Cell* add_up(const SmallNode<Steps>& node, const Column& column, const GroupMember& member) {
    visit_codes(column, [&](const auto* codes) {
      if (member.merges_rare()) {
        add_up(node, [&](RowId row) { return std::size_t{member.digit(codes[row])}; }, member.size);
      } else {
        add_up(node, [codes](RowId row) { return std::size_t{codes[row]}; }, column.n_codes);
      }
    });
    return cells_.data();
  }

 private:
  template <class CellOf>
  void add_up(const SmallNode<Steps>& node, CellOf cell_of, std::size_t last) {
    if (cells_.size() <= last) cells_.resize(last + 1);
    Cell* cells = cells_.data();
    std::memset(static_cast<void*>(cells), 0, (last + 1) * sizeof(Cell));
    for (std::size_t i = 0; i < node.rows.size(); ++i) cells[cell_of(node.rows[i])] += node.steps[i];
  }

  std::vector<Cell> cells_;
};

}  // namespace treewright
