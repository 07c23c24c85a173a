// SplitChoice: the best test of a column, and then of a node; CodeTest: the same test by codes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/types.h"
#include "boost/histogram/ticks.h"
#include "data/column.h"
#include "tree/code_route.h"

namespace treewright {

struct SplitChoice {
  double gain = -std::numeric_limits<double>::infinity();  // G²/(H + λ) of the sides minus the node's
  FeatureId feature = kNoFeature;
  bool is_subset = false;
  Code cut = 0;                // threshold: codes 1 ... cut go left
  std::vector<Code> named;     // subset: categories that go left, ascending; all others go right
  bool missing_right = false;  // where missing values go ...
  bool missing_known = false;  // ... if the node has some
  bool rows_counted = false;   // whether both sides are known to have enough rows
  TickSums left;

  explicit operator bool() const { return feature != kNoFeature; }
};

// The test of an inner node in terms of codes, for dividing rows and for sending rows that a round did not
// see down the tree.
struct CodeTest {
  FeatureId feature = kNoFeature;        // none: a leaf
  std::vector<std::uint8_t> goes_right;  // by code, 0 = missing

  CodeTest() = default;
  CodeTest(const Column& column, const SplitChoice& choice)
      : feature(choice.feature), goes_right(column.n_codes + std::size_t{2}, 1) {
    if (choice.is_subset) {
      for (const Code code : choice.named) goes_right[code] = 0;
    } else {
      for (Code code = 1; code <= column.n_codes; ++code) {
        goes_right[code] = static_cast<std::uint8_t>(branch_at_cut(code, choice.cut));
      }
    }
    goes_right[kMissing] = choice.missing_right ? 1 : 0;
  }
};

}  // namespace treewright
