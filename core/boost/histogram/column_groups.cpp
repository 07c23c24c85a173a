#include "boost/histogram/column_groups.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/bitset.h"

namespace treewright {

namespace {

constexpr std::size_t kMostWideCells = 65536;
constexpr std::size_t kGap = 8;  // cells between wide groups, against competing lines of the cache
constexpr double kMostOtherRows =
    0.2;  // share of rows that differ from the usual value in an exclusive column
constexpr std::size_t kCachedCells = 3072;  // of 8 bytes: as many stay close to the processor by themselves
constexpr std::size_t kMostTries = 16;      // groups that a column is offered to

// Rows of each code, of every `stride`-th row.
std::vector<std::size_t> count_codes(const Dataset& data, const Column& column, std::size_t stride = 1) {
  std::vector<std::size_t> counts(column.n_codes + std::size_t{1}, 0);
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t row = 0; row < data.n_rows; row += stride) ++counts[codes[row]];
  });
  return counts;
}

// Whether a look at some rows says that a column might be mostly one value.
bool may_be_exclusive(const Dataset& data, const Column& column) {
  constexpr std::size_t kLook = 2048;
  const std::size_t stride = std::max<std::size_t>(1, data.n_rows / kLook);
  const std::vector<std::size_t> counts = count_codes(data, column, stride);
  const std::size_t looked_at = (data.n_rows + stride - 1) / stride;
  const auto rows = static_cast<double>(looked_at);
  const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  return most >= (1 - 1.5 * kMostOtherRows) * rows;
}

// Gives the frequent codes digits of their own and all others the last one.
void merge_rare(GroupMember& member, const std::vector<std::size_t>& counts, std::size_t least) {
  member.digit_of.assign(counts.size(), 0);
  for (Code code = member.first; code < counts.size(); ++code) {
    if (counts[code] >= least) member.codes.push_back(code);
  }
  const auto rare = static_cast<Code>(member.codes.size());
  std::fill(member.digit_of.begin(), member.digit_of.end(), rare);
  for (Code digit = 0; digit < rare; ++digit) member.digit_of[member.codes[digit]] = digit;
  member.size = rare + 1;
}

// The least number of rows that leaves at most kMostWideCells digits.
std::size_t fitting_least(std::vector<std::size_t> counts, std::size_t least) {
  std::sort(counts.begin(), counts.end(), std::greater<std::size_t>());
  return counts.size() < kMostWideCells ? least : std::max(least, counts[kMostWideCells - 2] + 1);
}

GroupMember member_of(const Dataset& data, FeatureId feature, std::int64_t min_rows_category,
                      RowExchange* others) {
  const Column& column = data.column(feature);
  GroupMember member;
  member.column = feature;
  member.first = column.has_missing ? 0 : 1;
  member.size = column.n_codes + 1 - member.first;
  if (column.kind == ColumnKind::kNominal && member.size > ColumnGroups::kNarrowCells) {
    std::vector<std::size_t> counts = count_codes(data, column);
    if (others != nullptr) {
      std::vector<std::int64_t> all(counts.begin(), counts.end());
      others->add_up(all);
      counts.assign(all.begin(), all.end());
    }
    const auto least = static_cast<std::size_t>(std::max<std::int64_t>(min_rows_category, 1));
    merge_rare(member, counts, fitting_least(counts, least));
  }
  return member;
}

// Every number becomes the largest that a process has in its place, or `limit` where that is smaller.
void take_largest(std::vector<std::size_t>& numbers, std::size_t limit, RowExchange& others) {
  std::vector<std::int64_t> found(numbers.size() * (limit + 1), 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) ++found[i * (limit + 1) + std::min(numbers[i], limit)];
  others.add_up(found);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t number = 0; number <= limit; ++number) {
      if (found[i * (limit + 1) + number] > 0) numbers[i] = number;
    }
  }
}

}  // namespace

