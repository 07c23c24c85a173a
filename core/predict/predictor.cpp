#include "predict/predictor.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tree/check.h"

namespace treewright {

namespace {

constexpr std::size_t kRowsPerTask = 4096;

}  // namespace

Predictor::Predictor(std::span<const Tree> trees, std::span<const Code> n_codes)
    : n_features_(n_codes.size()) {
  if (trees.empty()) throw std::invalid_argument("A predictor needs at least one tree.");
  trees_.reserve(trees.size());
  for (const Tree& tree : trees) {
    check_tree(tree, n_codes);
    if (tree.outputs != trees.front().outputs) {
      throw std::invalid_argument("The trees of a predictor have different numbers of outputs.");
    }
    const CompiledTree& compiled = trees_.emplace_back(tree, n_codes);
    std::vector<FeatureId> both;
    std::set_union(used_features_.begin(), used_features_.end(), compiled.used_features().begin(),
                   compiled.used_features().end(), std::back_inserter(both));
    used_features_.swap(both);
    steps_per_row_ += static_cast<std::size_t>(std::bit_width(tree.size()));
  }
}

template <class T>
void Predictor::check_columns(const MatrixView<T>& matrix) const {
  if (matrix.n_columns == n_features_) return;
  throw std::invalid_argument("The matrix has " + std::to_string(matrix.n_columns) + " columns, expected " +
                              std::to_string(n_features_) + ".");
}

template <class T, class Body>
void Predictor::for_each_block(const MatrixView<T>& matrix, Team& team, Body&& body) const {
  const std::size_t n_tasks = (matrix.n_rows + kRowsPerTask - 1) / kRowsPerTask;
  team.parallel_for(n_tasks, matrix.n_rows * steps_per_row_, [&](std::size_t task, int) {
    BlockReader<T> reader(matrix, used_features_);
    const std::size_t task_end = std::min(matrix.n_rows, (task + 1) * kRowsPerTask);
    for (std::size_t begin = task * kRowsPerTask; begin < task_end;) {
      const std::size_t end = std::min(task_end, begin + reader.rows_per_block());
      body(reader.read(begin, end), begin);
      begin = end;
    }
  });
}

template <class T>
void Predictor::apply(const MatrixView<T>& matrix, Team& team, NodeId* out) const {
  check_columns(matrix);
  for_each_block(matrix, team, [&](const MatrixRows<T>& rows, std::size_t first) {
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      team.stop().throw_if_requested();
      trees_[t].leaves(rows, out + first * trees_.size() + t, trees_.size());
    }
  });
}

template <class T>
void Predictor::values(const MatrixView<T>& matrix, Team& team, double* out) const {
  check_columns(matrix);
  for_each_block(matrix, team, [&](const MatrixRows<T>& rows, std::size_t first) {
    double* block_out = out + first * n_outputs();
    std::fill_n(block_out, rows.n_rows * n_outputs(), 0.0);
    for (const CompiledTree& tree : trees_) {
      team.stop().throw_if_requested();
      tree.add_values(rows, block_out);
    }
  });
}

template <class T>
void Predictor::votes(const MatrixView<T>& matrix, Team& team, double* out) const {
  check_columns(matrix);
  const std::size_t n = n_outputs();
  for_each_block(matrix, team, [&](const MatrixRows<T>& rows, std::size_t first) {
    double* block_out = out + first * n;
    std::fill_n(block_out, rows.n_rows * n, 0.0);
    std::vector<double> shares(rows.n_rows * n);
    for (const CompiledTree& tree : trees_) {
      team.stop().throw_if_requested();
      std::fill(shares.begin(), shares.end(), 0.0);
      tree.add_values(rows, shares.data());
      for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const double* of_row = shares.data() + i * n;
        block_out[i * n + static_cast<std::size_t>(std::max_element(of_row, of_row + n) - of_row)] += 1.0;
      }
    }
    for (std::size_t i = 0; i < rows.n_rows * n; ++i) block_out[i] /= static_cast<double>(trees_.size());
  });
}

template <class T>
Paths Predictor::decision_path(const MatrixView<T>& matrix, Team& team) const {
  check_columns(matrix);
  if (trees_.size() != 1) throw std::invalid_argument("A decision path needs a predictor of a single tree.");
  const std::size_t n_tasks = (matrix.n_rows + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<std::vector<NodeId>> nodes(n_tasks);  // of the rows of each task, one after the other
  Paths paths;
  paths.indptr.assign(matrix.n_rows + 1, 0);
  for_each_block(matrix, team, [&](const MatrixRows<T>& rows, std::size_t first) {
    std::vector<NodeId>& found = nodes[first / kRowsPerTask];
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
      team.stop().throw_if_requested();
      const std::size_t before = found.size();
      trees_.front().append_path(rows.row(i), found);
      paths.indptr[first + i + 1] = static_cast<std::int64_t>(found.size() - before);
    }
  });
  for (std::size_t i = 0; i < matrix.n_rows; ++i) paths.indptr[i + 1] += paths.indptr[i];
  paths.indices.reserve(static_cast<std::size_t>(paths.indptr.back()));
  for (std::vector<NodeId>& found : nodes) {
    paths.indices.insert(paths.indices.end(), found.begin(), found.end());
    std::vector<NodeId>().swap(found);  // never hold all nodes twice
    team.poll();
  }
  return paths;
}

template void Predictor::apply(const MatrixView<float>&, Team&, NodeId*) const;
template void Predictor::apply(const MatrixView<double>&, Team&, NodeId*) const;
template void Predictor::values(const MatrixView<float>&, Team&, double*) const;
template void Predictor::values(const MatrixView<double>&, Team&, double*) const;
template void Predictor::votes(const MatrixView<float>&, Team&, double*) const;
template void Predictor::votes(const MatrixView<double>&, Team&, double*) const;
template Paths Predictor::decision_path(const MatrixView<float>&, Team&) const;
template Paths Predictor::decision_path(const MatrixView<double>&, Team&) const;

}  // namespace treewright
