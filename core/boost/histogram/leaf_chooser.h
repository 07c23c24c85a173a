// LeafChooser: which leaf of the growing tree is split next, and which leaves are worth it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/types.h"
#include "boost/boost_plan.h"
#include "boost/histogram/node_scores.h"
#include "boost/histogram/split_choice.h"
#include "boost/histogram/ticks.h"

namespace treewright {

inline constexpr std::size_t kNoHistogram = static_cast<std::size_t>(-1);

// A leaf that may still be split.
struct OpenLeaf {
  NodeId node = 0;
  std::int64_t depth = 0;
  std::uint64_t key = 0;  // of random draws
  std::size_t rows = 0;
  TickSums sums;
  ValueBounds bounds;
  std::vector<FeatureId> path;  // features used so far, when constraints ask for them
  std::vector<char> columns;    // which may be used; empty = all
  std::vector<char> hopeless;   // which had no test worth making here or above; empty = none is known
  std::size_t histogram = kNoHistogram;  // none: a small node, which is searched from its rows
  SplitChoice best;

  bool may_use(std::size_t column) const {
    return (columns.empty() || columns[column] != 0) && (hopeless.empty() || hopeless[column] == 0);
  }
};

class LeafChooser {
 public:
  explicit LeafChooser(const BoostPlan& plan) : plan_(plan) {}

  void begin_tree(double gamma) {
    gamma_ = gamma;
    open_.clear();
    n_leaves_ = 1;
  }

  // Whether one leaf is split before another that is younger.
  bool comes_before(const OpenLeaf& leaf, const OpenLeaf& other) const {
    return plan_.order == BoostOrder::kLeafWise ? leaf.best.gain > other.best.gain : leaf.depth < other.depth;
  }
  std::int64_t max_leaves() const { return plan_.max_leaves; }
  // Whether the tree has as many leaves as it may.
  bool is_full() const { return n_leaves_ >= plan_.max_leaves; }
  // Whether any test could leave enough on both sides of a leaf with this hessian.
  bool may_split(const OpenLeaf& leaf, double hessian) const;
  // Whether the best test of a leaf pays.
  bool is_worth_splitting(const OpenLeaf& leaf) const { return leaf.best && leaf.best.gain > least_gain(); }
  // Notes the columns that had no test worth making, from the best test of each.
  void mark_hopeless(OpenLeaf& leaf, const std::vector<SplitChoice>& candidates) const;

  void add(OpenLeaf leaf) { open_.push_back(std::move(leaf)); }
  // The leaf to be split next, which is two leaves from now on; none: the tree is done.
  std::optional<OpenLeaf> take();

 private:
  // The leaf-wise booster refuses splits that do not pay; the depth-wise one makes them and prunes later,
  // because what follows them may pay for both.
  double least_gain() const { return plan_.order == BoostOrder::kLeafWise ? std::max(gamma_, 0.0) : 0.0; }

  const BoostPlan& plan_;
  double gamma_ = 0;
  std::vector<OpenLeaf> open_;  // the older ones first
  std::int64_t n_leaves_ = 0;
};

inline bool LeafChooser::may_split(const OpenLeaf& leaf, double hessian) const {
  if (leaf.depth >= plan_.max_depth) return false;
  if (leaf.rows < 2 * static_cast<std::size_t>(std::max<std::int64_t>(plan_.min_rows_leaf, 1))) return false;
  return hessian >= 2 * plan_.min_hessian_leaf;
}

inline void LeafChooser::mark_hopeless(OpenLeaf& leaf, const std::vector<SplitChoice>& candidates) const {
  if (!plan_.drop_hopeless) return;
  const std::vector<char> before = std::move(leaf.hopeless);
  leaf.hopeless.assign(candidates.size(), 0);
  for (std::size_t f = 0; f < candidates.size(); ++f) {
    const bool was_asked = leaf.columns.empty() || leaf.columns[f] != 0;
    const bool found = candidates[f] && candidates[f].gain > least_gain();
    leaf.hopeless[f] = (was_asked && !found) || (!before.empty() && before[f] != 0) ? 1 : 0;
  }
}

inline std::optional<OpenLeaf> LeafChooser::take() {
  if (is_full() || open_.empty()) return std::nullopt;
  std::size_t best = 0;
  for (std::size_t i = 1; i < open_.size(); ++i) {
    if (comes_before(open_[i], open_[best])) best = i;
  }
  OpenLeaf taken = std::move(open_[best]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(best));  // in order: ties go to the older leaf
  ++n_leaves_;
  return taken;
}

}  // namespace treewright
