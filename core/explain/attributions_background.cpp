// The part of Attributions that takes rows of a background.
#include <algorithm>

#include "explain/attributions.h"

namespace treewright {

template <class T>
Background Attributions::background(const MatrixView<T>& matrix, Team& team) const {
  check_columns(matrix);
  if (matrix.n_rows == 0) throw std::invalid_argument("A background needs at least one row.");
  Background found{matrix.n_rows, std::vector<double>(matrix.n_rows * n_features_), {}};
  for (std::size_t r = 0; r < matrix.n_rows; ++r) {
    for (std::size_t f = 0; f < n_features_; ++f) {
      found.rows[r * n_features_ + f] =
          static_cast<double>(matrix.data[static_cast<std::ptrdiff_t>(r) * matrix.row_stride +
                                          static_cast<std::ptrdiff_t>(f) * matrix.column_stride]);
    }
  }
  const MatrixView<double> all{found.rows.data(), matrix.n_rows, n_features_,
                               static_cast<std::ptrdiff_t>(n_features_), 1};
  found.trees.resize(members_.size());
  constexpr std::size_t kBlock = RowBlock<double>::kMostRows;
  const double share = 1.0 / static_cast<double>(matrix.n_rows);
  team.parallel_for(members_.size(), matrix.n_rows * n_edges_, [&](std::size_t t, int) {
    const Member& member = members_[t];
    BackgroundOfTree& own = found.trees[t];
    std::size_t total = 0;
    for (const PatternGroup& group : member.groups.groups()) {
      own.begin.push_back(total);
      total += group.n_states();
    }
    std::vector<std::uint32_t> counts(total, 0);
    RowBlock<double> rows(all, used_);
    PatternWalk walk;
    for (std::size_t begin = 0; begin < matrix.n_rows; begin += kBlock) {
      team.stop().throw_if_requested();
      rows.read(begin, std::min(begin + kBlock, matrix.n_rows));
      std::vector<std::uint8_t> is_shared(rows.n_rows(), 0);
      for (std::size_t r = 0; r < rows.n_rows() && member.tree.may_share(); ++r) {
        if (!member.tree.shares(rows.row(r))) continue;
        is_shared[r] = 1;
        own.divided_rows.push_back(static_cast<std::uint32_t>(begin + r));
      }
      walk.run(member.tree, member.groups, rows, [&](std::size_t g, const PatternWalk::Word* states) {
        for (std::size_t r = 0; r < rows.n_rows(); ++r) {
          if (is_shared[r] == 0) ++counts[own.begin[g] + states[r]];
        }
      });
    }
    own.shares.resize(total);
    for (std::size_t i = 0; i < total; ++i) own.shares[i] = share * counts[i];
  });
  return found;
}

template <class T>
void Attributions::add_long_paths(const Member& member, const RowBlock<T>& rows,
                                  std::span<const std::uint8_t> is_shared, const Background& background,
                                  const BackgroundOfTree& of_tree, const StopFlag& stop, PatternWalk& walk,
                                  double* out) const {
  const std::span<const PatternGroup> leaves = member.long_leaves.groups();
  if (leaves.empty()) return;
  const std::size_t step = per_row(GroupEntry::kShares), n_own = member.tree.n_outputs();
  const double share = 1.0 / static_cast<double>(background.n_rows);
  std::vector<std::uint8_t> is_divided(background.n_rows, 0);
  for (const std::uint32_t b : of_tree.divided_rows) is_divided[b] = 1;
  const MatrixView<double> all{background.rows.data(), background.n_rows, n_features_,
                               static_cast<std::ptrdiff_t>(n_features_), 1};
  // Some rows of the background at a time, whose patterns fit in the cache or nearly so.
  const std::size_t some = others_at_once(member.tree.edges().size());
  RowBlock<double> others(all, used_);
  LongPaths paths;
  std::vector<std::uint32_t> patterns(leaves.size() * some);  // by leaf and row of the background
  for (std::size_t begin = 0; begin < background.n_rows; begin += some) {
    const std::size_t end = std::min(begin + some, background.n_rows);
    std::size_t n_others = 0;
    for (std::size_t at = begin; at < end; at += RowBlock<double>::kMostRows) {
      stop.throw_if_requested();
      others.read(at, std::min(at + RowBlock<double>::kMostRows, end));
      std::size_t n_here = 0;
      walk.run(member.tree, member.long_leaves, others, [&](std::size_t g, const PatternWalk::Word* states) {
        n_here = 0;
        for (std::size_t b = 0; b < others.n_rows(); ++b) {
          if (is_divided[at + b] != 0) continue;
          patterns[g * some + n_others + n_here++] = static_cast<std::uint32_t>(states[b]);
        }
      });
      n_others += n_here;
    }
    walk.run(member.tree, member.long_leaves, rows, [&](std::size_t g, const PatternWalk::Word* states) {
      stop.throw_if_requested();
      const PatternGroup& leaf = leaves[g];
      const std::span<const FeatureId> features = member.long_leaves.features(leaf);
      const double* value = member.tree.value(member.tree.edges()[leaf.edge]);
      paths.begin_leaf(leaf.n_path, {patterns.data() + g * some, n_others});
      for (std::size_t r = 0; r < rows.n_rows(); ++r) {
        if (!is_shared.empty() && is_shared[r] != 0) continue;
        const double* given = paths.shares(static_cast<std::uint32_t>(states[r]));
        if (given == nullptr) continue;
        for (std::size_t s = 0; s < features.size(); ++s) {
          double* to = out + r * step + static_cast<std::size_t>(features[s]) * n_outputs_;
          for (std::size_t k = 0; k < n_own; ++k) to[k] += share * given[s] * value[k];
        }
      }
    });
  }
}

template Background Attributions::background(const MatrixView<float>&, Team&) const;
template Background Attributions::background(const MatrixView<double>&, Team&) const;
template void Attributions::add_long_paths(const Member&, const RowBlock<float>&,
                                           std::span<const std::uint8_t>, const Background&,
                                           const BackgroundOfTree&, const StopFlag&, PatternWalk&,
                                           double*) const;
template void Attributions::add_long_paths(const Member&, const RowBlock<double>&,
                                           std::span<const std::uint8_t>, const Background&,
                                           const BackgroundOfTree&, const StopFlag&, PatternWalk&,
                                           double*) const;

}  // namespace treewright
