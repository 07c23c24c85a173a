// ColumnDraws: which columns a tree, a level and a node may use, and in which order their tests are compared.
// Each draws from what the one above it has; interaction constraints forbid some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/types.h"
#include "boost/boost_plan.h"
#include "grow/tie_order.h"

namespace treewright {

class ColumnDraws {
 public:
  ColumnDraws(const BoostPlan& plan, FeatureId n_features)
      : plan_(plan), n_features_(static_cast<std::size_t>(n_features)), order_(n_features) {}

  void begin_tree(std::uint64_t key) {
    random_ = Random(key);
    levels_.clear();
    if (!draws_any()) return;
    tree_ = drawn(std::vector<char>(n_features_, 1), plan_.max_features_tree, random_.split(1));
    order_ = TieOrder::drawn(TieOrder(static_cast<FeatureId>(n_features_)), key);
  }

  bool draws_any() const {
    return plan_.max_features_tree > 0 || plan_.max_features_level > 0 || plan_.max_features_node > 0;
  }

  // Of columns that gain the same the first in this order wins: the first of all where nothing is drawn.
  const TieOrder& order() const { return order_; }

  // Whether any node of the tree may use the column.
  bool tree_has(std::size_t feature) const { return !draws_any() || tree_[feature] != 0; }

  // Whether a node may use each column, whose branch has used those of `path`; empty: it may use all. Called
  // by one thread at a time.
  std::vector<char> columns(std::int64_t depth, std::uint64_t node_key, const std::vector<FeatureId>& path) {
    if (plan_.interactions.empty()) {
      return draws_any() ? drawn_columns(depth, node_key) : std::vector<char>();
    }
    std::vector<char> columns = may_follow(path);
    if (!draws_any()) return columns;
    const std::vector<char> drawn = drawn_columns(depth, node_key);
    for (std::size_t f = 0; f < n_features_; ++f) columns[f] = columns[f] != 0 && drawn[f] != 0;
    return columns;
  }

 private:
  std::vector<char> drawn_columns(std::int64_t depth, std::uint64_t node_key) {
    auto level = levels_.find(depth);
    if (level == levels_.end()) {
      const Random random = random_.split(2 + static_cast<std::uint64_t>(depth));
      level = levels_.emplace(depth, drawn(tree_, plan_.max_features_level, random)).first;
    }
    return drawn(level->second, plan_.max_features_node, random_.split(mix_bits(node_key)));
  }

  // Interaction constraints: a branch may use the features of every group that holds all it has used so far.
  std::vector<char> may_follow(const std::vector<FeatureId>& path) const {
    std::vector<char> allowed(n_features_, 0);
    for (const std::vector<FeatureId>& group : plan_.interactions) {
      bool holds_all = true;
      for (const FeatureId used : path) {
        bool found = false;
        for (const FeatureId feature : group) found |= feature == used;
        holds_all &= found;
      }
      if (!holds_all) continue;
      for (const FeatureId feature : group) allowed[static_cast<std::size_t>(feature)] = 1;
    }
    return allowed;
  }

  // Keeps `count` of the columns that are set, each set equally likely.
  static std::vector<char> drawn(std::vector<char> from, std::int64_t count, Random random) {
    std::int64_t left = 0;
    for (const char set : from) left += set != 0 ? 1 : 0;
    if (count <= 0 || count >= left) return from;
    for (char& set : from) {
      if (set == 0) continue;
      const bool keep = random.uniform(static_cast<std::uint64_t>(left)) < static_cast<std::uint64_t>(count);
      --left;
      if (keep) {
        --count;
      } else {
        set = 0;
      }
    }
    return from;
  }

  const BoostPlan& plan_;
  std::size_t n_features_;
  Random random_;
  TieOrder order_;
  std::vector<char> tree_;
  std::map<std::int64_t, std::vector<char>> levels_;
};

}  // namespace treewright
