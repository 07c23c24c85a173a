// ColumnGroups: which columns share a code in the row records, so that filling a histogram costs one addition
// for all of them. Nothing is lost: the sums of a single column follow from those of its group.
//
// Groups with many codes, none of which is frequent, come first: a block's rows can be counted in cells of
// half the size, more of which fit into the cache (fill.h).
//
// By product   columns with few codes; the group's code is the number of a combination. Whatever they hold.
// Entries      sparse columns that nothing is gained for by a shared code: they have cells, but no code in
// the
//              records (row_entries.h); a group of them is what one thread searches at a time.
// Exclusive    columns of which at most one differs from its most frequent value in any row (Ke et al. 2017);
//              the group's code says which one and how.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "boost/histogram/row_exchange.h"
#include "data/dataset.h"

namespace treewright {

// A digit is a code as a histogram counts it: without the missing one where no value is missing, and one for
// all categories that are too rare to be named by a test.
struct GroupMember {
  FeatureId column = 0;
  std::uint32_t size = 0;      // digits
  std::uint32_t first = 0;     // the code of digit 0, where each code has a digit
  std::vector<Code> codes;     // of each digit but the last, which rare categories share; else empty
  std::vector<Code> digit_of;  // the digit of each code then
  std::uint32_t radix = 1;     // by product: what a digit counts in the group's code
  std::uint32_t offset = 0;    // exclusive: the group's code of the first digit that is not the usual one
  std::uint32_t usual = 0;     // the most frequent digit

  bool merges_rare() const { return !codes.empty(); }
  std::uint32_t digit(Code code) const { return digit_of.empty() ? code - first : digit_of[code]; }
};

struct ColumnGroup {
  std::vector<GroupMember> members;
  std::uint32_t n_cells = 1;
  std::size_t offset = 0;  // of its first cell in a histogram
  bool is_exclusive = false;
  bool is_sparse = false;  // entries

  bool is_single() const { return members.size() == 1 && !is_exclusive && !is_sparse; }
  // What the member's digit adds to the code of a row, which begins with 0.
  std::uint32_t part(const GroupMember& member, std::uint32_t digit) const {
    if (!is_exclusive && !is_sparse) return digit * member.radix;
    return digit == member.usual ? 0 : member.offset + digit - (digit > member.usual ? 1 : 0);
  }
};

class ColumnGroups {
 public:
  // Columns of bytes stand in groups of at most 256 cells and come first; they are a fixed distance apart, so
  // that a fill loop needs no table of offsets. The distance is no power of two, because then the same cells
  // of all groups would compete for the same lines of the cache.
  static constexpr std::size_t kNarrowStride = 264;
  static constexpr std::size_t kNarrowCells = 256;

  // Groups of which at most so many rows of a block have the same code may be counted in short cells.
  static constexpr std::size_t kMostRowsPerCode = 255;

  // share: whether columns may share codes. Categories with fewer rows than min_rows_category cannot be named
  // by a test, so those of a column with many categories need no cells of their own. block_rows: of the
  // blocks that rows are filled in; 0 = without short cells. others: all processes have the same groups and
  // the same short cells.
  ColumnGroups(const Dataset& data, bool share, std::int64_t min_rows_category, std::size_t block_rows,
               RowExchange* others, Team& team);

  std::size_t size() const { return groups_.size(); }
  std::size_t n_narrow() const { return n_narrow_; }
  // Groups with codes in the row records; those of entries stand behind them.
  std::size_t n_dense() const { return n_dense_; }
  // Groups that may be counted in short cells: the first ones of the narrow.
  std::size_t n_short() const { return n_short_; }
  // The most rows that a block has in one of their cells.
  std::size_t rows_per_code() const { return rows_per_code_; }
  std::size_t n_cells() const { return n_cells_; }
  const ColumnGroup& operator[](std::size_t group) const { return groups_[group]; }

 private:
  void share_entries(const Dataset& data, std::vector<GroupMember>& columns);
  void add_entries(const std::vector<GroupMember>& columns);
  void share_exclusive(const Dataset& data, std::vector<GroupMember>& columns, Team& team);
  void share_by_product(std::vector<GroupMember>& columns, bool share);
  void choose_short(const Dataset& data, std::size_t n_cells, std::size_t block_rows, RowExchange* others,
                    Team& team);

  std::vector<ColumnGroup> groups_;
  std::size_t n_narrow_ = 0;
  std::size_t n_dense_ = 0;
  std::size_t n_short_ = 0;
  std::size_t rows_per_code_ = 0;
  std::size_t n_cells_ = 0;
};

// The most rows of one code that a block of rows has.
std::size_t most_rows_per_code(const Column& column, std::size_t n_rows, std::size_t block_rows);

// Sums of a group's cells by one member's digit, in out[0 ... size - 1]; `all` are those of the node.
template <class Cell>
void add_up_member(const ColumnGroup& group, const GroupMember& member, const Cell* cells, const Cell& all,
                   Cell* out) {
  if (group.is_exclusive || group.is_sparse) {
    Cell others{};
    const Cell* own = cells + member.offset;
    std::copy_n(own, member.usual, out);
    std::copy_n(own + member.usual, member.size - 1 - member.usual, out + member.usual + 1);
    for (std::uint32_t i = 0; i + 1 < member.size; ++i) others += own[i];
    out[member.usual] = all - others;
    return;
  }
  const std::size_t radix = member.radix, period = radix * member.size;
  for (std::size_t high = 0; high < group.n_cells; high += period) {
    for (std::size_t digit = 0; digit < member.size; ++digit) {
      const Cell* from = cells + high + digit * radix;
      Cell sum{};
      for (std::size_t low = 0; low < radix; ++low) sum += from[low];
      out[digit] += sum;
    }
  }
}

}  // namespace treewright
