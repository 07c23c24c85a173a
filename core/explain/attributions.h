// Attributions: what each feature adds to the answers of a sum of trees, for blocks of rows by a team of
// threads. The values are Shapley's, exactly: of each leaf's game, which is a product (game_tree.h). A row's
// numbers are added in the order of the trees and depend on that row alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "explain/background.h"
#include "explain/block_walk.h"
#include "explain/edge_walk.h"
#include "explain/game_tree.h"
#include "explain/leaf_bundles.h"
#include "explain/long_paths.h"
#include "explain/pattern_groups.h"
#include "explain/pattern_tables.h"
#include "explain/pattern_walk.h"
#include "explain/quadrature.h"
#include "explain/row_block.h"
#include "predict/matrix.h"

namespace treewright {

class Attributions {
 public:
  Attributions(std::size_t n_features, std::size_t n_outputs);

  // The tree adds to the outputs from first_output on.
  void add(GameTree tree, std::size_t first_output);

  std::size_t n_features() const { return n_features_; }
  std::size_t n_outputs() const { return n_outputs_; }
  std::size_t n_trees() const { return members_.size(); }
  const GameTree& tree(std::size_t t) const { return members_[t].tree; }
  std::size_t first_output(std::size_t t) const { return members_[t].first_output; }
  std::span<const FeatureId> used() const { return used_; }  // features that some tree asks, ascending
  std::size_t n_edges() const { return n_edges_; }

  // What the trees say on average over the training rows, n_outputs.
  std::vector<double> base() const;

  // Rows that stand for what is not known, instead of the training rows.
  template <class T>
  Background background(const MatrixView<T>& matrix, Team& team) const;

  // For every row n_features * n_outputs numbers. background: of background(); null: the training rows.
  template <class T>
  void values(const MatrixView<T>& matrix, Team& team, double* out,
              const Background* background = nullptr) const;

  // The same for each row of the background alone, times factors[row * background rows + background row],
  // added up.
  template <class T>
  void scaled_values(const MatrixView<T>& matrix, Team& team, double* out, const Background& background,
                     const double* factors) const;

  // For every row n_features * n_features * n_outputs numbers: what two features add together, half on each
  // side of the diagonal, and on it what a feature adds alone. A row of them adds up to the feature's value.
  template <class T>
  void interactions(const MatrixView<T>& matrix, Team& team, double* out,
                    const Background* background = nullptr) const;

  // For every row and tree, whether the tree shares the row among its branches: n_rows * n_trees.
  template <class T>
  void shared(const MatrixView<T>& matrix, Team& team, std::uint8_t* out) const;

 private:
  struct Member {
    GameTree tree;
    PatternGroups groups;
    LeafBundles bundles;        // of the leaves in no group
    PatternGroups long_leaves;  // the same leaves one by one, for backgrounds
    std::size_t first_output;
    const Quadrature* points;                    // for any of its paths
    std::vector<const Quadrature*> pass_points;  // of the bundles
  };

  template <class T>
  void check_columns(const MatrixView<T>& matrix) const {
    if (matrix.n_columns == n_features_) return;
    throw std::invalid_argument("The matrix has " + std::to_string(matrix.n_columns) + " columns, expected " +
                                std::to_string(n_features_) + ".");
  }
  // Rows of a background whose answers, one per edge, are held at the same time.
  static std::size_t others_at_once(std::size_t n_edges) {
    constexpr std::size_t kAnswers = (std::size_t{4} << 20) / sizeof(std::uint32_t);
    return std::clamp(kAnswers / n_edges, std::size_t{1}, std::size_t{1024});
  }
  template <class T>
  void add_all(const MatrixView<T>& matrix, Team& team, GroupEntry kind, double* out,
               const Background* background) const;
  std::size_t end_of_chunk(std::size_t begin, GroupEntry kind, std::size_t n_rows) const;
  // Adds the entries of the groups for all rows that have states.
  template <class T>
  void add_groups(const Member& member, const PatternTables& tables, GroupEntry kind, const RowBlock<T>& rows,
                  std::span<const std::uint8_t> is_shared, PatternWalk& walk, double* out) const;
  // Adds what the leaves in no group give rows that take one branch everywhere.
  template <class T>
  void add_bundles(const Member& member, const RowBlock<T>& rows, std::span<const std::uint8_t> is_shared,
                   const StopFlag& stop, BlockWalk& walk, double* out) const;
  // The same against a background.
  template <class T>
  void add_long_paths(const Member& member, const RowBlock<T>& rows, std::span<const std::uint8_t> is_shared,
                      const Background& background, const BackgroundOfTree& of_tree, const StopFlag& stop,
                      PatternWalk& walk, double* out) const;
  // Adds everything else, edge by edge.
  template <class T>
  void add_edges(const Member& member, GroupEntry kind, const RowBlock<T>& rows,
                 std::span<const std::uint8_t> is_shared, const Background* background,
                 const BackgroundOfTree* of_tree, const StopFlag& stop, EdgeWalk& walk, double* out) const;
  std::size_t per_row(GroupEntry kind) const {
    return n_features_ * n_outputs_ * (kind == GroupEntry::kShares ? 1 : n_features_);
  }
  // Outputs that walks over edges compute, of a tree with n_own of them.
  std::size_t n_computed(std::size_t n_own) const { return mirrors_ ? n_own - 1 : n_own; }
  // Writes the last output of so many numbers per output, where it follows from the others.
  void finish_outputs(std::size_t count, double* out) const;
  void finish_interactions(const double* values, double* out) const;

  std::size_t n_features_;
  std::size_t n_outputs_;
  std::vector<Member> members_;
  std::vector<FeatureId> used_;
  std::map<std::size_t, Quadrature> quadratures_;
  PatternPoints pattern_points_;
  bool mirrors_ = true;  // all trees do, in all outputs: the last of them follows from the others
  std::size_t n_edges_ = 0;

  // Tables of small groups that stay for calls with few rows, once enough rows were asked for.
  const std::vector<PatternTables>* kept_tables(std::size_t n_rows) const;
  mutable std::mutex keeping_;
  mutable std::size_t n_rows_asked_ = 0;
  mutable std::vector<PatternTables> kept_;
};

}  // namespace treewright
