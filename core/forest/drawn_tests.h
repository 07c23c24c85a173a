// DrawnTests: the random tests that one node had to choose from, noted down while its tree grows once more.
// Tree t depends on its number alone (grow_forest.h), so these are the very ones of the fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/feature_draw.h"
#include "split/candidate.h"

namespace treewright {

struct DrawnTest {
  Candidate test;        // kLeaf: the column does not vary in the node; the gain is less the price
  bool allowed = false;  // by the limits of a leaf and by monotone constraints
};

struct DrawnTests {
  std::uint64_t node_key = 0;
  std::vector<DrawnTest> tests;  // in the order in which they were compared

  // The node that is reached from the root by these branches.
  explicit DrawnTests(std::span<const std::uint32_t> path) {
    for (const std::uint32_t branch : path) node_key = child_key(node_key, branch);
  }
};

}  // namespace treewright