std::size_t most_rows_per_code(const Column& column, std::size_t n_rows, std::size_t block_rows) {
  std::uint32_t largest = 0;
  const std::size_t n_codes = column.n_codes + std::size_t{1};
  // Two sets of counts in turns: equal neighbours need not wait for each other.
  std::vector<std::uint32_t> even(n_codes), odd(n_codes);
  visit_codes(column, [&](const auto* codes) {
    for (std::size_t begin = 0; begin < n_rows; begin += block_rows) {
      const std::size_t end = std::min(n_rows, begin + block_rows);
      std::fill(even.begin(), even.end(), 0);
      std::fill(odd.begin(), odd.end(), 0);
      std::size_t row = begin;
      for (; row + 2 <= end; row += 2) {
        ++even[codes[row]];
        ++odd[codes[row + 1]];
      }
      if (row < end) ++even[codes[row]];
      for (std::size_t code = 0; code < n_codes; ++code) largest = std::max(largest, even[code] + odd[code]);
    }
  });
  return largest;
}

ColumnGroups::ColumnGroups(const Dataset& data, bool share, std::int64_t min_rows_category,
                           std::size_t block_rows, RowExchange* others, Team& team) {
  std::vector<GroupMember> columns(data.columns.size());
  const auto make = [&](std::size_t f, int) {
    columns[f] = member_of(data, static_cast<FeatureId>(f), min_rows_category, others);
  };
  if (others == nullptr) {
    team.parallel_for(columns.size(), data.n_rows * columns.size() / 4, make);
  } else {
    for (std::size_t f = 0; f < columns.size(); ++f) make(f, 0);  // in the same order everywhere
  }
  // No test can be made of a column with one digit.
  std::erase_if(columns, [](const GroupMember& column) { return column.size < 2; });
  std::vector<GroupMember> wide, listed;
  std::size_t n_narrow_cells = 0;  // of all columns that could stand in a byte
  for (GroupMember& column : columns) {
    if (column.size <= kNarrowCells) n_narrow_cells += column.size;
    if (!data.column(column.column).is_sparse) continue;
    column.usual = column.digit(data.column(column.column).rest);
    listed.push_back(column);
  }
  std::erase_if(columns, [&](const GroupMember& column) { return data.column(column.column).is_sparse; });
  for (GroupMember& column : columns) {
    if (column.size > kNarrowCells) wide.push_back(std::move(column));
  }
  std::erase_if(columns, [](const GroupMember& column) { return column.size > kNarrowCells; });
  if (share) {
    share_exclusive(data, columns, team);
    share_entries(data, listed);
  }
  share_by_product(columns, share);
  // Rows are read from left to right: the order of the table keeps codes of neighbours together.
  std::sort(groups_.begin(), groups_.end(), [](const ColumnGroup& a, const ColumnGroup& b) {
    return a.members.front().column < b.members.front().column;
  });
  n_narrow_ = groups_.size();
  if (block_rows > 0) choose_short(data, n_narrow_cells, block_rows, others, team);
  for (std::size_t g = 0; g < n_narrow_; ++g) groups_[g].offset = g * kNarrowStride;
  n_cells_ = n_narrow_ * kNarrowStride;
  for (GroupMember& column : wide) {
    ColumnGroup group;
    group.n_cells = column.size;
    group.offset = n_cells_;
    group.members.push_back(std::move(column));
    n_cells_ += group.n_cells + kGap;
    groups_.push_back(std::move(group));
  }
  n_dense_ = groups_.size();
  add_entries(listed);
}

