// FreshLeaves: the leaves that were made last, and what is found out about them until they are old.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boost/histogram/column_scan.h"
#include "boost/histogram/leaf_chooser.h"
#include "boost/histogram/small_node.h"
#include "boost/histogram/split_choice.h"

namespace treewright {

// The search for the best test of one leaf.
struct LeafSearch {
  ScanNode node;
  std::vector<SplitChoice> candidates;  // by column
  std::vector<char> settled;            // by column: rows were counted; empty: of none
};

// The root, or two children.
template <class Ticks>
struct FreshLeaves {
  std::vector<OpenLeaf> leaves;
  std::size_t small = 0;                 // the one with fewer rows
  std::array<bool, 2> searches = {};     // which of them may be split
  bool fills = false;                    // whether they have histograms
  bool by_columns = false;               // filled while they are searched, not before
  std::array<SmallNode<Ticks>, 2> rows;  // their rows, where they are few
  std::array<LeafSearch, 2> found;

  OpenLeaf& smaller() { return leaves[small]; }
  OpenLeaf& larger() { return leaves[1 - small]; }
  bool is_root() const { return leaves.size() == 1; }
};

}  // namespace treewright
