#include "boost/column_groups.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace treewright {

namespace {

constexpr std::uint32_t kMostWideCells = 65536;
constexpr std::size_t kGap = 8;  // cells between wide groups, against competing lines of the cache

}  // namespace

ColumnGroups::ColumnGroups(const Dataset& data, bool pack) {
  std::vector<GroupMember> columns;
  for (FeatureId f = 0; f < data.n_features(); ++f) {
    const Column& column = data.column(f);
    const std::uint32_t first = column.has_missing ? 0 : 1;
    const std::uint64_t size = std::uint64_t{column.n_codes} + 1 - first;
    if (size < 2) continue;  // constant: no test can be made of it
    if (size > kMostWideCells) {
      throw std::invalid_argument("Column " + std::to_string(f) + " has " + std::to_string(size) +
                                  " codes; histograms take at most 65536.");
    }
    columns.push_back({f, 1, static_cast<std::uint32_t>(size), first});
  }
  // Large ones first, each into the first group that has room: small ones then fill what is left.
  std::stable_sort(columns.begin(), columns.end(),
                   [](const GroupMember& a, const GroupMember& b) { return a.size > b.size; });
  std::vector<ColumnGroup> wide;
  for (const GroupMember& column : columns) {
    if (column.size > kNarrowCells) {
      wide.push_back({{column}, column.size, 0});
      continue;
    }
    const auto room = [&](const ColumnGroup& group) { return group.n_cells * column.size <= kNarrowCells; };
    auto group = pack ? std::find_if(groups_.begin(), groups_.end(), room) : groups_.end();
    if (group == groups_.end()) group = groups_.insert(groups_.end(), ColumnGroup{});
    group->members.push_back(column);
    group->members.back().radix = group->n_cells;
    group->n_cells *= column.size;
  }
  // Rows are read from left to right: the order of the table keeps codes of neighbours together.
  std::sort(groups_.begin(), groups_.end(), [](const ColumnGroup& a, const ColumnGroup& b) {
    return a.members.front().column < b.members.front().column;
  });
  n_narrow_ = groups_.size();
  for (std::size_t g = 0; g < n_narrow_; ++g) groups_[g].offset = g * kNarrowStride;
  n_cells_ = n_narrow_ * kNarrowStride;
  for (ColumnGroup& group : wide) {
    group.offset = n_cells_;
    n_cells_ += group.n_cells + kGap;
    groups_.push_back(group);
  }
}

}  // namespace treewright