// Sparse columns share codes where no two of them have entries in the same row, and where those of a group
// are in so many rows that a byte for each row costs less than its entries do.
void ColumnGroups::share_entries(const Dataset& data, std::vector<GroupMember>& columns) {
  constexpr std::size_t kLeastShare = 4;  // one in so many rows
  constexpr std::size_t kMostOpen = 64;   // groups that are still offered columns
  struct Open {
    ColumnGroup group;
    BitSet taken;
    std::size_t n_taken = 0;
  };
  std::vector<Open> open;
  std::vector<GroupMember> left;
  const auto close = [&](Open&& full) {
    if (full.group.members.size() > 1 && full.n_taken * kLeastShare >= data.n_rows) {
      groups_.push_back(std::move(full.group));
      return;
    }
    for (GroupMember& member : full.group.members) left.push_back(std::move(member));
  };
  for (GroupMember& column : columns) {
    const std::vector<RowId>& rows = data.column(column.column).rows;
    const std::uint32_t more = column.size - 1;
    if (more >= kNarrowCells) {
      left.push_back(std::move(column));
      continue;
    }
    std::size_t at = open.size();
    for (std::size_t i = open.size(), tries = 0; i-- > 0 && tries < kMostTries; ++tries) {
      if (open[i].group.n_cells + more > kNarrowCells || open[i].n_taken + rows.size() > data.n_rows)
        continue;
      const auto meets = [&](RowId row) { return open[i].taken.contains(row); };
      if (std::any_of(rows.begin(), rows.end(), meets)) continue;
      at = i;
      break;
    }
    if (at == open.size()) {
      if (open.size() == kMostOpen) {
        close(std::move(open.front()));
        open.erase(open.begin());
      }
      open.emplace_back();
      at = open.size() - 1;
      open[at].group.is_exclusive = true;
      open[at].taken = BitSet(data.n_rows);
    }
    Open& found = open[at];
    column.offset = found.group.n_cells;
    found.group.n_cells += more;
    found.n_taken += rows.size();
    for (const RowId row : rows) found.taken.insert(row);
    found.group.members.push_back(std::move(column));
  }
  for (Open& last : open) close(std::move(last));
  std::sort(left.begin(), left.end(),
            [](const GroupMember& a, const GroupMember& b) { return a.column < b.column; });
  columns = std::move(left);
}

// Groups of entries, as large as is worth a thread's while.
void ColumnGroups::add_entries(const std::vector<GroupMember>& columns) {
  constexpr std::size_t kCells = 4096, kColumns = 512;
  for (const GroupMember& column : columns) {
    const std::uint32_t more = column.size - 1;
    if (groups_.size() == n_dense_ || groups_.back().n_cells + more > kCells ||
        groups_.back().members.size() == kColumns) {
      groups_.emplace_back();
      groups_.back().is_sparse = true;
      groups_.back().n_cells = 0;
      groups_.back().offset = n_cells_;
    }
    ColumnGroup& group = groups_.back();
    group.members.push_back(column);
    group.members.back().offset = group.n_cells;
    group.n_cells += more;
    n_cells_ += more;
  }
}

// Moves columns that are mostly one value into groups in which no two of them differ from theirs in the same
// row. Columns of few codes are left alone: by product more of them fit into a byte, without a condition.
void ColumnGroups::share_exclusive(const Dataset& data, std::vector<GroupMember>& columns, Team& team) {
  constexpr std::uint32_t kFewDigits = 16;
  std::vector<std::vector<RowId>> others(columns.size());
  const auto most = static_cast<std::size_t>(kMostOtherRows * static_cast<double>(data.n_rows));
  team.parallel_for(columns.size(), data.n_rows * columns.size() / 2, [&](std::size_t i, int) {
    GroupMember& member = columns[i];
    if (member.size <= kFewDigits) return;
    const Column& column = data.column(member.column);
    if (!may_be_exclusive(data, column)) return;
    const std::vector<std::size_t> counts = count_codes(data, column);
    const auto usual = static_cast<Code>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    member.usual = member.digit(usual);
    if (data.n_rows - counts[usual] > most) return;
    others[i].reserve(data.n_rows - counts[usual]);
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t row = 0; row < data.n_rows; ++row) {
        if (codes[row] != usual) others[i].push_back(static_cast<RowId>(row));
      }
    });
  });
  std::vector<BitSet> taken;  // rows in which a member of the group differs
  std::vector<ColumnGroup> found;
  std::vector<char> moved(columns.size(), 0);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (others[i].empty()) continue;
    const std::uint32_t more = columns[i].size - 1;
    std::size_t at = 0;
    for (std::size_t tries = 0; at < found.size(); ++at) {
      if (found[at].n_cells + more > kNarrowCells) continue;
      if (tries++ == kMostTries) at = found.size();
      const auto meets = [&](RowId row) { return taken[at].contains(row); };
      if (at == found.size() || std::none_of(others[i].begin(), others[i].end(), meets)) break;
    }
    if (at == found.size()) {
      found.emplace_back();
      found.back().is_exclusive = true;
      taken.emplace_back(data.n_rows);
    }
    ColumnGroup& group = found[at];
    columns[i].offset = group.n_cells;
    group.n_cells += more;
    group.members.push_back(columns[i]);
    for (const RowId row : others[i]) taken[at].insert(row);
    moved[i] = 1;
  }
  // A group of one is no group.
  std::vector<GroupMember> left;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!moved[i]) left.push_back(std::move(columns[i]));
  }
  for (ColumnGroup& group : found) {
    if (group.members.size() > 1) {
      groups_.push_back(std::move(group));
    } else {
      left.push_back(std::move(group.members.front()));
    }
  }
  columns = std::move(left);
}

