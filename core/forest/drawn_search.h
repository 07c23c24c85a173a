// DrawnSearch: the tests of the columns drawn at a node of a forest's tree, offered one after the other to
// the best so far. Ordered columns are read from records (code_records.h) and searched in groups
// (group_search.h):
//
//   many rows    one pass over their bytes fills a table of sums for every drawn column
//   fewer        16-bit numbers are sorted, a handful of them without branches (base/rank_sort.h)
//   two values   sums of all such columns at once (flag_search.h)
//
// Categories, and columns with missing values in the node, are searched as in single trees (column_rows.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/radix_sort.h"
#include "base/rank_sort.h"
#include "forest/code_records.h"
#include "forest/flag_search.h"
#include "forest/group_search.h"
#include "forest/key_records.h"
#include "grow/column_rows.h"
#include "grow/open_node.h"
#include "grow/plan.h"

namespace treewright {

// What the trees of a forest read: bytes in large nodes, 16-bit numbers in small ones.
struct ForestRecords {
  CodeRecords<std::uint8_t> bytes;
  CodeRecords<std::uint16_t> shorts;  // where bytes do not hold all codes
  KeyRecords flags;                   // columns of two values

  ForestRecords(const Dataset& data, bool wanted, Team& team)
      : bytes(data, wanted, team),
        shorts(data, wanted && !bytes_are_exact(data), team),
        flags(data, wanted ? KeyColumns::kTwoValued : KeyColumns::kNone, team) {}
};

template <class Criterion, class Scan>
class DrawnSearch {
 public:
  using Target = typename Criterion::Target;
  using Sample = typename Criterion::Sample;
  using Cell = typename Criterion::Cell;
  using Node = OpenNode<Sample>;

  DrawnSearch(const Dataset& data, const ForestRecords& records, const Criterion& criterion,
              const GrowPlan& plan)
      : data_(data),
        bytes_(records.bytes),
        shorts_(records.shorts),
        criterion_(criterion),
        columns_(data, criterion, plan),
        groups_(criterion),
        flags_(records.flags, criterion) {}

  // Must be called before columns of a node are offered.
  void prepare(const Node& node, std::span<const FeatureId> columns) {
    node_columns_.clear();
    for (const FeatureId column : columns) node_columns_.push_back({column, 0, 0});
    if constexpr (!Criterion::kOrdered) {
      flags_.start();
      for (NodeColumnPlace& at : node_columns_) {
        if (flags_.has(at.column)) at.table = flags_.add(at.column);
      }
      flags_.sum(node);
      if (node.size >= kTableRows) fill_tables(node);
    }
  }

  // Offers the best test of the i-th of those columns; `best` holds the best of the columns before. Returns
  // whether the column varies in the node.
  bool offer(const Node& node, std::size_t i, const Limits& limits, Candidate& best) {
    const FeatureId feature = node_columns_[i].column;
    const Column& column = data_.column(feature);
    if constexpr (!Criterion::kOrdered) {
      if (flags_.has(feature)) return flags_.offer(node, node_columns_[i].table, limits, best);
      if (bytes_.has(feature)) {
        if (node.size >= kTableRows) return offer_table(column, node, i, limits, best);
        if (column.kind != ColumnKind::kNominal) {
          return visit_records(node, [&](const auto& records) {
            return offer_sorted(records, column, node, feature, limits, best);
          });
        }
      }
    }
    return offer_any(column, node, feature, limits, best);
  }

  // Finds the codes on both sides of a winning cut between groups.
  void finish(const Node& node, Candidate& best) {
    if (best.kind != NodeKind::kThreshold || best.next != kCodeUnknown) return;
    const std::uint32_t bin = best.bin, next_bin = best.cut;
    if (beside_cut_.size() <= node.size) beside_cut_.resize(2 * node.size);
    // The rows of both bins, found without a branch: most are in neither.
    std::size_t n = 0;
    std::uint64_t* beside = beside_cut_.data();
    visit_records(node, [&](const auto& records) {
      const auto* bins = records.column(best.feature);
      const std::size_t stride = records.stride();
      for (std::size_t i = 0; i < node.size; ++i) {
        const RowId row = node.rows[i];
        const std::uint32_t here = bins[row * stride];
        beside[n] = std::uint64_t{row} << 1 | static_cast<std::uint64_t>(here == bin);
        n += static_cast<std::size_t>(here == bin || here == next_bin);
      }
    });
    Code below = 0, above = kCodeUnknown;
    visit_codes(data_.column(best.feature), [&](const auto* codes) {
      for (std::size_t i = 0; i < n; ++i) {
        const Code code = codes[beside[i] >> 1];
        below = beside[i] & 1 ? std::max(below, code) : below;
        above = beside[i] & 1 ? above : std::min(above, code);
      }
    });
    best.cut = below;
    best.next = above;
  }

