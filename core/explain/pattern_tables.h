// PatternTables: for every group of a tree what its leaves give the features in each state. An entry is the
// same whether it is looked up or computed when asked for, so the choice is one of time alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/game_tree.h"
#include "explain/pattern_groups.h"
#include "explain/quadrature.h"

namespace treewright {

enum class GroupEntry : std::uint8_t {
  kShares,  // of each feature: n_slots * n_outputs
  kPairs,   // of two features a < b, at b * (b - 1) / 2 + a: n_slots * (n_slots - 1) / 2 * n_outputs
};

inline std::size_t entry_slots(const PatternGroup& group, GroupEntry kind) {
  const std::size_t n = group.n_slots;
  return kind == GroupEntry::kShares ? n : n * (n - 1) / 2;
}

// The points for paths of up to kMostPatternBits features.
struct PatternPoints {
  Quadrature four{Quadrature::kLanes};
  Quadrature eight{2 * Quadrature::kLanes};
  const Quadrature& of(std::size_t n_features) const {
    return Quadrature::points_for(n_features) == four.size() ? four : eight;
  }
};

// Entries when the training rows say how likely a test is passed (z of the edges).
class PathEntries {
 public:
  PathEntries(const GameTree& tree, const PatternGroups& groups, const PatternPoints& points)
      : tree_(tree), groups_(groups), points_(points) {}

  // One entry: out[entry_slots * n_outputs].
  void write(const PatternGroup& group, GroupEntry kind, std::uint32_t state, double* out) const;
  // All of them, one after the other.
  void write_all(const PatternGroup& group, GroupEntry kind, double* out) const;

 private:
  const GameTree& tree_;
  const PatternGroups& groups_;
  const PatternPoints& points_;
};

class PatternTables {
 public:
  // A group has a table when `is_wanted(group)`.
  template <class Wanted, class Entries>
  PatternTables(const GameTree& tree, const PatternGroups& groups, const Entries& entries, GroupEntry kind,
                Wanted&& is_wanted) {
    std::size_t total = 0;
    for (const PatternGroup& group : groups.groups()) {
      const bool wanted = is_wanted(group);
      offsets_.push_back(wanted ? total : kNone);
      if (wanted) total += group.n_states() * entry_slots(group, kind) * tree.n_outputs();
    }
    numbers_.resize(total);
    for (std::size_t g = 0; g < offsets_.size(); ++g) {
      if (offsets_[g] != kNone) entries.write_all(groups.groups()[g], kind, numbers_.data() + offsets_[g]);
    }
  }

  // The table of a group; null when its entries are computed.
  const double* of(std::size_t group) const {
    return offsets_[group] == kNone ? nullptr : numbers_.data() + offsets_[group];
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::size_t> offsets_;
  std::vector<double> numbers_;
};

// Adds what a leaf gives its features to an entry of its group. given: as path_shares or path_pairs write it.
void add_leaf(std::span<const GroupTerm> terms, GroupEntry kind, const double* given, const double* value,
              std::size_t n_outputs, double* entry);

}  // namespace treewright
