#include "explain/pattern_groups.h"

#include <algorithm>

namespace treewright {

namespace {

constexpr std::size_t kMostMergedBits = 8;                        // of groups of more than one test
constexpr std::uint32_t kMostTests = 3;                           // within a group
constexpr std::size_t kMostNumbers = (std::size_t{1} << 20) / 8;  // of the tables of a tree
constexpr std::uint32_t kTooMany = kMostTests + 1;

bool fits(const GameEdge& edge, std::uint32_t n_tests, std::size_t most_bits) {
  if (n_tests > kMostTests) return false;
  const std::size_t bits = static_cast<std::size_t>(edge.n_places) + n_tests;
  return bits <= (n_tests <= 1 ? most_bits : std::min(most_bits, kMostMergedBits));
}

}  // namespace

PatternGroups::PatternGroups(const GameTree& tree) {
  const std::vector<std::uint32_t> within = tests_within(tree);
  std::vector<std::uint32_t> chosen;
  for (std::size_t most_bits = kMostPatternBits + 1; most_bits-- > 0;) {
    std::size_t n_numbers = 0;
    chosen = choose(tree, within, most_bits, &n_numbers);
    if (n_numbers <= kMostNumbers) break;
  }
  const std::span<const GameEdge> edges = tree.edges();
  has_deep_.assign(edges.size(), 0);
  std::size_t next = 0;
  for (const std::uint32_t edge : chosen) add_group(tree, edge, within[edge]);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (next < groups_.size() && groups_[next].edge == e) {
      e = static_cast<std::size_t>(edges[e].end) - 1;
      ++next;
    } else if (edges[e].is_leaf && edges[e].level > 0) {
      mark_deep(tree, e);
    }
  }
  add_steps(tree);
}

PatternGroups PatternGroups::of_leaves(const GameTree& tree, std::span<const std::uint8_t> is_wanted,
                                       std::size_t most_features) {
  PatternGroups found;
  const std::span<const GameEdge> edges = tree.edges();
  found.has_deep_.assign(edges.size(), 0);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (!edges[e].is_leaf || is_wanted[e] == 0) continue;
    if (static_cast<std::size_t>(edges[e].n_places) <= most_features) {
      found.add_group(tree, static_cast<std::uint32_t>(e), 0);
    } else {
      found.mark_deep(tree, e);
    }
  }
  found.add_steps(tree);
  return found;
}

void PatternGroups::mark_deep(const GameTree& tree, std::size_t leaf) {
  for (auto at = static_cast<std::int32_t>(leaf); at >= 0 && has_deep_[static_cast<std::size_t>(at)] == 0;
       at = tree.edges()[static_cast<std::size_t>(at)].parent) {
    has_deep_[static_cast<std::size_t>(at)] = 1;
  }
}

// For each edge the tests below it, if all of them have two branches; otherwise too many.
std::vector<std::uint32_t> PatternGroups::tests_within(const GameTree& tree) const {
  const std::span<const GameEdge> edges = tree.edges();
  std::vector<std::uint32_t> within(edges.size(), 0), n_children(edges.size(), 0);
  for (std::size_t e = edges.size(); e-- > 0;) {
    if (!edges[e].is_leaf) within[e] = n_children[e] == 2 ? std::min(within[e] + 1, kTooMany) : kTooMany;
    if (e == 0) break;
    const auto parent = static_cast<std::size_t>(edges[e].parent);
    within[parent] = std::min(within[parent] + within[e], kTooMany);
    n_children[parent] += edges[e].branch == kStopHere ? kTooMany : 1;
  }
  return within;
}

// The edges that lead to groups, as high as they fit, and how many numbers their tables have.
std::vector<std::uint32_t> PatternGroups::choose(const GameTree& tree, std::span<const std::uint32_t> within,
                                                 std::size_t most_bits, std::size_t* n_numbers) const {
  const std::span<const GameEdge> edges = tree.edges();
  std::vector<std::uint32_t> chosen;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].level == 0 && edges[e].is_leaf) continue;
    if (!fits(edges[e], within[e], most_bits)) continue;
    chosen.push_back(static_cast<std::uint32_t>(e));
    const std::size_t bits = static_cast<std::size_t>(edges[e].n_places) + within[e];
    *n_numbers += (bits * tree.n_outputs()) << bits;
    e = static_cast<std::size_t>(edges[e].end) - 1;
  }
  return chosen;
}

