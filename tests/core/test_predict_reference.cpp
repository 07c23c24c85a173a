// Every kernel, layout and element type gives what the reference walk gives.
#include <cmath>
#include <vector>

#include "check.h"
#include "predict/predictor.h"
#include "random_tree.h"
#include "reference_walk.h"
#include "tree/canonical.h"

namespace treewright::test {

namespace {

constexpr std::size_t kRows = 301;  // groups of eight and a rest

// A matrix in one of several memory layouts. Rows of float32 are compared as what they are after rounding.
template <class T>
class Layout {
 public:
  enum Kind { kRowMajor, kColumnMajor, kEverySecond, kBackwards };

  Layout(const std::vector<double>& rows, std::size_t n_columns, Kind kind) {
    const std::size_t n_rows = rows.size() / n_columns;
    const auto r = static_cast<std::ptrdiff_t>(n_rows);
    const auto c = static_cast<std::ptrdiff_t>(n_columns);
    view_ = {nullptr, n_rows, n_columns, c, 1};
    if (kind == kColumnMajor) view_ = {nullptr, n_rows, n_columns, 1, r};
    if (kind == kEverySecond) view_ = {nullptr, n_rows, n_columns, 4 * c, 2};
    if (kind == kBackwards) view_ = {nullptr, n_rows, n_columns, -c, -1};
    memory_.assign(static_cast<std::size_t>(r * c * 8), T{77});
    T* origin = memory_.data() + (kind == kBackwards ? r * c - 1 : 0);
    for (std::ptrdiff_t i = 0; i < r; ++i) {
      for (std::ptrdiff_t j = 0; j < c; ++j) {
        origin[i * view_.row_stride + j * view_.column_stride] =
            static_cast<T>(rows[static_cast<std::size_t>(i * c + j)]);
      }
    }
    view_.data = origin;
  }

  const MatrixView<T>& view() const { return view_; }

 private:
  std::vector<T> memory_;
  MatrixView<T> view_;
};

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b));
}

template <class T>
void compare(const Tree& tree, const Shape& shape, std::vector<double> rows, typename Layout<T>::Kind kind) {
  const std::size_t n_columns = shape.n_codes.size();
  const Layout<T> layout(rows, n_columns, kind);
  for (double& x : rows) x = static_cast<double>(static_cast<T>(x));

  const Predictor predictor(std::span(&tree, 1), shape.n_codes);
  Team team(1);
  std::vector<NodeId> leaves(kRows, kNoNode);
  std::vector<double> values(kRows * predictor.n_outputs(), -1.0);
  predictor.apply(layout.view(), team, leaves.data());
  predictor.values(layout.view(), team, values.data());
  const Paths paths = predictor.decision_path(layout.view(), team);
  for (std::size_t i = 0; i < kRows; ++i) {
    const ReferenceWalk walk(tree, shape.n_codes, std::span(rows).subspan(i * n_columns, n_columns));
    CHECK(leaves[i] == walk.reached().main_leaf());
    const std::vector<double> expected = walk.values();
    for (std::size_t k = 0; k < expected.size(); ++k)
      CHECK(close(values[i * expected.size() + k], expected[k]));
    const std::vector<std::int64_t> path(paths.indices.begin() + paths.indptr[i],
                                         paths.indices.begin() + paths.indptr[i + 1]);
    CHECK(path == std::vector<std::int64_t>(walk.reached().nodes.begin(), walk.reached().nodes.end()));
  }
}

void compare_everywhere(const Shape& shape, std::uint64_t n_seeds) {
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    RandomTree random(seed);
    const Tree tree = canonical(random.tree(shape));
    for (const std::uint32_t missing_one_in : {0U, 3U, 40U}) {
      const std::vector<double> rows = random.rows(kRows, shape.n_codes, missing_one_in);
      compare<float>(tree, shape, rows, Layout<float>::kRowMajor);
      compare<double>(tree, shape, rows, Layout<double>::kRowMajor);
      compare<float>(tree, shape, rows, Layout<float>::kColumnMajor);
      compare<double>(tree, shape, rows, Layout<double>::kColumnMajor);
      compare<float>(tree, shape, rows, Layout<float>::kEverySecond);
      compare<double>(tree, shape, rows, Layout<double>::kBackwards);
    }
  }
}

TEST("predict: trees of thresholds predict like the reference") {
  Shape shape;
  shape.thresholds_only = true;
  shape.n_codes = {0, 0, 0, 0};
  for (const std::size_t n_splits : {0U, 1U, 3U, 60U, 700U}) {
    shape.n_splits = n_splits;
    compare_everywhere(shape, 4);
  }
}

TEST("predict: trees of thresholds with surrogates predict like the reference") {
  Shape shape;
  shape.thresholds_only = true;
  shape.surrogates = true;
  compare_everywhere(shape, 8);
}

TEST("predict: trees of thresholds with shares predict like the reference") {
  Shape shape;
  shape.thresholds_only = true;
  shape.fractional = true;
  compare_everywhere(shape, 8);
}

TEST("predict: trees with categories predict like the reference") {
  compare_everywhere(Shape{}, 10);
}

TEST("predict: trees with categories surrogates and shares predict like the reference") {
  Shape shape;
  shape.surrogates = true;
  compare_everywhere(shape, 8);
  shape.fractional = true;
  compare_everywhere(shape, 8);
}

TEST("predict: trees over more features than a packed node can name predict like the reference") {
  Shape shape;
  shape.thresholds_only = true;
  shape.n_codes.assign(600, 0);
  compare_everywhere(shape, 1);
}

}  // namespace

}  // namespace treewright::test