  // Whether the node holds so many of all rows that a column by itself is read with less memory than records.
  bool is_dense(const Node& node) const { return node.size * kRowsPerLine >= data_.n_rows; }

  // Whether move_rows can tell the side by what the search has just read.
  bool knows_sides(const Node& node, const Candidate& best) const {
    if constexpr (!Criterion::kOrdered) {
      if (flags_.has_sides(node, best)) return true;
    }
    return best.bin != 0 && !is_dense(node);
  }
  // Moves the rows of the node; returns how many are on the left.
  template <class PartitionBy>
  std::size_t move_rows(const Node& node, const Candidate& best, PartitionBy partition_by) const {
    if constexpr (!Criterion::kOrdered) {
      if (flags_.has_sides(node, best)) return flags_.move_rows(node, best, partition_by);
    }
    return visit_records(node, [&](const auto& records) {
      const auto* bins = records.column(best.feature);
      return partition_by([bins, stride = records.stride(), bin = best.bin](std::size_t, RowId row) {
        return bins[row * stride] > bin;
      });
    });
  }

 private:
  static constexpr std::size_t kTableRows = 256;
  static constexpr std::size_t kCacheBytes = 32 * 1024;
  static constexpr int kPositionBits = 6;
  static constexpr std::size_t kRowsPerLine = 8;  // about: of a column of codes, in a cache line

  struct NodeColumnPlace {
    FeatureId column;
    std::size_t table;      // its first cell, or its place among the columns of two values
    std::size_t place = 0;  // in a record
  };

  // visit(records) with those that nodes of this size are searched by.
  template <class Visit>
  decltype(auto) visit_records(const Node& node, Visit&& visit) const {
    const bool by_bytes = node.size >= kTableRows || shorts_.stride() == 0;
    return by_bytes ? visit(bytes_) : visit(shorts_);
  }

  std::size_t cell_step() const { return static_cast<std::size_t>(criterion_.target.stride()); }

  void fill_tables(const Node& node) {
    std::size_t n_cells = 0;
    for (NodeColumnPlace& at : node_columns_) {
      if (!bytes_.has(at.column)) continue;
      at.table = n_cells;
      n_cells += bytes_.n_values(at.column) * cell_step();
    }
    if (n_cells == 0) return;
    tables_.assign(n_cells, Cell{});
    // As many columns at a time as the first-level cache holds tables of.
    pass_.clear();
    std::size_t pass_cells = 0;
    for (const NodeColumnPlace& at : node_columns_) {
      if (!bytes_.has(at.column)) continue;
      const std::size_t cells = bytes_.n_values(at.column) * cell_step();
      if (!pass_.empty() && (pass_cells + cells) * sizeof(Cell) > kCacheBytes) {
        fill_pass(node);
        pass_.clear();
        pass_cells = 0;
      }
      pass_.push_back(at);
      pass_.back().place = bytes_.place(at.column);
      pass_cells += cells;
    }
    if (!pass_.empty()) fill_pass(node);
  }

  void fill_pass(const Node& node) {
    if (is_dense(node)) {
      std::erase_if(pass_, [&](const NodeColumnPlace& at) { return fill_alone(node, at); });
      if (pass_.empty()) return;
    }
    switch (pass_.size()) {
      case 1: return fill_columns<1>(node);
      case 2: return fill_columns<2>(node);
      case 3: return fill_columns<3>(node);
      case 4: return fill_columns<4>(node);
      case 5: return fill_columns<5>(node);
      case 6: return fill_columns<6>(node);
      case 7: return fill_columns<7>(node);
      default: return fill_columns<0>(node);  // any number
    }
  }

