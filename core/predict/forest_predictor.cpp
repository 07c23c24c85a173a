#include "predict/forest_predictor.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "predict/adding.h"
#include "predict/forest_rows.h"

namespace treewright {

namespace {

constexpr std::size_t kMostRows = 16384;
constexpr std::size_t kFewRows = 8;  // fewer go through several trees at a time instead

ForestView checked(const ForestView& forest, std::span<const Code> n_codes) {
  check_forest(forest, n_codes);
  if (forest.n_trees() == 0) throw std::invalid_argument("A forest needs at least one tree.");
  return forest;
}

// Rows of a block. Every tree is fetched anew for every block, so blocks are large; rows are read one after
// the other, so they need not stay in the cache between two trees. All threads get the same number of blocks.
std::size_t rows_per_block(std::size_t n_rows, std::size_t bytes_per_row, int n_threads) {
  constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
  const std::size_t fitting = kBlockBytes / std::max<std::size_t>(bytes_per_row, 1);
  const std::size_t most = std::clamp(fitting, std::size_t{8}, kMostRows);
  const std::size_t round = 2 * static_cast<std::size_t>(n_threads);
  const std::size_t n_rounds = (n_rows + most * round - 1) / (most * round);
  const std::size_t n_blocks = std::max<std::size_t>(n_rounds * round, 1);
  const std::size_t evenly = std::max<std::size_t>((n_rows + n_blocks - 1) / n_blocks, 64);
  return std::min(most, (evenly + 7) / 8 * 8);
}

}  // namespace

ForestPredictor::ForestPredictor(const ForestView& forest, std::span<const Code> n_codes)
    : nodes_(checked(forest, n_codes), n_codes) {
  const std::size_t n_distributions = forest.n_distributions();
  majority_.reserve(n_distributions);
  for (std::size_t row = 0; row < n_distributions; ++row) {
    const auto shares = forest.distributions.subspan(row * forest.n_outputs, forest.n_outputs);
    majority_.push_back(
        static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin()));
  }
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    steps_per_row_ += std::bit_width(static_cast<std::uint64_t>(forest.begin[t + 1] - forest.begin[t]));
  }
}

void ForestPredictor::check_is_classes() const {
  if (!is_classes()) throw std::invalid_argument("Trees that predict numbers do not vote for classes.");
}

template <class T>
void ForestPredictor::check_columns(const MatrixView<T>& matrix) const {
  if (matrix.n_columns == n_features()) return;
  throw std::invalid_argument("The matrix has " + std::to_string(matrix.n_columns) + " columns, expected " +
                              std::to_string(n_features()) + ".");
}

template <class Cell, class ExactLeaf, class Body>
void ForestPredictor::run_block(const MatrixRows<Cell>& rows, bool may_doubt, std::size_t first,
                                const StopFlag& stop, LeafName name, TreeRange trees, ExactLeaf&& exact_leaf,
                                Body&& body) const {
  std::vector<std::uint32_t> leaves(std::max(n_trees(), rows.n_rows)), in_doubt;
  std::vector<std::uint32_t>* doubts = may_doubt ? &in_doubt : nullptr;
  if (rows.n_rows < kFewRows) {
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
      stop.throw_if_requested();
      in_doubt.clear();
      nodes_.leaves_of_row(rows.row(i), name, leaves.data(), doubts);
      for (const std::uint32_t tree : in_doubt) leaves[tree] = exact_leaf(i, tree);
      for (std::size_t t = trees.first; t < trees.last; ++t) body(first + i, 1, t, leaves.data() + t);
    }
    return;
  }
  for (std::size_t t = trees.first; t < trees.last; ++t) {
    stop.throw_if_requested();
    in_doubt.clear();
    nodes_.leaves_of_rows(t, rows, {}, name, leaves.data(), doubts);
    for (const std::uint32_t i : in_doubt) leaves[i] = exact_leaf(i, t);
    body(first, rows.n_rows, t, leaves.data());
  }
}

