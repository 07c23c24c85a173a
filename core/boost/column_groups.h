// ColumnGroups: which columns share a code in the row records. Columns with few codes are packed several into
// one byte, whose code is the number of a combination: filling a histogram then costs one addition for all of
// them. The sums of a single column are those of the combinations, added up. Nothing is lost, whatever the
// columns hold, so exclusive columns of few values are a special case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "data/dataset.h"

namespace treewright {

struct GroupMember {
  FeatureId column;
  std::uint32_t radix;  // what one digit counts in the group's code
  std::uint32_t size;   // digits
  std::uint32_t first;  // the column's code of digit 0: 0 when values are missing, else 1
};

struct ColumnGroup {
  std::vector<GroupMember> members;
  std::uint32_t n_cells = 1;  // combinations
  std::size_t offset = 0;     // of its first cell in a histogram

  bool is_single() const { return members.size() == 1; }
};

class ColumnGroups {
 public:
  // Columns of bytes stand in groups of at most 256 cells and come first; they are a fixed distance apart, so
  // that a fill loop needs no table of offsets. The distance is no power of two, because then the same cells
  // of all groups would compete for the same lines of the cache.
  static constexpr std::size_t kNarrowStride = 264;
  static constexpr std::size_t kNarrowCells = 256;

  explicit ColumnGroups(const Dataset& data, bool pack = true);

  std::size_t size() const { return groups_.size(); }
  std::size_t n_narrow() const { return n_narrow_; }
  std::size_t n_cells() const { return n_cells_; }
  const ColumnGroup& operator[](std::size_t group) const { return groups_[group]; }

 private:
  std::vector<ColumnGroup> groups_;
  std::size_t n_narrow_ = 0;
  std::size_t n_cells_ = 0;
};

// Adds up the cells of a group by one member's code: `out` has n_codes + 1 cells, code 0 first.
template <class Cell>
void add_up_member(const ColumnGroup& group, const GroupMember& member, const Cell* cells, Cell* out) {
  const std::size_t radix = member.radix, period = radix * member.size;
  for (std::size_t high = 0; high < group.n_cells; high += period) {
    for (std::size_t digit = 0; digit < member.size; ++digit) {
      const Cell* from = cells + high + digit * radix;
      Cell sum{};
      for (std::size_t low = 0; low < radix; ++low) sum += from[low];
      out[member.first + digit] += sum;
    }
  }
}

}  // namespace treewright