void ColumnGroups::share_by_product(std::vector<GroupMember>& columns, bool share) {
  const std::size_t n_before = groups_.size();
  // Large ones first, each into the first group that has room: small ones then fill what is left.
  std::stable_sort(columns.begin(), columns.end(), [](const GroupMember& a, const GroupMember& b) {
    return a.size != b.size ? a.size > b.size : a.column < b.column;
  });
  for (GroupMember& column : columns) {
    std::size_t at = share ? n_before : groups_.size();
    while (at < groups_.size() && groups_[at].n_cells * column.size > kNarrowCells) ++at;
    if (at == groups_.size()) groups_.emplace_back();
    column.radix = groups_[at].n_cells;
    groups_[at].n_cells *= column.size;
    groups_[at].members.push_back(std::move(column));
  }
}

// Puts the groups first whose cells may be short. What is decided depends on columns, not on how they share
// codes: how fine ticks are follows from it, and sharing must not be seen from the tree.
void ColumnGroups::choose_short(const Dataset& data, std::size_t n_cells, std::size_t block_rows,
                                RowExchange* others, Team& team) {
  if (n_cells <= kCachedCells) return;
  std::vector<std::size_t> most(data.columns.size(), 0);
  team.parallel_for(groups_.size(), data.n_rows * groups_.size() / 2, [&](std::size_t g, int) {
    if (groups_[g].is_exclusive) return;  // most rows have none of its columns' unusual values
    for (const GroupMember& member : groups_[g].members) {
      const auto column = static_cast<std::size_t>(member.column);
      most[column] = most_rows_per_code(data.columns[column], data.n_rows, block_rows);
    }
  });
  if (others != nullptr) take_largest(most, kMostRowsPerCode + 1, *others);
  constexpr std::size_t kTooMany = kMostRowsPerCode + 1;
  std::vector<std::size_t> least(groups_.size(), kTooMany), largest(groups_.size(), 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].is_exclusive) continue;
    for (const GroupMember& member : groups_[g].members) {
      const std::size_t rows = most[static_cast<std::size_t>(member.column)];
      least[g] = std::min(least[g], rows);  // a combination is no more frequent than any of its parts
      if (rows <= kMostRowsPerCode) largest[g] = std::max(largest[g], rows);
    }
  }
  std::vector<ColumnGroup> ordered;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (least[g] > kMostRowsPerCode) continue;
    ordered.push_back(std::move(groups_[g]));
    rows_per_code_ = std::max(rows_per_code_, largest[g]);
  }
  n_short_ = ordered.size();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (least[g] > kMostRowsPerCode) ordered.push_back(std::move(groups_[g]));
  }
  groups_ = std::move(ordered);
}

}  // namespace treewright
