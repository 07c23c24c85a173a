// ForestPredictor: a checked forest, run over blocks of rows by a team of threads. A block is small enough to
// stay in the cache while one tree after the other passes over it. Answers are added in the order of the
// trees, so a row's result depends neither on the number of threads nor on the other rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "predict/forest_nodes.h"
#include "predict/mask_tables.h"
#include "predict/matrix.h"
#include "predict/symmetric_tables.h"
#include "tree/forest.h"

namespace treewright {

class ForestPredictor {
 public:
  // Throws std::invalid_argument when the forest breaks an invariant or has no tree. The arrays that the view
  // shows must live on, unchanged.
  ForestPredictor(const ForestView& forest, std::span<const Code> n_codes);

  std::size_t n_trees() const { return nodes_.forest().n_trees(); }
  std::size_t n_features() const { return nodes_.n_codes().size(); }
  std::size_t n_outputs() const { return nodes_.forest().n_outputs; }
  bool is_classes() const { return nodes_.forest().is_classes(); }
  const ForestNodes& nodes() const { return nodes_; }

  // The mean of the trees' answers, n_rows * n_outputs.
  template <class T>
  void values(const MatrixView<T>& matrix, Team& team, double* out) const;

  // The share of trees whose most likely class (the first among equals) is k, n_rows * n_outputs.
  template <class T>
  void votes(const MatrixView<T>& matrix, Team& team, double* out) const;

  // Adds the numbers of the trees first ... last - 1, in their order, to what `out` holds: tree t to output
  // t % n_outputs of out[n_rows * n_outputs]. `single`: every sum is rounded to single precision.
  template <class T>
  void add_sums(const MatrixView<T>& matrix, std::size_t n_outputs, std::size_t first, std::size_t last,
                Team& team, double* out, bool single = false) const;

  // Leaf ids, n_rows * n_trees.
  template <class T>
  void apply(const MatrixView<T>& matrix, Team& team, NodeId* out) const;

  // Each tree's own answer, n_rows * n_trees: its most likely class, or its number.
  template <class T>
  void leaf_classes(const MatrixView<T>& matrix, Team& team, std::int32_t* out) const;
  template <class T>
  void leaf_numbers(const MatrixView<T>& matrix, Team& team, double* out) const;

  // Adds the answers of a tree for n rows to sums[n * n_outputs]. `leaves` are named by LeafName::kRow.
  void add_values(std::size_t tree, const std::uint32_t* leaves, std::size_t n, double* sums) const;
  void add_vote(std::uint32_t leaf, double* sums) const { sums[majority_[leaf]] += 1.0; }

  std::int32_t majority(std::uint32_t leaf) const { return majority_[leaf]; }
  double number(std::size_t tree, std::uint32_t leaf) const {
    return nodes_.forest().number[static_cast<std::size_t>(nodes_.forest().begin[tree]) + leaf];
  }

  void check_is_classes() const;

 private:
  template <class T>
  void check_columns(const MatrixView<T>& matrix) const;

  struct TreeRange {
    std::size_t first;
    std::size_t last;
  };

  // Calls body(first row, number of rows, tree, leaves) for every tree of the range, in order, of every block
  // of rows. For few rows the blocks are single rows.
  template <class T, class Body>
  void for_each_tree(const MatrixView<T>& matrix, Team& team, LeafName name, std::size_t bytes_per_result,
                     TreeRange trees, Body&& body) const;
  // exact_leaf(row of the block, tree) settles doubts; rows in wide cells never have any.
  template <class Cell, class ExactLeaf, class Body>
  void run_block(const MatrixRows<Cell>& rows, bool may_doubt, std::size_t first, const StopFlag& stop,
                 LeafName name, TreeRange trees, ExactLeaf&& exact_leaf, Body&& body) const;
  TreeRange all_trees() const { return {0, n_trees()}; }
  template <class T>
  void add_up(const MatrixView<T>& matrix, Team& team, bool votes, double* out) const;

  // Many rows and small trees: by tables instead of node by node; the same sums.
  static constexpr std::size_t kRowsForMasks = 2048, kRowsForSymmetric = 64;
  template <class Tables, class T>
  void add_sums_by(const Tables& tables, const MatrixView<T>& matrix, std::size_t n_outputs,
                   std::size_t first, std::size_t last, Team& team, double* out, bool single) const;

  ForestNodes nodes_;
  // Made when first needed; null when they do not fit.
  mutable std::once_flag masks_once_, symmetric_once_;
  mutable std::unique_ptr<MaskTables> masks_;
  mutable std::unique_ptr<SymmetricTables> symmetric_;
  std::vector<std::int32_t> majority_;  // of each distribution
  std::size_t steps_per_row_ = 0;       // a guess, for the choice between one thread and several
};

}  // namespace treewright
