#include "explain/pattern_tables.h"

#include <algorithm>
#include <array>

#include "explain/path_shares.h"

namespace treewright {

namespace {

constexpr std::size_t kMostPairs = kMostPatternBits * (kMostPatternBits - 1) / 2;

struct LeafGame {
  std::array<double, kMostPatternBits> z{};
  std::size_t n = 0;
  const Quadrature* points = nullptr;

  LeafGame(std::span<const GroupTerm> terms, const PatternPoints& all)
      : n(terms.size()), points(&all.of(terms.size())) {
    for (std::size_t j = 0; j < n; ++j) z[j] = terms[j].z;
  }

  std::size_t size(GroupEntry kind) const { return kind == GroupEntry::kShares ? n : n * (n - 1) / 2; }

  void give(GroupEntry kind, std::uint32_t pattern, double* out) const {
    if (kind == GroupEntry::kShares) {
      path_shares(z.data(), n, pattern, *points, out);
    } else {
      path_pairs(z.data(), n, pattern, *points, out);
    }
  }
};

}  // namespace

void add_leaf(std::span<const GroupTerm> terms, GroupEntry kind, const double* given, const double* value,
              std::size_t n_outputs, double* entry) {
  if (kind == GroupEntry::kShares) {
    for (std::size_t j = 0; j < terms.size(); ++j) {
      double* to = entry + terms[j].slot * n_outputs;
      for (std::size_t k = 0; k < n_outputs; ++k) to[k] += given[j] * value[k];
    }
    return;
  }
  for (std::size_t j = 1; j < terms.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const std::size_t a = std::min(terms[i].slot, terms[j].slot),
                        b = std::max(terms[i].slot, terms[j].slot);
      double* to = entry + (b * (b - 1) / 2 + a) * n_outputs;
      for (std::size_t k = 0; k < n_outputs; ++k) to[k] += given[j * (j - 1) / 2 + i] * value[k];
    }
  }
}

void PathEntries::write(const PatternGroup& group, GroupEntry kind, std::uint32_t state, double* out) const {
  const std::size_t n_outputs = tree_.n_outputs();
  std::fill_n(out, entry_slots(group, kind) * n_outputs, 0.0);
  std::array<double, std::max(kMostPairs, kMostPatternBits)> given;
  for (const GroupLeaf& leaf : groups_.leaves(group)) {
    const std::span<const GroupTerm> terms = groups_.terms(leaf);
    LeafGame(terms, points_).give(kind, leaf_pattern(terms, state), given.data());
    add_leaf(terms, kind, given.data(), tree_.value(tree_.edges()[leaf.edge]), n_outputs, out);
  }
}

void PathEntries::write_all(const PatternGroup& group, GroupEntry kind, double* out) const {
  const std::size_t n_outputs = tree_.n_outputs(), width = entry_slots(group, kind) * n_outputs;
  std::fill_n(out, group.n_states() * width, 0.0);
  std::vector<double> of_patterns;
  for (const GroupLeaf& leaf : groups_.leaves(group)) {
    const std::span<const GroupTerm> terms = groups_.terms(leaf);
    const LeafGame game(terms, points_);
    const std::size_t size = game.size(kind), n_patterns = std::size_t{1} << terms.size();
    of_patterns.resize(n_patterns * size);
    for (std::size_t pattern = 0; pattern < n_patterns; ++pattern) {
      game.give(kind, static_cast<std::uint32_t>(pattern), of_patterns.data() + pattern * size);
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
