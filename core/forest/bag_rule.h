// BagRule: which rows and columns each tree of a forest gets. A tree's draw depends on the rule's seed and on
// the tree's number alone, so a bag is never stored; it can always be drawn again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/types.h"

namespace treewright {

struct BagRule {
  std::uint64_t seed = 0;
  std::int64_t draws = 0;  // rows drawn for each tree; 0 = every row once
  bool replace = true;
  std::vector<double> probabilities;  // in proportion to these; empty = all rows alike
  bool balanced = false;              // weigh the classes so that each has the same weight in the bag
  std::int64_t features = 0;          // columns drawn for each tree; 0 = all of them
  bool replace_features = false;

  // The generator of one tree; its parts draw from streams of their own.
  Random tree(std::uint64_t number) const { return Random(seed).split(number); }
};

// Keys of the streams that a tree draws from.
enum class TreeStream : std::uint64_t { kRows = 1, kColumns = 2, kNodes = 3, kShuffle = 4 };

inline Random stream(const Random& tree, TreeStream name) {
  return tree.split(static_cast<std::uint64_t>(name));
}

// The seed of a tree that is grown as a single one.
inline std::uint64_t node_seed(const BagRule& rule, std::uint64_t tree) {
  return stream(rule.tree(tree), TreeStream::kNodes).next();
}

// Draws the rows of many trees by one rule. Drawing in proportion needs a table, made once.
class BagDraw {
 public:
  // Throws std::invalid_argument when the rule does not fit the number of rows.
  BagDraw(const BagRule& rule, std::size_t n_rows);

  // How often each row is in the bag of a tree. May be used by several threads at once.
  std::vector<std::uint32_t> counts(std::uint64_t tree) const;

 private:
  void draw_with_replacement(Random& random, std::vector<std::uint32_t>& counts) const;
  void draw_without_replacement(Random& random, std::vector<std::uint32_t>& counts) const;

  const BagRule& rule_;
  std::size_t n_rows_;
  std::vector<double> accept_;        // alias table (Walker 1977): chance to stay in a column ...
  std::vector<std::uint32_t> other_;  // ... and the row taken otherwise
};

// The columns of a tree, ascending, each once.
std::vector<FeatureId> draw_columns(const BagRule& rule, FeatureId n_features, std::uint64_t tree);

}  // namespace treewright
