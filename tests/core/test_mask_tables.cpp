// Sums by tables of bits are those of the plain walk, to the last bit.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "check.h"
#include "forest_data.h"
#include "predict/adding.h"
#include "predict/forest_predictor.h"
#include "predict/mask_tables.h"

namespace treewright::test {

namespace {

// Sums of trees first ... last - 1 by walking, tree t to output t % n_outputs.
template <class Sum = DoubleSum>
std::vector<double> walked(const RandomForest& made, const ForestShape& shape,
                           const std::vector<double>& rows, std::size_t n_outputs, std::size_t first,
                           std::size_t last) {
  const std::size_t n_columns = shape.n_codes.size(), n_rows = rows.size() / n_columns;
  std::vector<double> sums(n_rows * n_outputs, 0.5);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const auto row = std::span(rows).subspan(i * n_columns, n_columns);
    for (std::size_t tree = first; tree < last; ++tree) {
      const NodeId leaf = reference_leaf(made.trees[tree], shape.n_codes, row);
      Sum::add(sums[i * n_outputs + tree % n_outputs], value_of_leaf(made.trees[tree], leaf)[0]);
    }
  }
  return sums;
}

template <class T, class Sum = DoubleSum>
std::vector<double> masked(const MaskTables& tables, const ForestShape& shape,
                           const std::vector<double>& rows, std::size_t n_outputs, std::size_t first,
                           std::size_t last) {
  const std::size_t n_columns = shape.n_codes.size(), n_rows = rows.size() / n_columns;
  const std::vector<T> memory(rows.begin(), rows.end());
  const MatrixView<T> matrix{memory.data(), n_rows, n_columns, static_cast<std::ptrdiff_t>(n_columns), 1};
  std::vector<std::uint8_t> codes(MaskTables::kBlockRows * tables.n_used());
  std::vector<double> sums(n_rows * n_outputs, 0.5);
  tables.add_sums<Sum>(matrix, 0, n_rows, n_outputs, first, last, codes.data(), sums.data());
  return sums;
}

TEST("masks: tables of thresholds add up like walks") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const ForestShape shape{.n_trees = 21,
                            .n_splits = seed % 3 == 0 ? std::size_t{63} : std::size_t{20},
                            .n_codes = {0, 0, 0, 0, 0},
                            .n_classes = 0};
    const RandomForest made = random_forest(seed, shape);
    const auto tables = MaskTables::make(made.forest.view(), shape.n_codes);
    CHECK(tables != nullptr);
    if (tables == nullptr) continue;
    const std::vector<double> rows = random_table_rows(seed, 203, shape, true).rows;
    CHECK(masked<double>(*tables, shape, rows, 1, 0, 21) == walked(made, shape, rows, 1, 0, 21));
    CHECK(masked<float>(*tables, shape, rows, 1, 0, 21) == walked(made, shape, rows, 1, 0, 21));
    CHECK(masked<double>(*tables, shape, rows, 3, 3, 18) == walked(made, shape, rows, 3, 3, 18));
  }
}

TEST("masks: tables of categories add up like walks") {
  int n_made = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const ForestShape shape{.n_trees = 2, .n_splits = 3, .n_codes = {0, 5, 70, 250}, .n_classes = 0};
    const RandomForest made = random_forest(seed, shape);
    const auto tables = MaskTables::make(made.forest.view(), shape.n_codes);
    if (tables == nullptr) continue;  // a category that is cut like an order as well
    ++n_made;
    std::vector<double> rows = random_table_rows(seed, 150, shape, false).rows;
    rows[1] = 6;  // never seen
    rows[6] = 71;
    CHECK(masked<double>(*tables, shape, rows, 1, 0, 2) == walked(made, shape, rows, 1, 0, 2));
  }
  CHECK(n_made >= 20);
}

TEST("masks: forests that do not fit have no tables") {
  const ForestShape deep{.n_trees = 8, .n_splits = 64, .n_codes = {0, 0}, .n_classes = 0};
  CHECK(MaskTables::make(random_forest(1, deep).forest.view(), deep.n_codes) == nullptr);
  const ForestShape many{.n_trees = 60, .n_splits = 40, .n_codes = {0}, .n_classes = 0};
  const RandomForest made = random_forest(1, many);
  CHECK(made.forest.n_nodes() > 2 * 255);
  const ForestShape classes{.n_trees = 8, .n_splits = 5, .n_codes = {0, 0}, .n_classes = 2};
  CHECK(MaskTables::make(random_forest(1, classes).forest.view(), classes.n_codes) == nullptr);
  const ForestShape sets{.n_trees = 8, .n_splits = 9, .n_codes = {300}, .n_classes = 0};
  CHECK(MaskTables::make(random_forest(1, sets).forest.view(), sets.n_codes) == nullptr);
}

TEST("masks: sums in single precision are those of float32 numbers, by tables and by walks") {
  const ForestShape shape{.n_trees = 21, .n_splits = 20, .n_codes = {0, 0, 0}, .n_classes = 0};
  RandomForest made = random_forest(3, shape);
  for (double& number : made.forest.number) number = static_cast<float>(number);
  const auto tables = MaskTables::make(made.forest.view(), shape.n_codes);
  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  const std::vector<double> rows = random_table_rows(3, 3000, shape, true).rows;
  const MatrixView<double> all{rows.data(), 3000, 3, 3, 1};
  std::vector<NodeId> leaves(3000 * 21);
  Team team(1);
  predictor.apply(all, team, leaves.data());
  std::vector<double> expected(3000);
  for (std::size_t row = 0; row < 3000; ++row) {
    float sum = 0.5F;
    for (std::size_t tree = 0; tree < 21; ++tree) {
      const std::size_t leaf = static_cast<std::size_t>(leaves[row * 21 + tree]);
      sum += static_cast<float>(made.forest.number[static_cast<std::size_t>(made.forest.begin[tree]) + leaf]);
    }
    expected[row] = sum;
  }
  CHECK((masked<double, SingleSum>(*tables, shape, rows, 1, 0, 21) == expected));
  std::vector<double> few(3000, 0.5), many(3000, 0.5);
  predictor.add_sums(all, 1, 0, 21, team, many.data(), true);
  for (std::size_t row = 0; row < 3000; ++row) {
    const MatrixView<double> one{rows.data() + 3 * row, 1, 3, 3, 1};
    predictor.add_sums(one, 1, 0, 21, team, few.data() + row, true);
  }
  CHECK(many == expected);
  CHECK(few == expected);
}

TEST("masks: many rows take the tables and few rows the walk") {
  const ForestShape shape{.n_trees = 30, .n_splits = 30, .n_codes = {0, 0, 0}, .n_classes = 0};
  const RandomForest made = random_forest(5, shape);
  const std::vector<double> rows = random_table_rows(5, 9000, shape, false).rows;
  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  const MatrixView<double> all{rows.data(), 9000, 3, 3, 1};
  std::vector<double> one(9000, 0.0), three(9000, 0.0), alone(9000, 0.0);
  Team team(1), larger(3);
  predictor.add_sums(all, 1, 0, 30, team, one.data());
  predictor.add_sums(all, 1, 0, 30, larger, three.data());
  CHECK(one == three);
  for (std::size_t row = 0; row < 9000; row += 97) {
    const MatrixView<double> single{rows.data() + 3 * row, 1, 3, 3, 1};
    predictor.add_sums(single, 1, 0, 30, team, alone.data() + row);
    CHECK(alone[row] == one[row]);
  }
}

}  // namespace

}  // namespace treewright::test
