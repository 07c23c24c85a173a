#include "explain/leaf_bundles.h"

#include <algorithm>
#include <set>

#include "explain/quadrature.h"

namespace treewright {

namespace {

constexpr std::size_t kFewestPoints = 2 * Quadrature::kLanes;

// For each edge: whether it may be the first of a bundle as far as its size, the kinds of its tests and the
// leaves below tell.
std::vector<std::uint8_t> candidates(const GameTree& tree, std::span<const std::uint8_t> is_deep) {
  const std::span<const GameEdge> edges = tree.edges();
  std::vector<std::uint8_t> may(edges.size(), 0);
  std::vector<std::uint32_t> n_children(edges.size(), 0);
  std::vector<std::uint8_t> is_odd(edges.size(), 0);  // something below is not for a bundle
  for (std::size_t e = edges.size(); e-- > 1;) {
    const auto size = static_cast<std::size_t>(edges[e].end) - e;
    if (is_deep[e] == 0 || (!edges[e].is_leaf && n_children[e] != 2)) is_odd[e] = 1;
    may[e] = is_odd[e] == 0 && size <= LeafBundles::kMostEdges ? 1 : 0;
    const auto parent = static_cast<std::size_t>(edges[e].parent);
    ++n_children[parent];
    if (is_odd[e] != 0 || edges[e].branch == kStopHere) is_odd[parent] = 1;
  }
  return may;
}

}  // namespace

LeafBundles::LeafBundles(const GameTree& tree, std::span<const std::uint8_t> is_deep) {
  const std::span<const GameEdge> edges = tree.edges();
  if (is_deep[0] == 0) return;
  const std::vector<std::uint8_t> may = candidates(tree, is_deep);
  for (std::size_t e = 1; e < edges.size();) {
    const bool is_bundle = may[e] != 0 && add_bundle(tree, e);
    e = is_bundle || is_deep[e] == 0 ? static_cast<std::size_t>(edges[e].end) : e + 1;
  }
  add_passes(tree);
}

// False when a row would have too many bits in it; a leaf never has.
bool LeafBundles::add_bundle(const GameTree& tree, std::size_t edge) {
  const std::span<const GameEdge> all = tree.edges();
  LeafBundle bundle{};
  bundle.edge = static_cast<std::uint32_t>(edge);
  bundle.first_edge = static_cast<std::uint32_t>(edges_.size());
  bundle.first_test = static_cast<std::uint32_t>(tests_.size());
  bundle.first_older = static_cast<std::uint32_t>(older_levels_.size());
  bundle.first_slot = static_cast<std::uint32_t>(features_.size());
  const std::int32_t level = all[edge].level;
  const auto end = static_cast<std::size_t>(all[edge].end);
  std::vector<std::uint8_t> bit_of(end - edge, 0);  // of the test behind an edge
  std::vector<std::uint8_t> older_slots;            // by bit of older edges above
  std::size_t most_places = 0;
  for (std::size_t e = edge; e < end; ++e) {
    if (all[e].is_leaf) {
      most_places = std::max(most_places, static_cast<std::size_t>(all[e].n_places));
      continue;
    }
    tests_.push_back(all[e].to);
    bit_of[e - edge] = static_cast<std::uint8_t>(tests_.size() - bundle.first_test);
  }
  bundle.n_tests = static_cast<std::uint32_t>(tests_.size()) - bundle.first_test;
  for (std::size_t e = edge; e < end; ++e) {
    BundleEdge one{BundleEdge::kNone, 0, 1, BundleEdge::kNone, BundleEdge::kNone, 0};
    const auto begin = features_.begin() + bundle.first_slot;
    const auto found = std::find(begin, features_.end(), all[e].feature);
    one.slot = static_cast<std::uint8_t>(found - begin);
    if (found == features_.end()) features_.push_back(all[e].feature);
    if (e > edge) {
      const std::size_t parent = static_cast<std::size_t>(all[e].parent) - edge;
      one.parent = static_cast<std::uint8_t>(parent);
      one.bit = bit_of[parent];
      one.want = static_cast<std::uint8_t>(all[e].branch);
    }
    if (all[e].older >= level) {
      std::size_t at = e;
      while (all[at].level > all[e].older) at = static_cast<std::size_t>(all[at].parent);
      one.older = static_cast<std::uint8_t>(at - edge);
    } else if (all[e].older >= 0) {
      const auto known = std::find(older_slots.begin(), older_slots.end(), one.slot);
      one.older_bit = static_cast<std::uint8_t>(1 + bundle.n_tests + (known - older_slots.begin()));
      if (known == older_slots.end()) {
        older_slots.push_back(one.slot);
        older_levels_.push_back(static_cast<std::uint32_t>(all[e].older));
      }
    }
    edges_.push_back(one);
  }
  bundle.n_edges = static_cast<std::uint32_t>(edges_.size()) - bundle.first_edge;
  bundle.n_older = static_cast<std::uint32_t>(older_levels_.size()) - bundle.first_older;
  bundle.n_slots = static_cast<std::uint32_t>(features_.size()) - bundle.first_slot;
  bundle.n_points = static_cast<std::uint32_t>(std::max(kFewestPoints, Quadrature::points_for(most_places)));
  if (bundle.n_states() > std::size_t{1} << kMostBits) {
    edges_.resize(bundle.first_edge);
    tests_.resize(bundle.first_test);
    older_levels_.resize(bundle.first_older);
    features_.resize(bundle.first_slot);
    return false;
  }
  bundles_.push_back(bundle);
  return true;
}

// The way through all bundles that need more than above_points and at most n_points.
BundlePass LeafBundles::pass_of(const GameTree& tree, std::size_t above_points, std::size_t n_points) const {
  const std::span<const GameEdge> all = tree.edges();
  BundlePass pass{n_points, {}};
  std::vector<std::size_t> open, missing;  // edges on the way; those between it and the next bundle
  for (std::size_t i = 0; i < bundles_.size(); ++i) {
    const LeafBundle& bundle = bundles_[i];
    if (bundle.n_points <= above_points || bundle.n_points > n_points) continue;
    missing.clear();
    auto at = static_cast<std::size_t>(all[bundle.edge].parent);
    const auto is_open = [&](std::size_t edge) {
      const auto level = static_cast<std::size_t>(all[edge].level);
      return level == 0 || (level <= open.size() && open[level - 1] == edge);
    };
    for (; !is_open(at); at = static_cast<std::size_t>(all[at].parent)) missing.push_back(at);
    for (; open.size() > static_cast<std::size_t>(all[at].level); open.pop_back()) {
      pass.steps.push_back({BundleStep::Kind::kLeave, static_cast<std::uint32_t>(open.back())});
    }
    for (; !missing.empty(); missing.pop_back()) {
      open.push_back(missing.back());
      pass.steps.push_back({BundleStep::Kind::kEnter, static_cast<std::uint32_t>(open.back())});
    }
    pass.steps.push_back({BundleStep::Kind::kBundle, static_cast<std::uint32_t>(i)});
  }
  for (; !open.empty(); open.pop_back()) {
    pass.steps.push_back({BundleStep::Kind::kLeave, static_cast<std::uint32_t>(open.back())});
  }
  return pass;
}

// Passes are joined where fewer steps are worth more points.
void LeafBundles::add_passes(const GameTree& tree) {
  std::set<std::size_t> sizes;
  for (const LeafBundle& bundle : bundles_) sizes.insert(bundle.n_points);
  const auto work = [](const BundlePass& pass) { return pass.steps.size() * pass.n_points; };
  std::size_t below = 0, last = 0;  // the last pass takes more than `below` points
  for (const std::size_t size : sizes) {
    BundlePass own = pass_of(tree, last, size);
    if (!passes_.empty()) {
      BundlePass joined = pass_of(tree, below, size);
      if (work(joined) <= work(passes_.back()) + work(own)) {
        passes_.back() = std::move(joined);
        last = size;
        continue;
      }
    }
    below = last;
    last = size;
    passes_.push_back(std::move(own));
  }
}

}  // namespace treewright