void PatternGroups::add_group(const GameTree& tree, std::uint32_t edge, std::uint32_t n_tests) {
  const std::span<const GameEdge> edges = tree.edges();
  PatternGroup group{};
  group.edge = edge;
  group.level = static_cast<std::uint32_t>(edges[edge].level);
  group.n_path = static_cast<std::uint32_t>(edges[edge].n_places);
  group.first_test = static_cast<std::uint32_t>(tests_.size());
  group.n_tests = n_tests;
  group.first_leaf = static_cast<std::uint32_t>(leaves_.size());
  group.first_slot = static_cast<std::uint32_t>(features_.size());

  // The features above, by their places, and their z.
  std::vector<GroupTerm> path(group.n_path);
  features_.resize(features_.size() + group.n_path);
  std::vector<std::uint8_t> is_known(group.n_path, 0);
  for (std::size_t e = edge; edges[e].level > 0; e = static_cast<std::size_t>(edges[e].parent)) {
    const auto place = static_cast<std::size_t>(edges[e].place);
    if (is_known[place] != 0) continue;
    is_known[place] = 1;
    path[place] = {1U << place, 1U << place, static_cast<std::uint32_t>(place), edges[e].z_all};
    features_[group.first_slot + place] = edges[e].feature;
  }

  // The walk through the subtree: at each level the terms of the path so far.
  std::vector<std::vector<GroupTerm>> terms{path};
  std::vector<std::uint32_t> bit;  // of the test at each level of the subtree
  for (std::size_t e = edge; e < static_cast<std::size_t>(edges[edge].end); ++e) {
    const std::size_t below = static_cast<std::size_t>(edges[e].level) - group.level;
    terms.resize(below + 1);
    if (below > 0) {
      terms[below] = terms[below - 1];
      const std::uint32_t test_bit = bit[below - 1];
      const auto begin = features_.begin() + group.first_slot;
      const auto slot =
          static_cast<std::uint32_t>(std::find(begin, features_.end(), edges[e].feature) - begin);
      if (slot == features_.size() - group.first_slot) features_.push_back(edges[e].feature);
      auto term = std::find_if(terms[below].begin(), terms[below].end(),
                               [slot](const GroupTerm& one) { return one.slot == slot; });
      if (term == terms[below].end()) term = terms[below].insert(term, GroupTerm{0, 0, slot, 1.0});
      term->mask |= test_bit;
      term->want |= edges[e].branch != 0 ? test_bit : 0;
      term->z = edges[e].z_all;
    }
    if (!edges[e].is_leaf) {
      const auto n_before = static_cast<std::uint32_t>(tests_.size()) - group.first_test;
      bit.resize(below + 1);
      bit[below] = 1U << (group.n_path + n_before);
      tests_.push_back(edges[e].to);
      continue;
    }
    leaves_.push_back({static_cast<std::uint32_t>(e), static_cast<std::uint32_t>(terms_.size()),
                       static_cast<std::uint32_t>(terms[below].size())});
    terms_.insert(terms_.end(), terms[below].begin(), terms[below].end());
  }
  group.n_leaves = static_cast<std::uint32_t>(leaves_.size()) - group.first_leaf;
  group.n_slots = static_cast<std::uint32_t>(features_.size()) - group.first_slot;
  groups_.push_back(group);
}

void PatternGroups::add_steps(const GameTree& tree) {
  const std::span<const GameEdge> edges = tree.edges();
  std::vector<std::uint8_t> leads_to_group(edges.size(), 0);
  for (const PatternGroup& group : groups_) {
    for (auto at = static_cast<std::int32_t>(group.edge);
         at >= 0 && leads_to_group[static_cast<std::size_t>(at)] == 0;
         at = edges[static_cast<std::size_t>(at)].parent) {
      leads_to_group[static_cast<std::size_t>(at)] = 1;
    }
  }
  std::size_t next = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (leads_to_group[e] == 0) {
      e = static_cast<std::size_t>(edges[e].end) - 1;
      continue;
    }
    const auto level = static_cast<std::uint32_t>(edges[e].level);
    if (level > 0) steps_.push_back({PatternStep::Kind::kEdge, level, static_cast<std::uint32_t>(e)});
    if (next < groups_.size() && groups_[next].edge == e) {
      steps_.push_back({PatternStep::Kind::kGroup, level, static_cast<std::uint32_t>(next++)});
      e = static_cast<std::size_t>(edges[e].end) - 1;
    } else {
      steps_.push_back({PatternStep::Kind::kTest, level, static_cast<std::uint32_t>(edges[e].to)});
    }
  }
}

}  // namespace treewright
