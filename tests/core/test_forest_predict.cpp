// Every form of a forest's nodes, every layout of a matrix and any number of threads give what the plain walk
// gives.
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "forest_data.h"
#include "predict/code_sets.h"
#include "predict/forest_predictor.h"

namespace treewright::test {

namespace {

// What the trees say of one row, summed in their order.
struct Answers {
  std::vector<NodeId> leaves;
  std::vector<double> mean, votes, numbers;
  std::vector<std::int32_t> classes;

  Answers(const std::vector<Tree>& trees, std::span<const Code> n_codes, std::span<const double> row)
      : mean(static_cast<std::size_t>(trees.front().outputs), 0.0), votes(mean) {
    for (const Tree& tree : trees) {
      const NodeId leaf = reference_leaf(tree, n_codes, row);
      const auto value = value_of_leaf(tree, leaf);
      leaves.push_back(leaf);
      numbers.push_back(value[0]);
      classes.push_back(static_cast<std::int32_t>(first_largest(value)));
      votes[first_largest(value)] += 1;
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += value[k];
    }
    for (double& x : mean) x /= static_cast<double>(trees.size());
    for (double& x : votes) x /= static_cast<double>(trees.size());
  }
};

template <class T>
void compare(const RandomForest& made, const ForestShape& shape, std::vector<double> rows, bool column_major,
             int n_threads) {
  const std::size_t n_columns = shape.n_codes.size(), n_rows = rows.size() / n_columns;
  std::vector<T> memory(rows.size());
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (std::size_t f = 0; f < n_columns; ++f) {
      const auto x = static_cast<T>(rows[i * n_columns + f]);
      rows[i * n_columns + f] = static_cast<double>(x);
      memory[column_major ? f * n_rows + i : i * n_columns + f] = x;
    }
  }
  MatrixView<T> matrix{memory.data(), n_rows, n_columns, static_cast<std::ptrdiff_t>(n_columns), 1};
  if (column_major) matrix = {memory.data(), n_rows, n_columns, 1, static_cast<std::ptrdiff_t>(n_rows)};

  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  Team team(n_threads);
  const std::size_t n_trees = shape.n_trees, n_outputs = predictor.n_outputs();
  std::vector<double> mean(n_rows * n_outputs, -1.0), votes(mean), numbers(n_rows * n_trees);
  std::vector<NodeId> leaves(n_rows * n_trees);
  std::vector<std::int32_t> classes(n_rows * n_trees);
  predictor.values(matrix, team, mean.data());
  predictor.apply(matrix, team, leaves.data());
  if (predictor.is_classes()) {
    predictor.votes(matrix, team, votes.data());
    predictor.leaf_classes(matrix, team, classes.data());
  } else {
    predictor.leaf_numbers(matrix, team, numbers.data());
  }
  for (std::size_t i = 0; i < n_rows; ++i) {
    const Answers expected(made.trees, shape.n_codes, std::span(rows).subspan(i * n_columns, n_columns));
    const auto same = [i](const auto& all, const auto& wanted) {
      return std::equal(wanted.begin(), wanted.end(),
                        all.begin() + static_cast<std::ptrdiff_t>(i * wanted.size()));
    };
    CHECK(same(leaves, expected.leaves));
    CHECK(same(mean, expected.mean));
    if (predictor.is_classes()) CHECK(same(votes, expected.votes) && same(classes, expected.classes));
    if (!predictor.is_classes()) CHECK(same(numbers, expected.numbers));
  }
}

void compare_everywhere(const ForestShape& shape, std::uint64_t n_seeds, std::size_t n_rows = 203) {
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    const RandomForest made = random_forest(seed, shape);
    RandomTree random(seed + 77);
    for (const std::uint32_t missing_one_in : {0U, 4U}) {
      const std::vector<double> rows = random.rows(n_rows, shape.n_codes, missing_one_in);
      compare<float>(made, shape, rows, false, 1);
      compare<double>(made, shape, rows, false, 2);
      compare<float>(made, shape, rows, true, 3);
      compare<double>(made, shape, rows, true, 1);
    }
  }
}

