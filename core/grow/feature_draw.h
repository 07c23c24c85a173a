// Which features a node looks at: all of them, or some drawn at random by the node's own generator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "base/types.h"

namespace treewright {

class FeatureDraw {
 public:
  FeatureDraw(FeatureId n_features, std::int64_t per_node, std::uint64_t seed)
      : n_features_(n_features), per_node_(per_node), seed_(seed) {}

  bool all() const { return per_node_ <= 0 || per_node_ >= n_features_; }

  // Every feature once, in random order; the first `per_node` of them in the order of their columns, because
  // ties go to the first column. The others follow for nodes in which none of the first varies.
  void draw(std::uint64_t node_key, std::vector<FeatureId>& features) const {
    features.resize(static_cast<std::size_t>(n_features_));
    std::iota(features.begin(), features.end(), FeatureId{0});
    if (all()) return;
    Random random = Random(seed_).split(node_key);
    for (std::size_t i = 0; i + 1 < features.size(); ++i) {
      std::swap(features[i], features[i + static_cast<std::size_t>(random.uniform(features.size() - i))]);
    }
    std::sort(features.begin(), features.begin() + per_node_);
  }

  std::size_t per_node() const { return static_cast<std::size_t>(all() ? n_features_ : per_node_); }

 private:
  FeatureId n_features_;
  std::int64_t per_node_;
  std::uint64_t seed_;
};

// The key of a child follows from its parent's and its branch, never from the order in which nodes are grown.
inline std::uint64_t child_key(std::uint64_t parent, std::uint32_t branch) {
  return mix_bits(parent * 0x9E3779B97F4A7C15U + branch + 1);
}

}  // namespace treewright
