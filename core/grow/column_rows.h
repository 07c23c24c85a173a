// Reads one column at one node, for nodes of any size and any subset of features: a dense table of buckets
// when the node has enough rows for its codes, a radix sort of its codes otherwise. Nothing is kept between
// nodes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/radix_sort.h"
#include "data/dataset.h"
#include "grow/open_node.h"
#include "split/column_search.h"

namespace treewright {

template <class Criterion>
struct ColumnScratch {
  SearchScratch<Criterion> search;
  std::vector<typename Criterion::Cell> cells;
  std::vector<std::uint64_t> keys, other_keys;
};

template <class Criterion, class Scan>
class ColumnRows {
 public:
  using Target = typename Criterion::Target;
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;

  ColumnRows(const Dataset& data, const Criterion& criterion, const SplitRules& rules)
      : data_(data), criterion_(criterion), search_(criterion, rules) {}

  Candidate best(const OpenNode<Sample>& node, FeatureId feature, const Limits& limits,
                 ColumnScratch<Criterion>& scratch) const {
    const Column& column = data_.column(feature);
    if (column.n_codes == 0 || (column.n_codes == 1 && !column.has_missing)) return Candidate{};
    Candidate best;
    if constexpr (Criterion::kOrdered) {
      best = from_sorted(column, node, limits, scratch);
    } else {
      best = use_table(column, node.size) ? from_table(column, node, limits, scratch)
                                          : from_sorted(column, node, limits, scratch);
    }
    best.feature = feature;
    return best;
  }

  // The rows of the node, sorted by their code in a column.
  SortedRows<std::uint64_t, Sample> sorted(const Column& column, const OpenNode<Sample>& node,
                                           ColumnScratch<Criterion>& scratch) const {
    scratch.keys.resize(node.size);
    scratch.other_keys.resize(node.size);
    std::uint64_t* keys = scratch.keys.data();
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t i = 0; i < node.size; ++i) {
        keys[i] = make_key<std::uint64_t>(codes[node.rows[i]], static_cast<std::uint32_t>(i));
      }
    });
    constexpr int kLow = KeyLayout<std::uint64_t>::kPositionBits;
    const int high = kLow + std::bit_width(column.n_codes);
    return {radix_sort(keys, scratch.other_keys.data(), node.size, kLow, high), node.size, node.samples};
  }

  // A table costs a pass over its cells, a sort some passes over the rows; the switch is flat between 1 and
  // 4 codes per row. Many classes make many cells per code.
  bool use_table(const Column& column, std::size_t rows) const {
    constexpr std::size_t kCodesPerRow = 2, kCellsPerRow = 16, kFewCells = 65536;
    const std::size_t cells = column.n_codes * static_cast<std::size_t>(criterion_.target.stride());
    return column.n_codes <= kCodesPerRow * rows && cells <= kCellsPerRow * rows + kFewCells;
  }

  // The bucket of every code, code 0 first.
  Buckets<Target> table(const Column& column, const OpenNode<Sample>& node,
                        ColumnScratch<Criterion>& scratch) const {
    const Target target = criterion_.target;
    const auto stride = static_cast<std::size_t>(target.stride());
    const std::size_t size = (static_cast<std::size_t>(column.n_codes) + 1) * stride;
    // Rows that follow each other often meet in the same cell, and an addition must wait for the one before
    // it. Several tables side by side, as long as they fit into the first-level cache, take that wait away.
    // That does not pay for few rows, but must not depend on them where sums are rounded.
    constexpr bool kWhole = std::is_integral_v<Cell>;
    const bool several = size * sizeof(Cell) * kTables <= kTableBytes && (!kWhole || node.size >= 2 * size);
    const std::size_t tables = several ? kTables : 1;
    scratch.cells.assign(size * tables, Cell{});
    Cell* cells = scratch.cells.data();
    visit_codes(column, [&](const auto* codes) {
      const RowId* rows = node.rows;
      std::size_t i = 0;
      if (tables == kTables) {
        for (; i + kTables <= node.size; i += kTables) {
          for (std::size_t t = 0; t < kTables; ++t) {
            target.add(cells + t * size + codes[rows[i + t]] * stride, node.samples[i + t]);
          }
        }
      }
      for (; i < node.size; ++i) target.add(cells + codes[rows[i]] * stride, node.samples[i]);
    });
    for (std::size_t t = 1; t < tables; ++t) {
      for (std::size_t c = 0; c < size; ++c) cells[c] += cells[t * size + c];
    }
    return {&criterion_.target, cells, column.n_codes};
  }

  // The same from a table that is filled already.
  Candidate best_of(const Buckets<Target>& table, const OpenNode<Sample>& node, FeatureId feature,
                    const Limits& limits, ColumnScratch<Criterion>& scratch) const {
    Candidate best = search_.search(data_.column(feature), table, node.summary, limits, scratch.search);
    best.feature = feature;
    return best;
  }

 private:
  static constexpr std::size_t kTables = 4;
  static constexpr std::size_t kTableBytes = 24 * 1024;

  Candidate from_table(const Column& column, const OpenNode<Sample>& node, const Limits& limits,
                       ColumnScratch<Criterion>& scratch) const {
    return search_.search(column, table(column, node, scratch), node.summary, limits, scratch.search);
  }

  Candidate from_sorted(const Column& column, const OpenNode<Sample>& node, const Limits& limits,
                        ColumnScratch<Criterion>& scratch) const {
    return search_.search(column, sorted(column, node, scratch), node.summary, limits, scratch.search);
  }

  const Dataset& data_;
  const Criterion& criterion_;
  ColumnSearch<Criterion, Scan> search_;
};

}  // namespace treewright
