// CodeRoute: which branch of a node a code takes. Whoever sends encoded rows down a tree asks here, so that
// growing, pruning, boosting and reports cannot disagree about a row.
//
//   a missing value   the branch that the node keeps for it
//   a threshold       branch 0 up to the cut, the last code of that side; branch 1 behind it
//   categories        what the node's table says (tree/table.h)
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.h"
#include "tree/forest.h"
#include "tree/table.h"
#include "tree/tree.h"

namespace treewright {

// The branch of a known code at a cut.
inline std::uint32_t branch_at_cut(Code code, Code cut) {
  return code > cut ? 1U : 0U;
}

// The last of the codes 1 ... n_codes whose value, value_of(code), is at most the threshold; 0 where none is.
// Values must rise with the codes.
template <class ValueOf>
Code cut_at_threshold(double threshold, Code n_codes, ValueOf&& value_of) {
  Code below = 0, above = n_codes + 1;
  while (above - below > 1) {
    const Code middle = below + (above - below) / 2;
    (value_of(middle) <= threshold ? below : above) = middle;
  }
  return below;
}

// The same with missing values, and without a jump, for loops over rows. A missing value is code 0: as it
// stands it goes left; with 1 taken off every code it is the largest of all.
class CutTest {
 public:
  CutTest(Code cut, bool missing_goes_right)
      : shift_(missing_goes_right ? 1 : 0), first_right_(cut + 1 - shift_) {}

  bool goes_right(Code code) const { return static_cast<Code>(code - shift_) >= first_right_; }

 private:
  Code shift_, first_right_;
};

struct CodeRoute {
  std::uint32_t missing = 0;             // branch, kEveryBranch or kStopHere
  Code cut = 0;                          // of a threshold
  const std::uint32_t* table = nullptr;  // of categories; none: a threshold

  std::uint32_t branch(Code code) const {
    if (code == kMissing) return missing;
    return table == nullptr ? branch_at_cut(code, cut) : branch_of(table, code);
  }
};

// The route at an inner node; `cut` is that of its threshold, if it has one.
inline CodeRoute route_of(const Tree& tree, std::size_t node, Code cut) {
  const bool has_table = tree.kind[node] != NodeKind::kThreshold;
  return {tree.missing[node], cut, has_table ? tree.tables.data() + tree.table[node] : nullptr};
}

// The code behind a matrix entry of a column of categories: NaN and anything below 1 is missing, anything
// past n_codes is an unseen category.
inline Code code_of(double x, Code n_codes) {
  if (!(x >= 1.0)) return kMissing;
  return x < static_cast<double>(n_codes) + 1.0 ? static_cast<Code>(x) : n_codes + 1;
}

// The branch of a matrix entry at an inner node of a tree without surrogates.
inline std::uint32_t branch_of_value(const Tree& tree, std::size_t node, double x, Code n_codes) {
  if (tree.kind[node] == NodeKind::kThreshold) {
    if (x <= tree.threshold[node]) return 0;
    return x > tree.threshold[node] ? 1 : tree.missing[node];
  }
  return route_of(tree, node, 0).branch(code_of(x, n_codes));
}

// The same at an inner node of a checked forest. NaN is a missing value, a category is its code.
inline std::uint32_t branch_at(const ForestView& forest, std::size_t node, double x) {
  if (x != x) return forest.flags[node] & kMissingGoesRight;
  if ((forest.flags[node] & kSubsetTest) == 0) return x > forest.number[node] ? 1U : 0U;
  return branch_of(forest.tables.data() + static_cast<std::size_t>(forest.number[node]),
                   static_cast<Code>(x));
}

}  // namespace treewright
