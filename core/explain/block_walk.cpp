#include "explain/block_walk.h"

#include <array>

#include "base/processor.h"

namespace treewright {

namespace {

using Word = BlockWalk::Word;

constexpr std::size_t kFour = Quadrature::kLanes;

// How a row meets an edge.
constexpr Word kPasses = 0;  // and has passed all older tests of the feature
constexpr Word kFails = 1;   // having passed them
constexpr Word kIsLost = 2;  // it has failed one of them
constexpr std::size_t kWays = 3;

// What an edge does at the points, by way: numbers that a path is multiplied by, numbers that what is
// collected below is multiplied by for the feature; and one over the factor of rows that pass.
struct Parts {
  double* numbers;
  std::size_t n;
  double* multiplier(std::size_t way) const { return numbers + way * n; }
  double* slope(std::size_t way) const { return numbers + (kWays + way) * n; }
  double* inverse() const { return numbers + 2 * kWays * n; }
  static std::size_t size(std::size_t n) { return (2 * kWays + 1) * n; }
};

struct Older {
  const double* inverse;  // null: none
  double z;
};

TREEWRIGHT_WIDE_REGISTERS
void make_way(const Quadrature& points, const GameEdge& edge, Older older, std::size_t way, Parts parts) {
  const std::size_t n = parts.n;
  const double *at = points.at.data(), *rest = points.rest.data();
  double *multiplier = parts.multiplier(way), *slope = parts.slope(way);
  if (way == kIsLost) {
    std::fill_n(multiplier, n, edge.z);
    std::fill_n(slope, n, 0.0);
    return;
  }
  const double z = edge.z_all;
  if (way == kPasses) {
    double* inverse = parts.inverse();
    for (std::size_t q = 0; q < n; ++q) {
      const double factor = at[q] + rest[q] * z;
      inverse[q] = 1.0 / factor;
      multiplier[q] = factor;
      slope[q] = (1.0 - z) * inverse[q];
    }
  } else {
    for (std::size_t q = 0; q < n; ++q) multiplier[q] = rest[q] * z;
    std::copy_n(points.fall.data(), n, slope);
  }
  if (older.inverse == nullptr) return;
  for (std::size_t q = 0; q < n; ++q) {
    multiplier[q] *= older.inverse[q];
    slope[q] -= (1.0 - older.z) * older.inverse[q];
  }
}

// Lane by lane, then the four lanes: the same on every processor.
template <std::size_t kPoints>
TREEWRIGHT_INLINE double sum_of_products(const double* a, const double* b, std::size_t n_points) {
  const std::size_t n = kPoints == 0 ? n_points : kPoints;
  double lane[kFour] = {};
  for (std::size_t block = 0; block < n; block += kFour) {
    for (std::size_t l = 0; l < kFour; ++l) lane[l] += a[block + l] * b[block + l];
  }
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

struct Rows {
  std::size_t count;
  std::size_t n_points;
  std::size_t n_outputs;
  double* const* out;
  std::size_t feature_step;
};

template <std::size_t kPoints>
TREEWRIGHT_INLINE void multiply(const Rows& rows, const Word* ways, const double* multipliers,
                                const double* above, double* product) {
  const std::size_t n = kPoints == 0 ? rows.n_points : kPoints;
  for (std::size_t r = 0; r < rows.count; ++r) {
    const double* multiplier = multipliers + ways[r] * n;
    for (std::size_t q = 0; q < n; ++q) product[r * n + q] = above[r * n + q] * multiplier[q];
  }
}

template <std::size_t kPoints>
TREEWRIGHT_INLINE void give_back(const Rows& rows, const Word* ways, const double* slopes,
                                 std::size_t feature, const double* own, double* above) {
  const std::size_t n = kPoints == 0 ? rows.n_points : kPoints;
  for (std::size_t r = 0; r < rows.count; ++r) {
    const double* slope = slopes + ways[r] * n;
    double* to = rows.out[r] + feature * rows.feature_step;
    for (std::size_t k = 0; k < rows.n_outputs; ++k, own += n, above += n) {
      to[k] += sum_of_products<kPoints>(own, slope, n);
      for (std::size_t q = 0; q < n; ++q) above[q] += own[q];
    }
  }
}

template <std::size_t kPoints>
TREEWRIGHT_INLINE void add_entries(const Rows& rows, const Word* states, const double* entries,
                                   std::span<const FeatureId> features, const double* product,
                                   double* above) {
  const std::size_t n = kPoints == 0 ? rows.n_points : kPoints, n_outputs = rows.n_outputs;
  const std::size_t width = (1 + features.size()) * n_outputs * n;
  for (std::size_t r = 0; r < rows.count; ++r, product += n) {
    const double* entry = entries + states[r] * width;
    for (std::size_t k = 0; k < n_outputs; ++k, above += n, entry += n) {
      for (std::size_t q = 0; q < n; ++q) above[q] += product[q] * entry[q];
    }
    for (const FeatureId feature : features) {
      double* to = rows.out[r] + static_cast<std::size_t>(feature) * rows.feature_step;
      for (std::size_t k = 0; k < n_outputs; ++k, entry += n) {
        to[k] += sum_of_products<kPoints>(product, entry, n);
      }
    }
  }
}

TREEWRIGHT_WIDE_REGISTERS
void multiply_rows(const Rows& rows, const Word* ways, const double* multipliers, const double* above,
                   double* product) {
  switch (rows.n_points) {
    case 8: return multiply<8>(rows, ways, multipliers, above, product);
    case 12: return multiply<12>(rows, ways, multipliers, above, product);
    default: return multiply<0>(rows, ways, multipliers, above, product);
  }
}

TREEWRIGHT_WIDE_REGISTERS
void give_back_rows(const Rows& rows, const Word* ways, const double* slopes, std::size_t feature,
                    const double* own, double* above) {
  switch (rows.n_points) {
    case 8: return give_back<8>(rows, ways, slopes, feature, own, above);
    case 12: return give_back<12>(rows, ways, slopes, feature, own, above);
    default: return give_back<0>(rows, ways, slopes, feature, own, above);
  }
}

TREEWRIGHT_WIDE_REGISTERS
void add_entries_of_rows(const Rows& rows, const Word* states, const double* entries,
                         std::span<const FeatureId> features, const double* product, double* above) {
  switch (rows.n_points) {
    case 8: return add_entries<8>(rows, states, entries, features, product, above);
    case 12: return add_entries<12>(rows, states, entries, features, product, above);
    default: return add_entries<0>(rows, states, entries, features, product, above);
  }
}

// older: ways of the nearest edge above with the same feature; null: none.
TREEWRIGHT_WIDE_REGISTERS
Word find_ways(const Word* answers, Word branch, const Word* older, std::size_t n, Word* ways) {
  Word seen = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const Word own = answers[r] == branch ? kPasses : kFails;
    ways[r] = older == nullptr || older[r] == kPasses ? own : kIsLost;
    seen |= Word{1} << ways[r];
  }
  return seen;
}

TREEWRIGHT_WIDE_REGISTERS
void add_bit(const Word* values, Word want, std::uint32_t bit, std::size_t n, Word* states) {
  for (std::size_t r = 0; r < n; ++r) states[r] |= static_cast<Word>(values[r] == want) << bit;
}

// An entry of a bundle: what all its leaves give to the product above, then for each feature the numbers
// whose product with it is the feature's share. product, own: room for each edge.
TREEWRIGHT_WIDE_REGISTERS
void write_entry(const GameTree& tree, const LeafBundle& bundle, std::span<const BundleEdge> edges,
                 const Word* ways, const double* parts, std::size_t n, std::size_t n_outputs, double* product,
                 double* own, double* entry) {
  const std::size_t per_edge = n_outputs * n;
  std::fill_n(entry, (1 + bundle.n_slots) * per_edge, 0.0);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double* multiplier = parts + i * Parts::size(n) + ways[i] * n;
    double* to = product + i * n;
    if (i == 0) {
      std::copy_n(multiplier, n, to);
    } else {
      const double* above = product + edges[i].parent * n;
      for (std::size_t q = 0; q < n; ++q) to[q] = above[q] * multiplier[q];
    }
    const GameEdge& edge = tree.edges()[bundle.edge + i];
    for (std::size_t k = 0; k < n_outputs; ++k) {
      const double value = edge.is_leaf ? tree.value(edge)[k] : 0.0;
      for (std::size_t q = 0; q < n; ++q) own[i * per_edge + k * n + q] = edge.is_leaf ? to[q] * value : 0.0;
    }
  }
  for (std::size_t i = edges.size(); i-- > 0;) {
    const double* slope = parts + i * Parts::size(n) + (kWays + ways[i]) * n;
    double* share = entry + (1 + edges[i].slot) * per_edge;
    double* above = i == 0 ? entry : own + edges[i].parent * per_edge;
    const double* from = own + i * per_edge;
    for (std::size_t k = 0; k < n_outputs; ++k) {
      for (std::size_t q = 0; q < n; ++q) share[k * n + q] += from[k * n + q] * slope[q];
      for (std::size_t q = 0; q < n; ++q) above[k * n + q] += from[k * n + q];
    }
  }
}

}  // namespace