TEST("forest: forests of thresholds predict like the reference") {
  ForestShape shape;
  shape.thresholds_only = true;
  shape.n_codes = {0, 0, 4, 0};
  for (const std::int32_t n_classes : {0, 1, 2, 5}) {
    shape.n_classes = n_classes;
    for (const std::size_t n_splits : {0U, 1U, 5U, 300U}) {
      shape.n_splits = n_splits;
      compare_everywhere(shape, 2);
    }
  }
}

TEST("forest: forests with small sets predict like the reference") {
  ForestShape shape;
  shape.n_codes = {0, 3, 62, 0, 30};
  compare_everywhere(shape, 8);
}

TEST("forest: forests with sets of any size predict like the reference") {
  ForestShape shape;
  compare_everywhere(shape, 8);
  shape.n_classes = 0;
  compare_everywhere(shape, 4);
}

TEST("forest: large sets answer like their tables") {
  RandomTree random(3);
  const TableFormat formats[] = {TableFormat::kBits, TableFormat::kList, TableFormat::kListLeft};
  for (std::uint32_t round = 0; round < 300; ++round) {
    const TableFormat format = formats[round % 3];
    const Code n_codes = 63 + random.below(3000);
    // Short tables of many categories become lists, all others bits.
    const Code n_listed = random.chance(2) ? 1 + random.below(100) : n_codes;
    std::vector<std::uint32_t> table{static_cast<std::uint32_t>(format), 0};
    const std::vector<std::uint32_t> data = random_table(random, format, n_listed);
    table.insert(table.end(), data.begin(), data.end());
    table[1] = static_cast<std::uint32_t>(data.size());
    CodeSets sets;
    const std::uint64_t first = sets.add(table.data(), true, n_codes);
    const std::uint64_t second = sets.add(table.data(), false, n_codes);
    CHECK(sets.branch(first, kMissing) == 1 && sets.branch(second, kMissing) == 0);
    for (Code code = 1; code <= n_codes + 1; ++code) {
      CHECK(sets.branch(first, code) == branch_of(table.data(), code));
      CHECK(sets.branch(second, code) == branch_of(table.data(), code));
    }
  }
}

TEST("forest: few rows predict like the reference") {
  ForestShape shape;
  for (const std::size_t n_trees : {1U, 7U, 8U, 29U}) {
    shape.n_trees = n_trees;
    for (const std::size_t n_rows : {1U, 2U, 7U, 8U, 9U}) compare_everywhere(shape, 2, n_rows);
  }
  shape.thresholds_only = true;
  for (const std::size_t n_rows : {1U, 3U}) compare_everywhere(shape, 3, n_rows);
}

TEST("forest: forests over more features than a narrow node can name predict like the reference") {
  ForestShape shape;
  shape.thresholds_only = true;
  shape.n_codes.assign(700, 0);
  shape.n_splits = 200;
  shape.n_trees = 8;
  compare_everywhere(shape, 1, 50);
}

Forest stump_at(double threshold) {
  ForestBuilder builder(ForestBuilder::Answer::kNumber, 1, 1);
  TreeBuilder tree(1);
  tree.split_at_threshold(0, 0, threshold);
  tree.tree().value = {0, 1, 2};
  tree.tree().weight = {2, 1, 1};
  builder.append(tree.finish());
  return builder.finish();
}

template <class T>
std::vector<double> answers(const ForestPredictor& predictor, const std::vector<T>& rows) {
  Team team(1);
  std::vector<double> found(rows.size(), -1.0);
  predictor.values(MatrixView<T>{rows.data(), rows.size(), 1, 1, 1}, team, found.data());
  return found;
}

