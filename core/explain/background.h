// Background: rows that stand for what is not known. For every group of a tree it counts them by state: what
// a group gives a row follows from these counts, however many rows there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/game_tree.h"
#include "explain/pattern_groups.h"
#include "explain/pattern_tables.h"

namespace treewright {

struct BackgroundOfTree {
  std::vector<double> shares;               // group after group: of the rows that are in each state
  std::vector<std::size_t> begin;           // of each group
  std::vector<std::uint32_t> divided_rows;  // rows that the tree shares among branches, which have no state
};

struct Background {
  std::size_t n_rows = 0;
  std::vector<double> rows;  // n_rows * n_features
  std::vector<BackgroundOfTree> trees;
};

// Entries when rows of a background stand for what is not known.
class BackgroundEntries {
 public:
  BackgroundEntries(const GameTree& tree, const PatternGroups& groups, const PatternPoints& points,
                    const BackgroundOfTree& background)
      : tree_(tree), groups_(groups), points_(points), background_(background) {}

  void write_all(const PatternGroup& group, GroupEntry kind, double* out) const;

 private:
  const GameTree& tree_;
  const PatternGroups& groups_;
  const PatternPoints& points_;
  const BackgroundOfTree& background_;
};

}  // namespace treewright