std::size_t BlockWalk::rows_at_once(const GameTree& tree, std::size_t n_points, std::size_t n_outputs) {
  constexpr std::size_t kNumbers = (std::size_t{1} << 21) / sizeof(double), kMost = 128;
  return std::clamp(kNumbers / (tree.n_levels() * n_points * n_outputs), std::size_t{1}, kMost);
}

void BlockWalk::start(const GameTree& tree, const Quadrature& points, std::size_t begin, std::size_t n_rows,
                      const Target& target) {
  tree_ = &tree;
  points_ = &points;
  target_ = target;
  begin_ = begin;
  n_rows_ = n_rows;
  const std::size_t n = points.size(), n_levels = tree.n_levels();
  const auto make_room = [](auto& numbers, std::size_t needed) {
    if (numbers.size() < needed) numbers.resize(needed);
  };
  make_room(answers_, n_levels * n_rows);
  make_room(ways_, n_levels * n_rows);
  make_room(states_, n_rows);
  make_room(one_test_, n_rows);
  make_room(product_, n_levels * n_rows * n);
  make_room(collected_, n_levels * n_rows * n * target.n_outputs);
  make_room(parts_, n_levels * Parts::size(n));
  make_room(z_, n_levels);
  out_.resize(n_rows);
  for (std::size_t r = 0; r < n_rows; ++r) {
    out_[r] = target.out + (begin + r) * target.row_step;
    if (target.is_left_out.empty() || target.is_left_out[begin + r] == 0) continue;
    make_room(nobody_, target.row_step);
    out_[r] = nobody_.data();
  }
  for (std::size_t r = 0; r < n_rows; ++r) std::copy_n(points.weight.data(), n, product_.data() + r * n);
  std::fill_n(collected_.data(), n_rows * n * target.n_outputs, 0.0);
}

