#include "explain/background.h"

#include <algorithm>

#include "base/processor.h"

namespace treewright {

namespace {

// A leaf's game for all patterns s of a row at once. With c[b] the share of background rows of pattern b,
//
//   sum over b of c[b] * prod_k (t s_k + (1 - t) b_k)
//
// is a product of 2 x 2 matrices, one per feature, so it is applied feature by feature: D * 2^D steps instead
// of 4^D. The matrix of a feature whose share is asked for is (s_k - b_k) instead.
struct Transform {
  std::size_t n_points;
  std::size_t n_patterns;
  const double *at, *rest;
};

TREEWRIGHT_INLINE void mix(const Transform& by, std::size_t feature, double* numbers) {
  const std::size_t bit = std::size_t{1} << feature, n = by.n_points;
  for (std::size_t high = 0; high < by.n_patterns; high += 2 * bit) {
    for (std::size_t low = high; low < high + bit; ++low) {
      double *fails = numbers + low * n, *passes = numbers + (low + bit) * n;
      for (std::size_t q = 0; q < n; ++q) {
        const double without = fails[q], with = passes[q];
        fails[q] = by.rest[q] * with;
        passes[q] = by.at[q] * without + with;
      }
    }
  }
}

TREEWRIGHT_INLINE void difference(const Transform& by, std::size_t feature, double* numbers) {
  const std::size_t bit = std::size_t{1} << feature, n = by.n_points;
  for (std::size_t high = 0; high < by.n_patterns; high += 2 * bit) {
    for (std::size_t low = high; low < high + bit; ++low) {
      double *fails = numbers + low * n, *passes = numbers + (low + bit) * n;
      for (std::size_t q = 0; q < n; ++q) {
        const double without = fails[q];
        fails[q] = -passes[q];
        passes[q] = without;
      }
    }
  }
}

TREEWRIGHT_INLINE void integrate(const Transform& by, const double* weight, const double* numbers,
                                 double factor, double* out, std::size_t step) {
  for (std::size_t s = 0; s < by.n_patterns; ++s) {
    double sum = 0;
    for (std::size_t q = 0; q < by.n_points; ++q) sum += weight[q] * numbers[s * by.n_points + q];
    out[s * step] = factor * sum;
  }
}

struct Room {
  std::vector<double> before, one, two;
};

TREEWRIGHT_WIDE_REGISTERS
void all_shares(const Quadrature& points, std::size_t n, Room& room, double* out) {
  const Transform by{points.size(), std::size_t{1} << n, points.at.data(), points.rest.data()};
  for (std::size_t j = 0; j < n; ++j) {
    room.one = room.before;
    difference(by, j, room.one.data());
    for (std::size_t k = j + 1; k < n; ++k) mix(by, k, room.one.data());
    integrate(by, points.weight.data(), room.one.data(), 1.0, out + j, n);
    mix(by, j, room.before.data());
  }
}

TREEWRIGHT_WIDE_REGISTERS
void all_pairs(const Quadrature& points, std::size_t n, Room& room, double* out) {
  const Transform by{points.size(), std::size_t{1} << n, points.at.data(), points.rest.data()};
  const std::size_t n_pairs = n * (n - 1) / 2;
  for (std::size_t i = 0; i < n; ++i) {
    room.one = room.before;
    difference(by, i, room.one.data());
    for (std::size_t j = i + 1; j < n; ++j) {
      room.two = room.one;
      difference(by, j, room.two.data());
      for (std::size_t k = j + 1; k < n; ++k) mix(by, k, room.two.data());
      integrate(by, points.weight.data(), room.two.data(), 0.5, out + j * (j - 1) / 2 + i, n_pairs);
      mix(by, j, room.one.data());
    }
    mix(by, i, room.before.data());
  }
}

}  // namespace

void BackgroundEntries::write_all(const PatternGroup& group, GroupEntry kind, double* out) const {
  const std::size_t n_outputs = tree_.n_outputs(), width = entry_slots(group, kind) * n_outputs;
  const auto number = static_cast<std::size_t>(&group - groups_.groups().data());
  const double* shares = background_.shares.data() + background_.begin[number];
  std::fill_n(out, group.n_states() * width, 0.0);
  std::vector<double> of_patterns, of_leaf;
  Room room;
  for (const GroupLeaf& leaf : groups_.leaves(group)) {
    const std::span<const GroupTerm> terms = groups_.terms(leaf);
    const std::size_t n = terms.size(), n_patterns = std::size_t{1} << n;
    const std::size_t size = kind == GroupEntry::kShares ? n : n * (n - 1) / 2;
    const Quadrature& points = points_.of(n);
    of_leaf.assign(n_patterns, 0.0);
    for (std::size_t state = 0; state < group.n_states(); ++state) {
      of_leaf[leaf_pattern(terms, static_cast<std::uint32_t>(state))] += shares[state];
    }
    room.before.resize(n_patterns * points.size());
    for (std::size_t b = 0; b < n_patterns; ++b) {
      std::fill_n(room.before.data() + b * points.size(), points.size(), of_leaf[b]);
    }
    of_patterns.resize(n_patterns * size);
    if (kind == GroupEntry::kShares) {
      all_shares(points, n, room, of_patterns.data());
    } else {
      all_pairs(points, n, room, of_patterns.data());
    }
    const double* value = tree_.value(tree_.edges()[leaf.edge]);
    for (std::size_t state = 0; state < group.n_states(); ++state) {
      const double* given =
          of_patterns.data() + leaf_pattern(terms, static_cast<std::uint32_t>(state)) * size;
      add_leaf(terms, kind, given, value, n_outputs, out + state * width);
    }
  }
}

}  // namespace treewright
