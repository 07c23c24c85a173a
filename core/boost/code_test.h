// CodeTest: the test of an inner node in terms of codes, for dividing rows and for sending rows that a round
// did not see down the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"
#include "boost/split_choice.h"
#include "data/column.h"

namespace treewright {

struct CodeTest {
  FeatureId feature = kNoFeature;        // none: a leaf
  std::vector<std::uint8_t> goes_right;  // by code, 0 = missing

  CodeTest() = default;
  CodeTest(const Column& column, const SplitChoice& choice)
      : feature(choice.feature), goes_right(column.n_codes + std::size_t{2}, 1) {
    if (choice.is_subset) {
      for (const Code code : choice.named) goes_right[code] = 0;
    } else {
      for (Code code = 1; code <= choice.cut; ++code) goes_right[code] = 0;
    }
    goes_right[kMissing] = choice.missing_right ? 1 : 0;
  }
};

}  // namespace treewright
