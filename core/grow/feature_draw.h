// Which features a node looks at: all of them, or some drawn at random by the node's own generator; and in
// which order their tests are compared, the first of equally good ones being the winner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/types.h"
#include "grow/plan.h"
#include "grow/tie_order.h"

namespace treewright {

class FeatureDraw {
 public:
  FeatureDraw(FeatureId n_features, const GrowPlan& plan)
      : n_features_(n_features), per_node_(plan.max_features), seed_(plan.seed), order_(n_features) {
    if (plan.draw_ties) order_ = TieOrder::drawn(std::move(order_), plan.seed);
  }

  bool all() const { return per_node_ <= 0 || per_node_ >= n_features_; }

  // The order where nodes look at all features.
  const TieOrder& order() const { return order_; }

  // Every feature once. Where some are drawn they stand in the order in which they were drawn, and those
  // behind the first `per_node` are for nodes in which none of these varies.
  void draw(std::uint64_t node_key, std::vector<FeatureId>& features) const {
    if (all()) return order_.list(node_key, features);
    features.resize(static_cast<std::size_t>(n_features_));
    std::iota(features.begin(), features.end(), FeatureId{0});
    Random random = Random(seed_).split(node_key);
    for (std::size_t i = 0; i + 1 < features.size(); ++i) {
      std::swap(features[i], features[i + static_cast<std::size_t>(random.uniform(features.size() - i))]);
    }
  }

  std::size_t per_node() const { return static_cast<std::size_t>(all() ? n_features_ : per_node_); }

 private:
  FeatureId n_features_;
  std::int64_t per_node_;
  std::uint64_t seed_;
  TieOrder order_;
};

// The key of a child follows from its parent's and its branch, never from the order in which nodes are grown.
inline std::uint64_t child_key(std::uint64_t parent, std::uint32_t branch) {
  return mix_bits(parent * 0x9E3779B97F4A7C15U + branch + 1);
}

}  // namespace treewright