void BlockWalk::enter(const GameEdge& edge) {
  const std::size_t n = points_->size(), step = n_rows_ * n;
  const auto level = static_cast<std::size_t>(edge.level);
  const Parts parts{parts_.data() + level * Parts::size(n), n};
  Older older{nullptr, 0};
  const Word* older_ways = nullptr;
  if (edge.older >= 0) {
    const auto above = static_cast<std::size_t>(edge.older);
    older = {Parts{parts_.data() + above * Parts::size(n), n}.inverse(), z_[above]};
    older_ways = ways_.data() + above * n_rows_;
  }
  Word* ways = ways_.data() + level * n_rows_;
  const Word seen =
      find_ways(answers_.data() + (level - 1) * n_rows_, edge.branch, older_ways, n_rows_, ways);
  z_[level] = edge.z_all;
  for (std::size_t way = 0; way < kWays; ++way) {
    if ((seen >> way & 1U) != 0) make_way(*points_, edge, older, way, parts);
  }
  const Rows rows{n_rows_, n, target_.n_outputs, out_.data(), target_.feature_step};
  multiply_rows(rows, ways, parts.multiplier(0), product_.data() + (level - 1) * step,
                product_.data() + level * step);
  std::fill_n(collected_.data() + level * step * target_.n_outputs, step * target_.n_outputs, 0.0);
}

