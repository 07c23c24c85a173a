// PatternGroups: the leaves of a game tree whose shares are looked up instead of computed.
//
// What a path gives its features depends on which of them the row satisfies: a pattern of bits. A group is a
// leaf, or a small subtree, whose state has few bits: one for each feature above it, one for each test
// within. Its table holds, for every state, what its leaves give each feature, so a row reads one entry per
// group. Paths of too many features are left over: edge_walk.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/game_tree.h"
#include "explain/path_shares.h"

namespace treewright {

struct GroupTerm {  // a feature of a leaf's path: known to be passed when the state has these bits
  std::uint32_t mask;
  std::uint32_t want;
  std::uint32_t slot;  // among the features of the group
  double z;
};

struct GroupLeaf {
  std::uint32_t edge;
  std::uint32_t first_term;
  std::uint32_t n_terms;
};

struct PatternGroup {
  std::uint32_t edge;  // the one that leads to it
  std::uint32_t level;
  std::uint32_t n_path;  // bits of the features above; those of the tests within follow
  std::uint32_t first_test, n_tests;
  std::uint32_t first_leaf, n_leaves;
  std::uint32_t first_slot, n_slots;
  std::size_t n_states() const { return std::size_t{1} << (n_path + n_tests); }
};

// What to do on the way through the tree; edges above a group come before it.
struct PatternStep {
  enum class Kind : std::uint8_t { kTest, kEdge, kGroup };
  Kind kind;
  std::uint32_t level;   // where the answers of a test, or the patterns of an edge, are kept
  std::uint32_t number;  // of the node, edge or group
};

class PatternGroups {
 public:
  explicit PatternGroups(const GameTree& tree);

  // A group for each of these leaves alone, without tables, where a path has at most most_features.
  // is_wanted: one per edge, whether such leaves are below it.
  static PatternGroups of_leaves(const GameTree& tree, std::span<const std::uint8_t> is_wanted,
                                 std::size_t most_features);

  std::span<const PatternGroup> groups() const { return groups_; }
  std::span<const PatternStep> steps() const { return steps_; }
  std::span<const NodeId> tests(const PatternGroup& group) const {
    return {tests_.data() + group.first_test, group.n_tests};
  }
  std::span<const GroupLeaf> leaves(const PatternGroup& group) const {
    return {leaves_.data() + group.first_leaf, group.n_leaves};
  }
  std::span<const GroupTerm> terms(const GroupLeaf& leaf) const {
    return {terms_.data() + leaf.first_term, leaf.n_terms};
  }
  std::span<const FeatureId> features(const PatternGroup& group) const {
    return {features_.data() + group.first_slot, group.n_slots};
  }
  // One per edge: whether leaves below it are in no group.
  std::span<const std::uint8_t> has_deep_leaves() const { return has_deep_; }

 private:
  PatternGroups() = default;
  void mark_deep(const GameTree& tree, std::size_t leaf);
  std::vector<std::uint32_t> tests_within(const GameTree& tree) const;
  std::vector<std::uint32_t> choose(const GameTree& tree, std::span<const std::uint32_t> within,
                                    std::size_t most_bits, std::size_t* n_numbers) const;
  void add_group(const GameTree& tree, std::uint32_t edge, std::uint32_t n_tests);
  void add_steps(const GameTree& tree);

  std::vector<PatternGroup> groups_;
  std::vector<PatternStep> steps_;
  std::vector<NodeId> tests_;
  std::vector<GroupLeaf> leaves_;
  std::vector<GroupTerm> terms_;
  std::vector<FeatureId> features_;
  std::vector<std::uint8_t> has_deep_;
};

// The state's bits as a pattern of a leaf's own features.
inline std::uint32_t leaf_pattern(std::span<const GroupTerm> terms, std::uint32_t state) {
  std::uint32_t pattern = 0;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    pattern |= static_cast<std::uint32_t>((state & terms[j].mask) == terms[j].want) << j;
  }
  return pattern;
}

}  // namespace treewright
