// Predictor: checked and compiled trees, run over blocks of rows by a team of threads.
// Every row is computed on its own, so results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "predict/compiled_tree.h"
#include "predict/matrix.h"
#include "tree/tree.h"

namespace treewright {

// The nodes that each row reaches: those of row i stand at indptr[i] ... indptr[i + 1] - 1, ascending.
struct Paths {
  std::vector<std::int64_t> indptr;
  std::vector<std::int64_t> indices;
};

class Predictor {
 public:
  // Throws std::invalid_argument when a tree breaks an invariant or the trees have different numbers of
  // outputs.
  Predictor(std::span<const Tree> trees, std::span<const Code> n_codes);

  std::size_t n_trees() const { return trees_.size(); }
  std::size_t n_features() const { return n_features_; }
  std::size_t n_outputs() const { return trees_.front().n_outputs(); }

  // Leaf ids, n_rows * n_trees.
  template <class T>
  void apply(const MatrixView<T>& matrix, Team& team, NodeId* out) const;

  // The sum of the trees' leaf values, n_rows * n_outputs.
  template <class T>
  void values(const MatrixView<T>& matrix, Team& team, double* out) const;

  // The share of trees whose most likely class (the first among equals) is k, n_rows * n_outputs.
  template <class T>
  void votes(const MatrixView<T>& matrix, Team& team, double* out) const;

  // Of a single tree.
  template <class T>
  Paths decision_path(const MatrixView<T>& matrix, Team& team) const;

 private:
  template <class T>
  void check_columns(const MatrixView<T>& matrix) const;

  // Calls body(rows, first row number) for blocks that cover the matrix.
  template <class T, class Body>
  void for_each_block(const MatrixView<T>& matrix, Team& team, Body&& body) const;

  std::size_t n_features_;
  std::vector<CompiledTree> trees_;
  std::vector<FeatureId> used_features_;  // by any tree, ascending
  std::size_t steps_per_row_ = 0;         // a guess, for the choice between one thread and several
};

}  // namespace treewright