void BlockWalk::leave(const GameEdge& edge) {
  const std::size_t n = points_->size(), step = n_rows_ * n * target_.n_outputs;
  const auto level = static_cast<std::size_t>(edge.level);
  const Rows rows{n_rows_, n, target_.n_outputs, out_.data(), target_.feature_step};
  give_back_rows(rows, ways_.data() + level * n_rows_,
                 Parts{parts_.data() + level * Parts::size(n), n}.slope(0),
                 static_cast<std::size_t>(edge.feature), collected_.data() + level * step,
                 collected_.data() + (level - 1) * step);
}

void BlockWalk::begin_states(const GameEdge& edge) {
  std::fill_n(states_.data(), n_rows_, Word{0});
  add_bit(answers_of(edge.level - 1), edge.branch, 0, n_rows_, states_.data());
}

void BlockWalk::add_to_states(std::uint32_t bit) {
  add_bit(one_test_.data(), 1, bit, n_rows_, states_.data());
}

void BlockWalk::add_bundle(const LeafBundles& bundles, const LeafBundle& bundle, std::uint32_t next_bit) {
  for (const std::uint32_t level : bundles.older_levels(bundle)) {
    add_bit(ways_.data() + level * n_rows_, kPasses, next_bit++, n_rows_, states_.data());
  }
  const std::size_t n = points_->size(), n_outputs = target_.n_outputs;
  const std::size_t width = (1 + bundle.n_slots) * n_outputs * n, per_edge = Parts::size(n);
  const std::size_t room = LeafBundles::kMostEdges * (per_edge + n + n_outputs * n);
  const std::size_t needed = room + bundle.n_states() * width;
  if (of_bundle_.size() < needed) of_bundle_.resize(needed);
  double* parts = of_bundle_.data();
  double* product = parts + LeafBundles::kMostEdges * per_edge;
  double* own = product + LeafBundles::kMostEdges * n;
  double* entries = of_bundle_.data() + room;

  const std::span<const BundleEdge> edges = bundles.edges(bundle);
  std::uint32_t known_states = 0;
  std::array<std::uint8_t, LeafBundles::kMostEdges> known_ways{};
  std::array<Word, LeafBundles::kMostEdges> ways{};
  for (std::size_t r = 0; r < n_rows_; ++r) {
    const auto state = static_cast<std::uint32_t>(states_[r]);
    if ((known_states >> state & 1U) != 0) continue;
    known_states |= 1U << state;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const BundleEdge& one = edges[i];
      const GameEdge& edge = tree_->edges()[bundle.edge + i];
      const bool passes = (state >> one.bit & 1U) == one.want;
      bool is_lost = false;
      Older older{nullptr, 0};
      if (one.older != BundleEdge::kNone) {
        is_lost = ways[one.older] != kPasses;
        older = {Parts{parts + one.older * per_edge, n}.inverse(),
                 tree_->edges()[bundle.edge + one.older].z_all};
      } else if (one.older_bit != BundleEdge::kNone) {
        is_lost = (state >> one.older_bit & 1U) == 0;
        const auto above = static_cast<std::size_t>(edge.older);
        older = {Parts{parts_.data() + above * per_edge, n}.inverse(), z_[above]};
      }
      ways[i] = is_lost ? kIsLost : passes ? kPasses : kFails;
      const auto flag = static_cast<std::uint8_t>(1U << ways[i]);
      if ((known_ways[i] & flag) != 0) continue;
      known_ways[i] = static_cast<std::uint8_t>(known_ways[i] | flag);
      make_way(*points_, edge, older, ways[i], {parts + i * per_edge, n});
    }
    write_entry(*tree_, bundle, edges, ways.data(), parts, n, n_outputs, product, own,
                entries + state * width);
  }
  const std::size_t above = static_cast<std::size_t>(tree_->edges()[bundle.edge].level) - 1;
  const Rows rows{n_rows_, n, n_outputs, out_.data(), target_.feature_step};
  add_entries_of_rows(rows, states_.data(), entries, bundles.features(bundle),
                      product_.data() + above * n_rows_ * n,
                      collected_.data() + above * n_rows_ * n * n_outputs);
}

}  // namespace treewright