  // From the column's own codes, if they are bytes.
  bool fill_alone(const Node& node, const NodeColumnPlace& at) {
    const Column& column = data_.column(at.column);
    if (column.width != 1) return false;
    const auto* codes = column.codes<std::uint8_t>();
    Cell* table = tables_.data() + at.table;
    const std::size_t step = cell_step();
    const Target target = criterion_.target;
    for (std::size_t i = 0; i < node.size; ++i)
      target.add(table + codes[node.rows[i]] * step, node.samples[i]);
    return true;
  }

  template <std::size_t kColumns>
  void fill_columns(const Node& node) {
    constexpr std::size_t kAhead = 16;
    const std::size_t n = kColumns == 0 ? pass_.size() : kColumns;
    const std::size_t step = cell_step(), stride = bytes_.stride();
    const std::uint8_t* bytes = bytes_.records();
    const NodeColumnPlace* columns = pass_.data();
    Cell* tables = tables_.data();
    const Target target = criterion_.target;
    for (std::size_t i = 0; i < node.size; ++i) {
      if (i + kAhead < node.size) prefetch(bytes + node.rows[i + kAhead] * stride);
      const std::uint8_t* record = bytes + node.rows[i] * stride;
      const Sample sample = node.samples[i];
      for (std::size_t c = 0; c < n; ++c) {
        target.add(tables + columns[c].table + record[columns[c].place] * step, sample);
      }
    }
  }

  static void prefetch(const std::uint8_t* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    static_cast<void>(address);
#endif
  }

  bool offer_table(const Column& column, const Node& node, std::size_t i, const Limits& limits,
                   Candidate& best) {
    const FeatureId feature = node_columns_[i].column;
    const Cell* cells = tables_.data() + node_columns_[i].table;
    const std::size_t n_values = bytes_.n_values(feature), step = cell_step();
    list_.clear();
    list_.cells = cells;
    const Target target = criterion_.target;
    for (std::size_t bin = 0; bin < n_values; ++bin)
      list_.add(bin, target.rows(cells + bin * step), bin * step);
    const bool exact = bytes_.is_exact(feature);
    if (list_.size < 2 && exact) return false;
    const bool missing = list_.list[0].bin == kMissing;
    if (exact && (missing || column.kind == ColumnKind::kNominal)) {
      const Buckets<Target> table{&criterion_.target, cells, column.n_codes};
      take_over(columns_.best_of(table, node, feature, above(best, limits), scratch_), limits, best);
      return true;
    }
    if (missing || list_.size < 2 || (!exact && !Groups::kHasBounds)) {
      return offer_any(column, node, feature, limits, best);
    }
    const RowOrder order{nullptr, 0, bytes_.column(feature), bytes_.stride()};
    return offer_groups(column, bytes_.last_codes(feature), node, feature, limits, order, best);
  }

  using Groups = GroupSearch<Criterion, Scan>;

  bool offer_groups(const Column& column, const std::vector<Code>& last_codes, const Node& node,
                    FeatureId feature, const Limits& limits, const RowOrder& order, Candidate& best) {
    if (groups_.offer(column, last_codes, node, list_, limits, order, best)) set_threshold(feature, best);
    return true;
  }

  static void set_threshold(FeatureId feature, Candidate& best) {
    best.feature = feature;
    best.rank = best.gain;
    best.price = 0;
    best.right.clear();
    best.missing_known = false;
    best.missing = 1;
  }