template <class T, class Body>
void ForestPredictor::for_each_tree(const MatrixView<T>& matrix, Team& team, LeafName name,
                                    std::size_t bytes_per_result, TreeRange trees, Body&& body) const {
  check_columns(matrix);
  const ForestSlots& slots = nodes_.slots();
  const std::size_t bytes_per_row = slots.width() * sizeof(T) + bytes_per_result;
  const std::size_t block = rows_per_block(matrix.n_rows, bytes_per_row, team.size());
  const std::size_t n_blocks = (matrix.n_rows + block - 1) / block;
  team.parallel_for(n_blocks, matrix.n_rows * steps_per_row_, [&](std::size_t index, int) {
    const std::size_t begin = index * block;
    const std::size_t end = std::min(begin + block, matrix.n_rows);
    const auto exact_leaf = [&](std::size_t i, std::size_t tree) {
      const T* row = matrix.data + static_cast<std::ptrdiff_t>(begin + i) * matrix.row_stride;
      return nodes_.exact_leaf(tree, name, [&](FeatureId feature) {
        return static_cast<double>(row[feature * matrix.column_stride]);
      });
    };
    const auto run = [&]<class Cell>(std::vector<Cell> cells) {
      const bool is_exact = MatrixCells<T>(matrix, slots).read(begin, end, cells);
      const MatrixRows<Cell> rows{cells.data(), static_cast<std::ptrdiff_t>(slots.width()), end - begin};
      run_block(rows, !is_exact, begin, team.stop(), name, trees, exact_leaf, body);
    };
    if (nodes_.takes_narrow_cells()) {
      run(std::vector<NarrowNode::Cell>());
    } else {
      run(std::vector<WideKeyNode::Cell>());
    }
  });
}

template <class T>
void ForestPredictor::add_up(const MatrixView<T>& matrix, Team& team, bool votes, double* out) const {
  const std::size_t n = n_outputs();
  const auto count = static_cast<double>(n_trees());
  for_each_tree(matrix, team, LeafName::kRow, n * sizeof(double), all_trees(),
                [&](std::size_t first, std::size_t n_rows, std::size_t tree, const std::uint32_t* leaves) {
                  double* sums = out + first * n;
                  if (tree == 0) std::fill_n(sums, n_rows * n, 0.0);
                  if (votes) {
                    for (std::size_t i = 0; i < n_rows; ++i) add_vote(leaves[i], sums + i * n);
                  } else {
                    add_values(tree, leaves, n_rows, sums);
                  }
                  if (tree + 1 < n_trees()) return;
                  for (std::size_t i = 0; i < n_rows * n; ++i) sums[i] /= count;
                });
}

void ForestPredictor::add_values(std::size_t tree, const std::uint32_t* leaves, std::size_t n_rows,
                                 double* sums) const {
  const ForestView& forest = nodes_.forest();
  if (!is_classes()) {
    const double* numbers = forest.number.data() + forest.begin[tree];
    for (std::size_t i = 0; i < n_rows; ++i) sums[i] += numbers[leaves[i]];
    return;
  }
  const double* shares = forest.distributions.data();
  if (forest.n_outputs == 2) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      sums[2 * i] += shares[2 * std::size_t{leaves[i]}];
      sums[2 * i + 1] += shares[2 * std::size_t{leaves[i]} + 1];
    }
    return;
  }
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double* from = shares + leaves[i] * forest.n_outputs;
    double* to = sums + i * forest.n_outputs;
    for (std::size_t k = 0; k < forest.n_outputs; ++k) to[k] += from[k];
  }
}

template <class T>
void ForestPredictor::values(const MatrixView<T>& matrix, Team& team, double* out) const {
  add_up(matrix, team, false, out);
}

template <class T>
void ForestPredictor::votes(const MatrixView<T>& matrix, Team& team, double* out) const {
  check_is_classes();
  add_up(matrix, team, true, out);
}

template <class T>
void ForestPredictor::add_sums(const MatrixView<T>& matrix, std::size_t n_outputs, std::size_t first,
                               std::size_t last, Team& team, double* out, bool single) const {
  if (is_classes()) throw std::invalid_argument("Trees that predict classes do not add up to scores.");
  if (n_outputs < 1 || first > last || last > n_trees()) {
    throw std::invalid_argument("There are no such trees, or no output for them.");
  }
  if (matrix.n_rows >= kRowsForSymmetric) {
    std::call_once(symmetric_once_,
                   [&] { symmetric_ = SymmetricTables::make(nodes_.forest(), nodes_.n_codes()); });
    if (symmetric_) return add_sums_by(*symmetric_, matrix, n_outputs, first, last, team, out, single);
  }
  if (matrix.n_rows >= kRowsForMasks && last - first >= MaskTables::kLanes) {
    std::call_once(masks_once_, [&] { masks_ = MaskTables::make(nodes_.forest(), nodes_.n_codes()); });
    if (masks_) return add_sums_by(*masks_, matrix, n_outputs, first, last, team, out, single);
  }
  for_each_tree(matrix, team, LeafName::kRow, n_outputs * sizeof(double), {first, last},
                [&](std::size_t begin, std::size_t n_rows, std::size_t tree, const std::uint32_t* leaves) {
                  const double* numbers = nodes_.forest().number.data() + nodes_.forest().begin[tree];
                  double* scores = out + begin * n_outputs + tree % n_outputs;
                  visit_sum(single, [&]<class Sum>(Sum) {
                    for (std::size_t i = 0; i < n_rows; ++i) {
                      Sum::add(scores[i * n_outputs], numbers[leaves[i]]);
                    }
                  });
                });
}

