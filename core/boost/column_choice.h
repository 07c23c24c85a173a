// ColumnChoice: which columns the nodes of a tree may cut, by draws for the tree, the level and the node, and
// by interaction constraints. A draw depends on the seed, the tree and the node's place in it, on nothing
// else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/types.h"
#include "boost/boost_plan.h"

namespace treewright {

class ColumnChoice {
 public:
  ColumnChoice(const BoostPlan& plan, FeatureId n_features)
      : plan_(plan), n_features_(static_cast<std::size_t>(n_features)) {}

  void begin_tree(std::uint64_t round, std::size_t output) {
    random_ = Random(plan_.seed).split(round).split(output);
    tree_.resize(n_features_);
    std::iota(tree_.begin(), tree_.end(), FeatureId{0});
    tree_ = drawn(tree_, plan_.max_features_tree, random_);
  }
  void begin_level(std::int64_t depth) {
    level_ = drawn(tree_, plan_.max_features_level, random_.split(static_cast<std::uint64_t>(depth) + 1));
  }

  // Ascending.
  const std::vector<FeatureId>& of_tree() const { return tree_; }
  const std::vector<FeatureId>& of_level() const { return level_; }

  // One flag per column; empty: all columns of the level. `path`: columns that the node's ancestors cut.
  std::vector<char> of_node(std::uint64_t node_key, std::span<const FeatureId> path) const {
    const auto per_node = static_cast<std::size_t>(plan_.max_features_node);
    const bool few = plan_.max_features_node > 0 && per_node < level_.size();
    const bool constrained = !plan_.interactions.empty() && !path.empty();
    if (!few && !constrained) return {};
    std::vector<char> flags(n_features_, constrained ? 0 : 1);
    if (constrained) allow_interactions(path, flags);
    if (!few) return flags;
    std::vector<FeatureId> allowed;
    for (const FeatureId feature : level_) {
      if (flags[static_cast<std::size_t>(feature)] != 0) allowed.push_back(feature);
    }
    std::fill(flags.begin(), flags.end(), 0);
    for (const FeatureId feature : drawn(allowed, plan_.max_features_node, random_.split(node_key))) {
      flags[static_cast<std::size_t>(feature)] = 1;
    }
    return flags;
  }

 private:
  // Columns that were cut already, and those of every group that holds all of them.
  void allow_interactions(std::span<const FeatureId> path, std::vector<char>& flags) const {
    for (const FeatureId feature : path) flags[static_cast<std::size_t>(feature)] = 1;
    for (const std::vector<FeatureId>& group : plan_.interactions) {
      const bool holds_all = std::all_of(path.begin(), path.end(), [&](FeatureId feature) {
        return std::find(group.begin(), group.end(), feature) != group.end();
      });
      if (!holds_all) continue;
      for (const FeatureId feature : group) flags[static_cast<std::size_t>(feature)] = 1;
    }
  }

  // `count` of the columns, ascending; all of them for 0.
  static std::vector<FeatureId> drawn(std::vector<FeatureId> columns, std::int64_t count, Random random) {
    const auto wanted = static_cast<std::size_t>(count);
    if (count <= 0 || wanted >= columns.size()) return columns;
    for (std::size_t i = 0; i < wanted; ++i) {
      std::swap(columns[i], columns[i + static_cast<std::size_t>(random.uniform(columns.size() - i))]);
    }
    columns.resize(wanted);
    std::sort(columns.begin(), columns.end());
    return columns;
  }

  const BoostPlan& plan_;
  std::size_t n_features_;
  Random random_;
  std::vector<FeatureId> tree_, level_;
};

}  // namespace treewright