  template <class Records>
  bool offer_sorted(const Records& records, const Column& column, const Node& node, FeatureId feature,
                    const Limits& limits, Candidate& best) {
    const bool exact = records.is_exact(feature);
    if (!exact && !Groups::kHasBounds) return offer_any(column, node, feature, limits, best);
    const std::size_t n = node.size;
    const bool few = n <= kMostRankSorted;
    const std::int32_t* sorted = few ? sort_few(records, node, feature) : sort_more(records, node, feature);
    // Rows of one bin stand together now.
    const std::size_t step = cell_step();
    const int bits = few ? kPositionBits : 8;
    const std::int32_t mask = (1 << bits) - 1;
    if (sorted[0] >> bits == sorted[n - 1] >> bits) {
      return exact ? false : offer_any(column, node, feature, limits, best);
    }
    if (sorted[0] >> bits == 0) return offer_any(column, node, feature, limits, best);  // missing values
    if (groups_.compares_at_once(node, limits)) {
      const auto found = groups_.offer_sorted(
          node, exact, limits, [=](std::size_t i) { return static_cast<std::uint32_t>(sorted[i] >> bits); },
          [&](std::size_t i) { return node.samples[sorted[i] & mask]; }, best);
      if (found == Groups::Outcome::kBetter) set_threshold(feature, best);
      if (found != Groups::Outcome::kUnknown) return true;
    }
    list_.clear();
    if (tables_.size() < n * step) tables_.resize(n * step);
    list_.cells = tables_.data();
    const Target target = criterion_.target;
    Cell* cell = tables_.data();
    for (std::size_t i = 0; i < n;) {
      const std::int32_t bin = sorted[i] >> bits;
      const std::size_t begin = i;
      for (std::size_t k = 0; k < step; ++k) cell[k] = Cell{};
      do {
        target.add(cell, node.samples[sorted[i] & mask]);
        ++i;
      } while (i < n && sorted[i] >> bits == bin);
      list_.add(static_cast<std::size_t>(bin), i - begin, static_cast<std::size_t>(cell - tables_.data()),
                begin);
      cell += step;
    }
    return offer_groups(column, records.last_codes(feature), node, feature, limits,
                        {sorted, mask, nullptr, 0}, best);
  }

  template <class Records>
  const std::int32_t* sort_few(const Records& records, const Node& node, FeatureId feature) {
    const auto* bins = records.column(feature);
    const std::size_t stride = records.stride();
    for (std::size_t i = 0; i < node.size; ++i) {
      keys_[i] = bins[node.rows[i] * stride] << kPositionBits | static_cast<std::int32_t>(i);
    }
    rank_sort(keys_, node.size, sorted_);
    return sorted_;
  }

  // Fewer than 256 rows: the place in the node takes 8 bits.
  template <class Records>
  const std::int32_t* sort_more(const Records& records, const Node& node, FeatureId feature) {
    const auto* bins = records.column(feature);
    const std::size_t stride = records.stride();
    for (std::size_t i = 0; i < node.size; ++i) {
      wide_keys_[i] =
          static_cast<std::uint32_t>(bins[node.rows[i] * stride]) << 8 | static_cast<std::uint32_t>(i);
    }
    const int high = 8 + static_cast<int>(std::bit_width(records.n_values(feature)));
    const std::uint32_t* sorted = radix_sort(wide_keys_, other_keys_, node.size, 8, high);
    std::copy_n(sorted, node.size, sorted_);
    return sorted_;
  }

  bool offer_any(const Column& column, const Node& node, FeatureId feature, const Limits& limits,
                 Candidate& best) {
    if (!varies(column, node)) return false;
    take_over(columns_.best(node, feature, above(best, limits), scratch_), limits, best);
    return true;
  }

  static Limits above(const Candidate& best, Limits limits) {
    limits.to_beat = best.rank;
    return limits;
  }

  static void take_over(Candidate&& found, const Limits& limits, Candidate& best) {
    if (!found.valid() || !(found.rank > best.rank + limits.tie)) return;
    best = std::move(found);
    best.gain = best.rank;  // less its price until the search ends: that is what others must exceed
  }

  static bool varies(const Column& column, const Node& node) {
    return visit_codes(column, [&](const auto* codes) {
      const auto first = codes[node.rows[0]];
      return std::any_of(node.rows + 1, node.rows + node.size,
                         [&](RowId row) { return codes[row] != first; });
    });
  }

  const Dataset& data_;
  const CodeRecords<std::uint8_t>& bytes_;
  const CodeRecords<std::uint16_t>& shorts_;
  const Criterion& criterion_;
  ColumnRows<Criterion, Scan> columns_;
  ColumnScratch<Criterion> scratch_;
  Groups groups_;
  FlagSearch<Criterion, Scan> flags_;
  std::vector<NodeColumnPlace> node_columns_, pass_;
  std::vector<Cell> tables_;
  std::vector<std::uint64_t> beside_cut_;  // rows of the bins on both sides, the lower side in the lowest bit
  RowGroups<Cell> list_;
  alignas(64) std::int32_t keys_[kTableRows];
  alignas(64) std::int32_t sorted_[kTableRows];
  std::uint32_t wide_keys_[kTableRows], other_keys_[kTableRows];
};

}  // namespace treewright
