// TableSpans: where the tables of some tests lie. Tables may not share words: otherwise a small file could
// demand endless checking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace treewright {

struct TableSpan {
  std::size_t owner = 0;  // the node, as the caller counts
  std::size_t begin = 0;
  std::size_t end = 0;
};

class TableSpans {
 public:
  // Room of a table at `offset`: the two words before its entries and as many entries as it says. The offset
  // lies within the tables, the end may not.
  static TableSpan at(std::size_t owner, std::size_t offset, std::span<const std::uint32_t> tables) {
    return {owner, offset, offset + 2 + tables[offset + 1]};
  }

  void add(const TableSpan& span) { spans_.push_back(span); }
  const std::vector<TableSpan>& all() const { return spans_; }

  // The owner of a table that begins inside another one, if there is any.
  std::optional<std::size_t> find_overlap() const {
    const auto overlaps = [](const TableSpan& a, const TableSpan& b) { return b.begin < a.end; };
    // What the engine writes is in order.
    if (std::adjacent_find(spans_.begin(), spans_.end(), overlaps) == spans_.end()) return std::nullopt;
    std::vector<TableSpan> sorted = spans_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const TableSpan& a, const TableSpan& b) { return a.begin < b.begin; });
    const auto found = std::adjacent_find(sorted.begin(), sorted.end(), overlaps);
    if (found == sorted.end()) return std::nullopt;
    return (found + 1)->owner;
  }

 private:
  std::vector<TableSpan> spans_;
};

}  // namespace treewright