TEST("forest: numbers beyond float32 are compared as what they are") {
  // Among them numbers next to each other that are one and the same in float32, or none at all.
  const std::vector<double> numbers{0.1,   0.5,        0.0,   -0.0,   -1e-320, 1e-320,
                                    1e-46, 16777217.0, 1e300, -1e300, kInf,    -kInf};
  std::vector<double> rows;
  for (const double x : numbers) {
    rows.insert(rows.end(), {x, std::nextafter(x, kInf), std::nextafter(x, -kInf)});
    rows.push_back(static_cast<double>(static_cast<float>(x)));
  }
  std::vector<float> narrow_rows;
  for (const double x : rows) narrow_rows.push_back(static_cast<float>(x));
  for (const double threshold : rows) {
    const Forest forest = stump_at(threshold);
    const ForestPredictor predictor(forest.view(), std::vector<Code>{0});
    const std::vector<double> found = answers(predictor, rows), narrow = answers(predictor, narrow_rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(found[i] == (rows[i] <= threshold ? 1 : 2));
      CHECK(narrow[i] == (static_cast<double>(narrow_rows[i]) <= threshold ? 1 : 2));
      CHECK(answers(predictor, std::vector<double>{rows[i]})[0] == found[i]);
    }
  }
}

TEST("forest: a chain of a hundred thousand nodes is walked to its end") {
  ForestBuilder builder(ForestBuilder::Answer::kNumber, 1, 1);
  builder.append(chain(100'000));
  const Forest forest = builder.finish();
  const ForestPredictor predictor(forest.view(), std::vector<Code>{0});
  Team team(1);
  const std::vector<float> rows{0, 1, 99'998, 100'001, 50'000, 3, 3, 3, 77'777};
  std::vector<double> found(rows.size());
  predictor.values(MatrixView<float>{rows.data(), rows.size(), 1, 1, 1}, team, found.data());
  CHECK((found == std::vector<double>{0, 1, 99'998, 100'000, 50'000, 3, 3, 3, 77'777}));
}

TEST("forest: a forest is compiled once for many threads") {
  ForestShape shape;
  const RandomForest made = random_forest(3, shape);
  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  RandomTree random(4);
  const std::vector<double> rows = random.rows(500, shape.n_codes, 5);
  const MatrixView<double> matrix{rows.data(), 500, shape.n_codes.size(), 7, 1};
  std::vector<std::vector<double>> found(4, std::vector<double>(500 * 3));
  std::vector<std::thread> threads;
  for (std::vector<double>& out : found) {
    threads.emplace_back([&] {
      Team team(1);
      predictor.values(matrix, team, out.data());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& out : found) CHECK(out == found[0]);
}

TEST("forest: wrong questions are refused") {
  ForestShape shape;
  const RandomForest classes = random_forest(1, shape);
  shape.n_classes = 0;
  const RandomForest numbers = random_forest(1, shape);
  const ForestPredictor of_classes(classes.forest.view(), shape.n_codes);
  const ForestPredictor of_numbers(numbers.forest.view(), shape.n_codes);
  Team team(1);
  const std::vector<double> row(7, 1.0);
  std::vector<double> out(100);
  std::vector<std::int32_t> classes_out(100);
  const MatrixView<double> matrix{row.data(), 1, 7, 7, 1}, narrow{row.data(), 1, 6, 6, 1};
  CHECK(throws<std::invalid_argument>([&] { of_classes.values(narrow, team, out.data()); }));
  CHECK(throws<std::invalid_argument>([&] { of_numbers.votes(matrix, team, out.data()); }));
  CHECK(throws<std::invalid_argument>([&] { of_numbers.leaf_classes(matrix, team, classes_out.data()); }));
  CHECK(throws<std::invalid_argument>([&] { of_classes.leaf_numbers(matrix, team, out.data()); }));
  const Forest empty;
  CHECK(throws<std::invalid_argument>([&] { ForestPredictor(empty.view(), shape.n_codes); }));
}

}  // namespace

}  // namespace treewright::test
