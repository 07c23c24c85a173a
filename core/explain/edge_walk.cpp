#include "explain/edge_walk.h"

#include <algorithm>

#include "base/processor.h"

namespace treewright {

namespace {

constexpr std::size_t kFour = Quadrature::kLanes;

// Lane by lane, then the four lanes: the same on every processor.
TREEWRIGHT_INLINE double sum_of_products(const double* a, const double* b, std::size_t n) {
  double lane[kFour] = {};
  for (std::size_t block = 0; block < n; block += kFour) {
    for (std::size_t l = 0; l < kFour; ++l) lane[l] += a[block + l] * b[block + l];
  }
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// What a walk reads and writes. kPoints = 0: as many as there are.
struct Walk {
  const GameTree& tree;
  std::span<const GameEdge> edges;
  const Quadrature& points;
  std::span<const std::uint8_t> wanted;
  const std::uint32_t* answers;
  const std::uint32_t* other;  // of the row that stands for what is not known; null: the training rows do
  double factor;
  EdgeWalk::Level* levels;
  double *product, *inverse, *slope, *collected;
  EdgeWalk::Target target;
};

// How much of a row with these answers passes an edge.
TREEWRIGHT_INLINE double passing(const std::uint32_t* answers, const GameEdge& edge) {
  const std::uint32_t answer = answers[edge.parent];
  if (answer == kEveryBranch && edge.branch != kStopHere) return edge.z;
  return answer == edge.branch ? 1.0 : 0.0;
}

// Goes down an edge; false when nothing passes it, neither the row nor training rows. whole_slope: without
// what an older edge of the feature has counted.
template <std::size_t kPoints>
TREEWRIGHT_INLINE bool enter(const Walk& walk, const GameEdge& edge, bool whole_slope) {
  const std::size_t n = kPoints == 0 ? walk.points.size() : kPoints;
  const bool has_older = edge.older >= 0;
  const double own_z = walk.other == nullptr ? edge.z : passing(walk.other, edge);
  double o = passing(walk.answers, edge), z = own_z;
  if (has_older) {
    o *= walk.levels[edge.older].o;
    z *= walk.levels[edge.older].z;
  }
  if (o == 0 && z == 0) return false;
  const auto level = static_cast<std::size_t>(edge.level);
  walk.levels[level] = {&edge, o, z, o == 0};
  const double *at = walk.points.at.data(), *rest = walk.points.rest.data();
  const double* above = walk.product + (level - 1) * n;
  double *product = walk.product + level * n, *slope = walk.slope + level * n;
  if (has_older && walk.levels[edge.older].is_cold) {
    const double* older = walk.slope + static_cast<std::size_t>(edge.older) * n;
    for (std::size_t q = 0; q < n; ++q) product[q] = above[q] * own_z;
    for (std::size_t q = 0; q < n; ++q) slope[q] = whole_slope ? older[q] : 0.0;
    return true;
  }
  const double* older_inverse = has_older ? walk.inverse + static_cast<std::size_t>(edge.older) * n : nullptr;
  if (o == 0) {
    for (std::size_t q = 0; q < n; ++q) product[q] = above[q] * (rest[q] * z);
    std::copy_n(walk.points.fall.data(), n, slope);
  } else {
    double* inverse = walk.inverse + level * n;
    for (std::size_t q = 0; q < n; ++q) {
      const double factor = at[q] * o + rest[q] * z;
      inverse[q] = 1.0 / factor;
      product[q] = above[q] * factor;
      slope[q] = (o - z) * inverse[q];
    }
  }
  if (has_older) {
    const double difference = walk.levels[edge.older].o - walk.levels[edge.older].z;
    for (std::size_t q = 0; q < n; ++q) product[q] *= older_inverse[q];
    if (!whole_slope) {
      for (std::size_t q = 0; q < n; ++q) slope[q] -= difference * older_inverse[q];
    }
  }
  return true;
}

template <std::size_t kPoints>
TREEWRIGHT_INLINE void leave(const Walk& walk, std::size_t level) {
  const std::size_t n = kPoints == 0 ? walk.points.size() : kPoints, n_outputs = walk.target.n_outputs;
  const double *own = walk.collected + level * n_outputs * n, *slope = walk.slope + level * n;
  double* above = walk.collected + (level - 1) * n_outputs * n;
  double* to =
      walk.target.out + static_cast<std::size_t>(walk.levels[level].edge->feature) * walk.target.feature_step;
  for (std::size_t k = 0; k < n_outputs; ++k) {
    to[k] += sum_of_products(own + k * n, slope, n);
    for (std::size_t q = 0; q < n; ++q) above[k * n + q] += own[k * n + q];
  }
}

template <std::size_t kPoints>
TREEWRIGHT_INLINE void add_leaf(const Walk& walk, const GameEdge& edge) {
  const std::size_t n = kPoints == 0 ? walk.points.size() : kPoints, n_outputs = walk.target.n_outputs;
  const auto level = static_cast<std::size_t>(edge.level);
  const double *product = walk.product + level * n, *value = walk.tree.value(edge);
  const double given = sum_of_products(product, walk.slope + level * n, n);
  double* above = walk.collected + (level - 1) * n_outputs * n;
  double* to = walk.target.out + static_cast<std::size_t>(edge.feature) * walk.target.feature_step;
  for (std::size_t k = 0; k < n_outputs; ++k) {
    to[k] += given * value[k];
    for (std::size_t q = 0; q < n; ++q) above[k * n + q] += product[q] * value[k];
  }
}

template <std::size_t kPoints>
TREEWRIGHT_INLINE void walk_edges(const Walk& walk) {
  const std::size_t n = kPoints == 0 ? walk.points.size() : kPoints, n_outputs = walk.target.n_outputs;
  for (std::size_t q = 0; q < n; ++q) walk.product[q] = walk.factor * walk.points.weight[q];
  std::fill_n(walk.collected, n_outputs * n, 0.0);
  std::size_t open = 0;
  for (std::size_t e = 1; e < walk.edges.size();) {
    const GameEdge& edge = walk.edges[e];
    const auto level = static_cast<std::size_t>(edge.level);
    for (; open >= level; --open) leave<kPoints>(walk, open);
    if ((!walk.wanted.empty() && walk.wanted[e] == 0) || !enter<kPoints>(walk, edge, false)) {
      e = static_cast<std::size_t>(edge.end);
      continue;
    }
    if (edge.is_leaf) {
      add_leaf<kPoints>(walk, edge);
    } else {
      std::fill_n(walk.collected + level * n_outputs * n, n_outputs * n, 0.0);
      open = level;
    }
    ++e;
  }
  for (; open > 0; --open) leave<kPoints>(walk, open);
}

// The features of a path two by two; `own` holds the levels of the last test of each.
TREEWRIGHT_INLINE void add_leaf_pairs(const Walk& walk, const GameEdge& edge, std::vector<std::size_t>& own,
                                      std::vector<double>& scaled) {
  const std::size_t n = walk.points.size(), n_outputs = walk.target.n_outputs;
  own.clear();
  const auto deepest = static_cast<std::size_t>(edge.level);
  for (std::size_t level = deepest; level > 0; --level) {
    const FeatureId feature = walk.levels[level].edge->feature;
    const bool is_known = std::any_of(own.begin(), own.end(), [&](std::size_t other) {
      return walk.levels[other].edge->feature == feature;
    });
    if (!is_known) own.push_back(level);
  }
  const double *product = walk.product + deepest * n, *value = walk.tree.value(edge);
  scaled.resize(n);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double* slope = walk.slope + own[i] * n;
    for (std::size_t q = 0; q < n; ++q) scaled[q] = 0.5 * product[q] * slope[q];
    const auto a = static_cast<std::size_t>(walk.levels[own[i]].edge->feature);
    for (std::size_t j = i + 1; j < own.size(); ++j) {
      const auto b = static_cast<std::size_t>(walk.levels[own[j]].edge->feature);
      const double given = sum_of_products(scaled.data(), walk.slope + own[j] * n, n);
      const std::size_t pair = std::min(a, b) * walk.target.n_features + std::max(a, b);
      double* to = walk.target.out + pair * walk.target.feature_step;
      for (std::size_t k = 0; k < n_outputs; ++k) to[k] += given * value[k];
    }
  }
}

TREEWRIGHT_WIDE_REGISTERS
void walk_all(const Walk& walk) {
  switch (walk.points.size()) {
    case 4: return walk_edges<4>(walk);
    case 8: return walk_edges<8>(walk);
    case 12: return walk_edges<12>(walk);
    case 16: return walk_edges<16>(walk);
    default: return walk_edges<0>(walk);
  }
}

TREEWRIGHT_WIDE_REGISTERS
void walk_all_pairs(const Walk& walk, std::vector<std::size_t>& own, std::vector<double>& scaled) {
  for (std::size_t q = 0; q < walk.points.size(); ++q) walk.product[q] = walk.factor * walk.points.weight[q];
  for (std::size_t e = 1; e < walk.edges.size();) {
    const GameEdge& edge = walk.edges[e];
    if ((!walk.wanted.empty() && walk.wanted[e] == 0) || !enter<0>(walk, edge, true)) {
      e = static_cast<std::size_t>(edge.end);
      continue;
    }
    if (edge.is_leaf) add_leaf_pairs(walk, edge, own, scaled);
    ++e;
  }
}

}  // namespace

void EdgeWalk::make_room(const GameTree& tree, std::size_t n_points) {
  const std::size_t needed = tree.n_levels() * n_points;
  levels_.resize(tree.n_levels());
  if (product_.size() < needed) {
    product_.resize(needed);
    inverse_.resize(needed);
    slope_.resize(needed);
  }
  if (collected_.size() < needed * tree.n_outputs()) collected_.resize(needed * tree.n_outputs());
}

void EdgeWalk::add_shares(const GameTree& tree, const Quadrature& points,
                          std::span<const std::uint8_t> wanted, const std::uint32_t* answers,
                          const std::uint32_t* other, double factor, const Target& target) {
  make_room(tree, points.size());
  walk_all({tree, tree.edges(), points, wanted, answers, other, factor, levels_.data(), product_.data(),
            inverse_.data(), slope_.data(), collected_.data(), target});
}

void EdgeWalk::add_pairs(const GameTree& tree, const Quadrature& points, std::span<const std::uint8_t> wanted,
                         const std::uint32_t* answers, const std::uint32_t* other, double factor,
                         const Target& target) {
  make_room(tree, points.size());
  std::vector<std::size_t> own;
  std::vector<double> scaled;
  walk_all_pairs({tree, tree.edges(), points, wanted, answers, other, factor, levels_.data(), product_.data(),
                  inverse_.data(), slope_.data(), collected_.data(), target},
                 own, scaled);
}

}  // namespace treewright
