// LeafBundles: the leaves of long paths, in bundles that a block of rows asks at once.
//
// A bundle is an edge with all below it, at most a few tests. What it gives depends on few bits of a row: the
// answers of its tests, and whether features that were tested above are passed there. Rows with equal bits
// share an entry (block_walk.h). Bundles are walked in passes, one for each number of points that their paths
// need: a tree with one very long path does not make all others expensive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/game_tree.h"

namespace treewright {

struct BundleEdge {
  static constexpr std::uint8_t kNone = 0xff;
  std::uint8_t parent;     // in the bundle; of the first edge: none
  std::uint8_t bit;        // of the answer that it asks
  std::uint8_t want;       // that answer
  std::uint8_t older;      // the nearest edge above with the same feature, if it is in the bundle
  std::uint8_t older_bit;  // otherwise: of whether the feature is passed above the bundle
  std::uint8_t slot;       // of its feature, among those of the bundle
};

struct LeafBundle {
  std::uint32_t edge;  // the first one
  std::uint32_t first_edge, n_edges;
  std::uint32_t first_test, n_tests;   // their bits are 1, 2, …; bit 0 is the answer above
  std::uint32_t first_older, n_older;  // levels of older edges above; their bits follow
  std::uint32_t first_slot, n_slots;
  std::uint32_t n_points;  // that its paths need
  std::size_t n_states() const { return std::size_t{1} << (1 + n_tests + n_older); }
};

struct BundleStep {
  enum class Kind : std::uint8_t { kEnter, kBundle, kLeave };
  Kind kind;
  std::uint32_t number;  // of the edge or bundle
};

struct BundlePass {
  std::size_t n_points;
  std::vector<BundleStep> steps;
};

class LeafBundles {
 public:
  static constexpr std::size_t kMostEdges = 7;
  static constexpr std::size_t kMostBits = 5;

  // is_deep: one per edge, whether leaves below it are to be bundled.
  LeafBundles(const GameTree& tree, std::span<const std::uint8_t> is_deep);

  std::span<const BundlePass> passes() const { return passes_; }
  const LeafBundle& bundle(std::size_t i) const { return bundles_[i]; }
  std::span<const BundleEdge> edges(const LeafBundle& bundle) const {
    return {edges_.data() + bundle.first_edge, bundle.n_edges};
  }
  std::span<const NodeId> tests(const LeafBundle& bundle) const {
    return {tests_.data() + bundle.first_test, bundle.n_tests};
  }
  std::span<const std::uint32_t> older_levels(const LeafBundle& bundle) const {
    return {older_levels_.data() + bundle.first_older, bundle.n_older};
  }
  std::span<const FeatureId> features(const LeafBundle& bundle) const {
    return {features_.data() + bundle.first_slot, bundle.n_slots};
  }

 private:
  bool add_bundle(const GameTree& tree, std::size_t edge);
  BundlePass pass_of(const GameTree& tree, std::size_t above_points, std::size_t n_points) const;
  void add_passes(const GameTree& tree);

  std::vector<LeafBundle> bundles_;
  std::vector<BundleEdge> edges_;
  std::vector<NodeId> tests_;
  std::vector<std::uint32_t> older_levels_;
  std::vector<FeatureId> features_;
  std::vector<BundlePass> passes_;
};

}  // namespace treewright
