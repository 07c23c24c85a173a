// What the engine does with arrays that may hold anything: they are refused, or everything that reads them
// works. Run by libFuzzer under the address and undefined-behaviour sanitizers (`make fuzz-core`).
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/parallel.h"
#include "case_bytes.h"
#include "change_case.h"
#include "explain/tree_rows.h"
#include "forest/unpack_forest.h"
#include "predict/forest_predictor.h"
#include "predict/predictor.h"
#include "prune/collapse.h"
#include "prune/weakest_link.h"
#include "tree/canonical.h"
#include "tree/check.h"
#include "tree/code_route.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace treewright::fuzz {

namespace {

constexpr Code kMostCodes = 4096;  // a file lists them one by one, so there are no more than it has bytes
constexpr std::size_t kMostRows = 16;
constexpr std::size_t kManyRows = 2050;  // from here on a forest reads tables of bits

// The sanitizers see what is read and written; what is merely wrong ends the run here.
void expect(bool condition, const char* words) {
  if (condition) return;
  std::fprintf(stderr, "WRONG: %s\n", words);
  std::abort();
}

// Rows as the reader of tables would hand them over: a category is a code of its column or missing.
std::vector<double> sound_rows(const Case& one, std::size_t n_rows) {
  const std::size_t n_columns = one.n_codes.size();
  std::vector<double> rows(n_rows * n_columns, 0.0);
  for (std::size_t i = 0; i < rows.size() && !one.rows.empty(); ++i) {
    rows[i] = one.rows[i % one.rows.size()];
    const Code n_codes = one.n_codes[i % n_columns];
    if (n_codes == 0 || std::isnan(rows[i])) continue;
    const bool is_code = rows[i] >= 1 && rows[i] <= n_codes + 1.0;
    rows[i] = is_code ? std::floor(rows[i]) : n_codes + 1.0;
  }
  return rows;
}

template <class T>
MatrixView<T> view_of(const std::vector<T>& rows, std::size_t n_columns) {
  return {rows.data(), n_columns == 0 ? 0 : rows.size() / n_columns, n_columns,
          static_cast<std::ptrdiff_t>(n_columns), 1};
}

// --- trees

void check_leaves(const Tree& tree, std::span<const NodeId> leaves) {
  for (const NodeId leaf : leaves) {
    expect(leaf >= 0 && static_cast<std::size_t>(leaf) < tree.size(),
           "apply names a node that does not exist");
  }
}

void predict(const Case& one, const MatrixView<double>& matrix) {
  const Tree& tree = one.tree;
  const Predictor predictor(std::span(&tree, 1), one.n_codes);
  Team team(1);
  std::vector<NodeId> leaves(matrix.n_rows);
  predictor.apply(matrix, team, leaves.data());
  check_leaves(tree, leaves);
  std::vector<double> out(matrix.n_rows * predictor.n_outputs());
  predictor.values(matrix, team, out.data());
  for (const double value : out) expect(!std::isnan(value), "a tree without NaN predicts NaN");
  predictor.votes(matrix, team, out.data());
  const Paths paths = predictor.decision_path(matrix, team);
  for (const std::int64_t node : paths.indices) {
    expect(node >= 0 && static_cast<std::size_t>(node) < tree.size(), "a path leaves the tree");
  }

  // Rows that are not contiguous, in single precision.
  const std::vector<float> narrow(matrix.data, matrix.data + matrix.n_rows * matrix.n_columns);
  MatrixView<float> turned{narrow.data(), matrix.n_rows, matrix.n_columns, 1,
                           static_cast<std::ptrdiff_t>(matrix.n_rows)};
  predictor.apply(turned, team, leaves.data());
  check_leaves(tree, leaves);
}

void explain(const Case& one, const MatrixView<double>& matrix) {
  const TreeRows rows(one.tree, one.n_codes);
  std::vector<RowId> all(matrix.n_rows);
  std::iota(all.begin(), all.end(), RowId{0});
  for (std::size_t i = 0; i < one.tree.size(); ++i) {
    const auto node = static_cast<NodeId>(i);
    const WeightedRows at = rows.at(node, matrix, {all, std::nullopt}, i % 2 == 0);
    expect(at.rows.size() <= all.size(), "more rows reach a node than there are");
    if (one.tree.is_leaf(node)) continue;
    for (const std::uint32_t branch : rows.branches(node, matrix, all)) {
      expect(branch < one.tree.n_children[i] || branch == kEveryBranch || branch == kStopHere,
             "a row takes a branch that does not exist");
    }
    rows.down(node, 0, matrix, at, false);
  }
}

void rebuild(const Case& one, const MatrixView<double>& matrix) {
  const Tree& tree = one.tree;
  const Tree ordered = canonical(tree);
  check_tree(ordered, one.n_codes);
  expect(ordered.size() == tree.size(), "numbering the nodes anew loses some");
  const Links links{tree.first_child, tree.n_children};
  bool is_finite = true;
  for (const double loss : tree.loss) is_finite = is_finite && std::isfinite(loss);
  if (is_finite) weakest_links(links, tree.loss);
  try {
    check_tree(collapse(tree, one.n_codes), one.n_codes);
  } catch (const std::invalid_argument&) {
    // not a tree of classes
  }

  const auto n_outputs = static_cast<std::size_t>(tree.outputs);
  ForestBuilder builder(n_outputs > 1 ? ForestBuilder::Answer::kClasses : ForestBuilder::Answer::kNumber,
                        n_outputs, one.n_codes.size());
  try {
    builder.append(tree);
  } catch (const std::invalid_argument&) {
    return;  // several branches, or rows that are shared
  }
  const Forest forest = builder.finish();
  try {
    check_forest(forest, one.n_codes);
  } catch (const std::invalid_argument&) {
    return;  // values that a stored tree may have and a forest may not
  }
  const ForestPredictor predictor(forest.view(), one.n_codes);
  Team team(1);
  std::vector<NodeId> leaves(matrix.n_rows), same(matrix.n_rows);
  predictor.apply(matrix, team, leaves.data());
  Predictor(std::span(&tree, 1), one.n_codes).apply(matrix, team, same.data());
  // A forest knows no surrogates.
  if (tree.surrogate_feature.empty()) expect(leaves == same, "a tree and its forest lead to other leaves");
}

void run_tree(const Case& one) {
  check_stored_tree(one.tree, one.n_codes);
  const std::vector<double> rows = sound_rows(one, kMostRows);
  const MatrixView<double> matrix = view_of(rows, one.n_codes.size());
  predict(one, matrix);
  explain(one, matrix);
  rebuild(one, matrix);
}

// --- forests

void run_forest(const Case& one) {
  const ForestView view = one.forest.view();
  check_stored_forest(view, one.gradient, one.n_codes);
  const ForestPredictor predictor(view, one.n_codes);
  const std::vector<double> rows = sound_rows(one, (one.kind & 2U) != 0 ? kManyRows : kMostRows);
  const MatrixView<double> matrix = view_of(rows, one.n_codes.size());
  Team team(1);
  std::vector<double> out(matrix.n_rows * predictor.n_outputs());
  predictor.values(matrix, team, out.data());
  std::vector<NodeId> leaves(matrix.n_rows * predictor.n_trees());
  predictor.apply(matrix, team, leaves.data());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::size_t tree = i % predictor.n_trees();
    expect(leaves[i] >= 0 && leaves[i] < view.begin[tree + 1] - view.begin[tree],
           "apply names a node that does not exist");
  }
  if (predictor.is_classes()) {
    predictor.votes(matrix, team, out.data());
    std::vector<std::int32_t> classes(leaves.size());
    predictor.leaf_classes(matrix, team, classes.data());
  } else {
    std::vector<double> sums(matrix.n_rows, 0.0), numbers(leaves.size());
    predictor.add_sums(matrix, 1, 0, predictor.n_trees(), team, sums.data());
    predictor.leaf_numbers(matrix, team, numbers.data());
    for (const double number : numbers) expect(std::isfinite(number), "a leaf's number is not finite");
  }
  for (std::size_t node = 0; node < view.n_nodes(); ++node) {
    if (view.is_leaf(node)) continue;
    const auto feature = static_cast<std::size_t>(view.feature(node));
    for (std::size_t row = 0; row < kMostRows; ++row) {
      expect(branch_at(view, node, rows[row * one.n_codes.size() + feature]) < 2, "a third branch");
    }
  }
  for (std::size_t tree = 0; tree < predictor.n_trees(); ++tree) {
    unpack(view, tree, predictor.is_classes() ? CriterionName::kGini : CriterionName::kSquaredError);
  }
}

}  // namespace

void run(const Case& one) {
  for (const Code n : one.n_codes) {
    if (n > kMostCodes) return;
  }
  try {
    one.is_forest() ? run_forest(one) : run_tree(one);
  } catch (const std::invalid_argument& error) {
    expect(std::strlen(error.what()) > 20, "a refusal without a sentence");
  }
}

}  // namespace treewright::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  treewright::fuzz::run(treewright::fuzz::read_case({data, size}));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  treewright::fuzz::Case one = treewright::fuzz::read_case({data, size});
  treewright::fuzz::CaseChanger(seed).change(one);
  const std::vector<std::uint8_t> bytes = treewright::fuzz::write_case(one);
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