template <class Tables, class T>
void ForestPredictor::add_sums_by(const Tables& tables, const MatrixView<T>& matrix, std::size_t n_outputs,
                                  std::size_t first, std::size_t last, Team& team, double* out,
                                  bool single) const {
  check_columns(matrix);
  constexpr std::size_t kRows = Tables::kBlockRows;
  const std::size_t n_blocks = (matrix.n_rows + kRows - 1) / kRows;
  std::vector<std::vector<std::uint8_t>> codes(static_cast<std::size_t>(team.size()));
  team.parallel_for(n_blocks, matrix.n_rows * (last - first), [&](std::size_t block, int worker) {
    std::vector<std::uint8_t>& mine = codes[static_cast<std::size_t>(worker)];
    mine.resize(kRows * tables.n_used());
    const std::size_t begin = block * kRows;
    const std::size_t n_rows = std::min(kRows, matrix.n_rows - begin);
    visit_sum(single, [&]<class Sum>(Sum) {
      tables.template add_sums<Sum>(matrix, begin, n_rows, n_outputs, first, last, mine.data(),
                                    out + begin * n_outputs);
    });
  });
}

template <class T>
void ForestPredictor::apply(const MatrixView<T>& matrix, Team& team, NodeId* out) const {
  const std::size_t n = n_trees();
  for_each_tree(matrix, team, LeafName::kId, n * sizeof(NodeId), all_trees(),
                [&](std::size_t first, std::size_t n_rows, std::size_t tree, const std::uint32_t* leaves) {
                  for (std::size_t i = 0; i < n_rows; ++i) {
                    out[(first + i) * n + tree] = static_cast<NodeId>(leaves[i]);
                  }
                });
}

template <class T>
void ForestPredictor::leaf_classes(const MatrixView<T>& matrix, Team& team, std::int32_t* out) const {
  check_is_classes();
  const std::size_t n = n_trees();
  for_each_tree(matrix, team, LeafName::kRow, n * sizeof(std::int32_t), all_trees(),
                [&](std::size_t first, std::size_t n_rows, std::size_t tree, const std::uint32_t* leaves) {
                  for (std::size_t i = 0; i < n_rows; ++i) out[(first + i) * n + tree] = majority(leaves[i]);
                });
}

template <class T>
void ForestPredictor::leaf_numbers(const MatrixView<T>& matrix, Team& team, double* out) const {
  if (is_classes()) throw std::invalid_argument("Trees that predict classes do not answer with numbers.");
  const std::size_t n = n_trees();
  for_each_tree(matrix, team, LeafName::kRow, n * sizeof(double), all_trees(),
                [&](std::size_t first, std::size_t n_rows, std::size_t tree, const std::uint32_t* leaves) {
                  for (std::size_t i = 0; i < n_rows; ++i) {
                    out[(first + i) * n + tree] = number(tree, leaves[i]);
                  }
                });
}

template void ForestPredictor::values(const MatrixView<float>&, Team&, double*) const;
template void ForestPredictor::values(const MatrixView<double>&, Team&, double*) const;
template void ForestPredictor::votes(const MatrixView<float>&, Team&, double*) const;
template void ForestPredictor::votes(const MatrixView<double>&, Team&, double*) const;
template void ForestPredictor::add_sums(const MatrixView<float>&, std::size_t, std::size_t, std::size_t,
                                        Team&, double*, bool) const;
template void ForestPredictor::add_sums(const MatrixView<double>&, std::size_t, std::size_t, std::size_t,
                                        Team&, double*, bool) const;
template void ForestPredictor::apply(const MatrixView<float>&, Team&, NodeId*) const;
template void ForestPredictor::apply(const MatrixView<double>&, Team&, NodeId*) const;
template void ForestPredictor::leaf_classes(const MatrixView<float>&, Team&, std::int32_t*) const;
template void ForestPredictor::leaf_classes(const MatrixView<double>&, Team&, std::int32_t*) const;
template void ForestPredictor::leaf_numbers(const MatrixView<float>&, Team&, double*) const;
template void ForestPredictor::leaf_numbers(const MatrixView<double>&, Team&, double*) const;

}  // namespace treewright
