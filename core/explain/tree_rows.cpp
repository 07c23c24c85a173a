#include "explain/tree_rows.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "tree/check.h"
#include "tree/walk.h"

namespace treewright {

namespace {

Tree checked(Tree tree, std::span<const Code> n_codes) {
  check_tree(tree, n_codes);
  return tree;
}

// The rows of one branch. Sums run row by row, as in growing.
WeightedRows taken(const WeightedRows& from, std::span<const std::uint32_t> branches, std::uint32_t branch,
                   bool single) {
  double own = 0, known = 0;
  bool has_own = false, has_shared = false;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const double weight = from.weights ? (*from.weights)[i] : 1.0;
    has_shared = has_shared || branches[i] == kEveryBranch;
    if (is_branch(branches[i])) known += weight;
    if (branches[i] != branch) continue;
    has_own = true;
    own += weight;
  }
  const bool shares = has_own && has_shared;
  const double part = shares ? own / known : 0.0;
  const auto share_of = [part, single](double weight) {
    if (!single) return weight * part;
    return static_cast<double>(static_cast<float>(weight) * static_cast<float>(part));
  };
  WeightedRows result;
  if (shares || from.weights) result.weights.emplace();
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const bool is_shared = shares && branches[i] == kEveryBranch;
    if (branches[i] != branch && !is_shared) continue;
    result.rows.push_back(from.rows[i]);
    if (!result.weights) continue;
    const double weight = from.weights ? (*from.weights)[i] : 1.0;
    result.weights->push_back(is_shared ? share_of(weight) : weight);
  }
  return result;
}

}  // namespace

TreeRows::TreeRows(Tree tree, std::span<const Code> n_codes)
    : tree_(checked(std::move(tree), n_codes)), n_features_(n_codes.size()), nodes_(tree_, n_codes) {}

template <class T>
void TreeRows::check(const MatrixView<T>& matrix, std::span<const RowId> rows) const {
  if (matrix.n_columns != n_features_) {
    throw std::invalid_argument("The matrix has " + std::to_string(matrix.n_columns) + " columns, expected " +
                                std::to_string(n_features_) + ".");
  }
  for (const RowId row : rows) {
    if (row >= matrix.n_rows) throw std::out_of_range("A row is not one of the matrix.");
  }
}

// By the test itself and by its substitutes.
std::vector<FeatureId> TreeRows::tested_features(NodeId node) const {
  const auto i = static_cast<std::size_t>(node);
  if (node < 0 || i >= tree_.size() || tree_.is_leaf(node)) {
    throw std::invalid_argument("Only an inner node sends rows to branches.");
  }
  std::vector<FeatureId> features{tree_.feature[i]};
  if (tree_.surrogate_begin.empty()) return features;
  for (std::int64_t s = tree_.surrogate_begin[i]; s < tree_.surrogate_begin[i + 1]; ++s) {
    features.push_back(tree_.surrogate_feature[static_cast<std::size_t>(s)]);
  }
  return features;
}

template <class T>
std::vector<std::uint32_t> TreeRows::branches(NodeId node, const MatrixView<T>& matrix,
                                              std::span<const RowId> rows) const {
  check(matrix, rows);
  const std::vector<FeatureId> features = tested_features(node);
  std::vector<T> values(n_features_);  // of one row; only what is tested is read
  std::vector<std::uint32_t> found(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const T* row = matrix.data + static_cast<std::ptrdiff_t>(rows[i]) * matrix.row_stride;
    for (const FeatureId feature : features) {
      values[static_cast<std::size_t>(feature)] = row[feature * matrix.column_stride];
    }
    found[i] = nodes_.branch(node, values.data());
  }
  return found;
}

template <class T>
WeightedRows TreeRows::down(NodeId node, std::uint32_t branch, const MatrixView<T>& matrix,
                            const WeightedRows& at, bool single) const {
  if (at.weights && at.weights->size() != at.rows.size()) {
    throw std::invalid_argument("There must be one weight for every row.");
  }
  return taken(at, branches(node, matrix, at.rows), branch, single);
}

template <class T>
WeightedRows TreeRows::at(NodeId node, const MatrixView<T>& matrix, WeightedRows root, bool single) const {
  if (node < 0 || static_cast<std::size_t>(node) >= tree_.size()) {
    throw std::out_of_range("The tree has no such node.");
  }
  check(matrix, root.rows);
  const std::vector<NodeId> way = path_from_root(parents(tree_), node);
  WeightedRows found = std::move(root);
  for (std::size_t i = 1; i < way.size(); ++i) {
    const NodeId first = tree_.first_child[static_cast<std::size_t>(way[i - 1])];
    found = down(way[i - 1], static_cast<std::uint32_t>(way[i] - first), matrix, found, single);
  }
  return found;
}

template std::vector<std::uint32_t> TreeRows::branches(NodeId, const MatrixView<float>&,
                                                       std::span<const RowId>) const;
template std::vector<std::uint32_t> TreeRows::branches(NodeId, const MatrixView<double>&,
                                                       std::span<const RowId>) const;
template WeightedRows TreeRows::down(NodeId, std::uint32_t, const MatrixView<float>&, const WeightedRows&,
                                     bool) const;
template WeightedRows TreeRows::down(NodeId, std::uint32_t, const MatrixView<double>&, const WeightedRows&,
                                     bool) const;
template WeightedRows TreeRows::at(NodeId, const MatrixView<float>&, WeightedRows, bool) const;
template WeightedRows TreeRows::at(NodeId, const MatrixView<double>&, WeightedRows, bool) const;

}  // namespace treewright
