// Candidate: the best test of one feature at one node, before it is known which feature wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/types.h"
#include "tree/tree.h"

namespace treewright {

struct Candidate {
  FeatureId feature = kNoFeature;
  NodeKind kind = NodeKind::kLeaf;                         // kLeaf: the feature offers no test
  double gain = -std::numeric_limits<double>::infinity();  // total over the rows that were compared
  double mean_gain = 0;                                    // per unit of the node's weight (C4.5)
  double rank = -std::numeric_limits<double>::infinity();  // what features compete on: gain, or gain ratio
  double price = 0;       // rank is the gain less this (split/many_categories.h)
  double split_info = 0;  // entropy of the branch sizes, bits, total (C4.5)

  Code cut = 0;   // threshold: the last code that goes left
  Code next = 0;  // the first code present in the node that goes right; 0: only missing rows go right
  std::uint32_t bin =
      0;  // threshold: rows in a bin (forest/code_records.h) up to this one go left; 0: not known
  double drawn = std::numeric_limits<double>::quiet_NaN();  // a threshold that was drawn, not worked out
  std::vector<Code> right;                                  // subset: codes that go to branch 1, ascending
  Code one = 0;  // subset of one category against the rest: that category goes to branch 0
  std::vector<std::uint32_t> groups;  // merged categories: the branch of code c at c - 1
  std::uint32_t n_groups = 0;

  bool missing_known = false;  // missing rows took part, so their branch is part of the test
  std::uint32_t missing = 0;   // that branch

  double left_weight = 0;                  // of branch 0, rows that were compared
  double compared_weight = 0;              // of all of these
  std::size_t tries = 0;                   // cuts that were compared, also where none is good enough
  double left_value = 0, right_value = 0;  // of the children, for monotone constraints

  bool valid() const { return kind != NodeKind::kLeaf; }
};

}  // namespace treewright
