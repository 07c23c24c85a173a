// What a forest says about its training rows: sums over the trees that did not see them, the effect of
// shuffled features, and quantiles; each against its definition.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "forest_data.h"
#include "predict/bag_permutation.h"
#include "predict/forest_quantiles.h"
#include "predict/out_of_bag.h"

namespace treewright::test {

namespace {

constexpr std::size_t kRows = 2500;  // more than a block

std::vector<std::uint32_t> bag_of_tree(std::size_t tree) {
  Random random = Random(11).split(tree);
  std::vector<std::uint32_t> counts(kRows, 0);
  for (std::size_t i = 0; i < kRows; ++i) ++counts[random.uniform(kRows)];
  return counts;
}

OutOfBag plain_out_of_bag(const RandomForest& made, const ForestShape& shape, const RandomTable& table,
                          std::size_t first, std::size_t last, bool votes) {
  const auto n_outputs = static_cast<std::size_t>(made.trees.front().outputs);
  OutOfBag found{std::vector<double>(kRows * n_outputs, 0.0), std::vector<std::uint32_t>(kRows, 0)};
  for (std::size_t t = first; t < last; ++t) {
    const std::vector<std::uint32_t> counts = bag_of_tree(t);
    for (std::size_t row = 0; row < kRows; ++row) {
      if (counts[row] > 0) continue;
      const auto cells = std::span(table.rows).subspan(row * shape.n_codes.size(), shape.n_codes.size());
      const auto value = value_of_leaf(made.trees[t], reference_leaf(made.trees[t], shape.n_codes, cells));
      for (std::size_t k = 0; k < n_outputs; ++k) {
        found.sums[row * n_outputs + k] += votes ? (k == first_largest(value) ? 1.0 : 0.0) : value[k];
      }
      ++found.n_trees[row];
    }
  }
  return found;
}

TEST("forest: out of bag sums are those of the trees that did not see the row") {
  for (const bool thresholds_only : {false, true}) {
    for (const std::int32_t n_classes : {0, 3}) {
      ForestShape shape;
      shape.thresholds_only = thresholds_only;
      shape.n_classes = n_classes;
      shape.n_trees = 37;  // more than are handled in one round
      const RandomForest made = random_forest(8, shape);
      const ForestPredictor predictor(made.forest.view(), shape.n_codes);
      for (const bool float32_numbers : {false, true}) {
        const RandomTable table = random_table_rows(3, kRows, shape, float32_numbers);
        for (const bool votes : {false, true}) {
          if (votes && n_classes == 0) continue;
          const OutOfBag expected = plain_out_of_bag(made, shape, table, 2, 36, votes);
          for (const int n_threads : {1, 3}) {
            Team team(n_threads);
            const OutOfBag found = out_of_bag(predictor, table.dataset, bag_of_tree, 2, 36, votes, team);
            CHECK(found.sums == expected.sums && found.n_trees == expected.n_trees);
          }
        }
      }
    }
  }
}

// Numeric feature 0 decides; the others do not matter.
RandomForest stump_forest(std::size_t n_features, std::int32_t n_classes) {
  RandomForest made;
  const auto answer = n_classes > 0 ? ForestBuilder::Answer::kClasses : ForestBuilder::Answer::kNumber;
  ForestBuilder builder(answer, static_cast<std::size_t>(std::max(n_classes, 1)), n_features);
  for (int t = 0; t < 3; ++t) {
    TreeBuilder tree(std::max(n_classes, 1));
    tree.split_at_threshold(0, 0, 0.1);
    tree.tree().value =
        n_classes > 0 ? std::vector<double>{0.5, 0.5, 1, 0, 0, 1} : std::vector<double>{1, 0, 2};
    tree.tree().missing[0] = 1;
    made.trees.push_back(tree.finish());
    builder.append(made.trees.back());
  }
  made.forest = builder.finish();
  return made;
}

TEST("forest: shuffling the only feature costs what chance says") {
  ForestShape shape;
  shape.n_codes = {0, 5, 0};
  const RandomTable table = random_table_rows(1, kRows, shape, false);
  for (const std::int32_t n_classes : {2, 0}) {
    const RandomForest made = stump_forest(3, n_classes);
    const ForestPredictor predictor(made.forest.view(), shape.n_codes);
    std::vector<double> truth;
    for (std::size_t row = 0; row < kRows; ++row) {
      const double x = table.rows[row * 3];
      truth.push_back((x <= 0.1 ? 0.0 : 1.0) * (n_classes > 0 ? 1 : 2));  // missing values go right
    }
    Team team(2);
    const std::vector<double> found =
        bag_permutation(predictor, table.dataset, bag_of_tree, truth, {4, 5}, team);
    CHECK(found.size() == 3 * 3 * 4);
    double total = 0;
    for (std::size_t t = 0; t < 3; ++t) {
      const std::vector<std::uint32_t> counts = bag_of_tree(t);
      double n_outside = 0, n_low = 0;
      for (std::size_t row = 0; row < kRows; ++row) {
        n_outside += counts[row] == 0;
        n_low += counts[row] == 0 && truth[row] == 0;
      }
      // Two rows drawn at random differ with this chance; the error is then 1, or 2 squared.
      const double chance = 2 * n_low * (n_outside - n_low) / (n_outside * n_outside);
      for (std::size_t repeat = 0; repeat < 4; ++repeat) {
        const double at_0 = found[(t * 3 + 0) * 4 + repeat] / (n_classes > 0 ? 1 : 4);
        CHECK(std::abs(at_0 - chance) < 0.06);
        const double n_errors = at_0 * n_outside;
        CHECK(std::abs(n_errors - std::round(n_errors)) < 1e-6);
        CHECK(std::fmod(std::round(n_errors), 2) == 0);  // a shuffle errs as often on either side
        CHECK(found[(t * 3 + 1) * 4 + repeat] == 0 && found[(t * 3 + 2) * 4 + repeat] == 0);
        total += at_0 - chance;
      }
    }
    CHECK(std::abs(total / 12) < 0.02);
    CHECK(found[0] != found[1]);  // repeats differ
  }
}

// Every feature matters in random trees: shuffled values must be those of rows outside the bag.
TEST("forest: shuffling a constant feature costs nothing") {
  ForestShape shape;
  const RandomForest made = random_forest(4, shape);
  RandomTable table = random_table_rows(6, kRows, shape, true);
  for (Column& column : table.dataset.columns) {
    const Code n_codes = column.n_codes;
    write_codes(&column, kRows, n_codes, StopFlag{}, [](std::size_t) { return Code{2}; });
  }
  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  Team team(1);
  const std::vector<double> truth(kRows, 1.0);
  for (const double change : bag_permutation(predictor, table.dataset, bag_of_tree, truth, {2, 5}, team)) {
    CHECK(change == 0);
  }
}

TEST("forest: permutation does not depend on threads and is unknown without rows outside") {
  ForestShape shape;
  shape.n_classes = 0;
  const RandomForest made = random_forest(4, shape);
  const RandomTable table = random_table_rows(6, kRows, shape, false);
  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  std::vector<double> truth(kRows);
  std::iota(truth.begin(), truth.end(), -1000.0);
  Team one(1), three(3);
  const auto found = bag_permutation(predictor, table.dataset, bag_of_tree, truth, {2, 5}, one);
  CHECK(found == bag_permutation(predictor, table.dataset, bag_of_tree, truth, {2, 5}, three));
  const auto everything = [](std::size_t) { return std::vector<std::uint32_t>(kRows, 1); };
  for (const double change : bag_permutation(predictor, table.dataset, everything, truth, {1, 5}, one)) {
    CHECK(std::isnan(change));
  }
}

TEST("forest: tables that do not fit are refused") {
  ForestShape shape;
  const RandomForest made = random_forest(4, shape);
  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  ForestShape other = shape;
  other.n_codes[4] = 0;  // a number where the forest tests categories
  Team team(1);
  const auto refuses = [&](const ForestShape& of, std::size_t last) {
    const RandomTable table = random_table_rows(6, kRows, of, false);
    return throws<std::invalid_argument>(
        [&] { out_of_bag(predictor, table.dataset, bag_of_tree, 0, last, false, team); });
  };
  CHECK(!refuses(shape, shape.n_trees));
  CHECK(refuses(shape, shape.n_trees + 1));
  CHECK(refuses(other, shape.n_trees));
  other.n_codes.pop_back();
  CHECK(refuses(other, shape.n_trees));
  const RandomTable table = random_table_rows(6, kRows, shape, false);
  const auto short_bag = [](std::size_t) { return std::vector<std::uint32_t>(kRows - 1, 0); };
  CHECK(throws<std::invalid_argument>(
      [&] { out_of_bag(predictor, table.dataset, short_bag, 0, 1, false, team); }));
  CHECK(throws<std::invalid_argument>(
      [&] { bag_permutation(predictor, table.dataset, bag_of_tree, std::vector<double>(3), {}, team); }));
}

// The training rows of every leaf, as growing keeps them.
struct Leaves {
  std::vector<std::int64_t> begin{0};
  std::vector<std::uint32_t> rows;
};

Leaves leaves_of(const RandomForest& made, const ForestShape& shape, const RandomTable& table, bool in_bag) {
  Leaves leaves;
  for (std::size_t t = 0; t < made.trees.size(); ++t) {
    const Tree& tree = made.trees[t];
    const std::vector<std::uint32_t> counts = bag_of_tree(t);
    std::map<NodeId, std::vector<std::uint32_t>> rows_of;
    for (std::uint32_t row = 0; row < kRows; ++row) {
      if (in_bag && counts[row] == 0) continue;
      const auto cells = std::span(table.rows).subspan(row * shape.n_codes.size(), shape.n_codes.size());
      rows_of[reference_leaf(tree, shape.n_codes, cells)].push_back(row);
    }
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.kind[node] != NodeKind::kLeaf) continue;
      std::vector<std::uint32_t>& rows = rows_of[static_cast<NodeId>(node)];
      // Random trees have leaves that no row reaches; training has not.
      if (rows.empty()) rows.push_back(static_cast<std::uint32_t>(node));
      leaves.rows.insert(leaves.rows.end(), rows.begin(), rows.end());
      leaves.begin.push_back(static_cast<std::int64_t>(leaves.rows.size()));
    }
  }
  return leaves;
}

// The weight of each training row for one row, from the definition.
std::vector<double> plain_weights(const RandomForest& made, const Leaves& leaves,
                                  std::span<const Code> n_codes, std::span<const double> row,
                                  std::span<const double> weights, bool in_bag) {
  std::vector<double> total(kRows, 0.0);
  std::size_t leaf = 0;
  for (std::size_t t = 0; t < made.trees.size(); ++t) {
    const Tree& tree = made.trees[t];
    const std::vector<std::uint32_t> counts = bag_of_tree(t);
    const NodeId reached = reference_leaf(tree, n_codes, row);
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.kind[node] != NodeKind::kLeaf) continue;
      const auto begin = leaves.rows.begin() + leaves.begin[leaf],
                 end = leaves.rows.begin() + leaves.begin[leaf + 1];
      ++leaf;
      if (static_cast<NodeId>(node) != reached) continue;
      const auto amount = [&](std::uint32_t r) {
        return (in_bag ? counts[r] : 1.0) * (weights.empty() ? 1.0 : weights[r]);
      };
      double sum = 0;
      for (auto at = begin; at != end; ++at) sum += amount(*at);
      for (auto at = begin; at != end; ++at) {
        const double share = sum > 0 ? amount(*at) / sum : 1.0 / static_cast<double>(end - begin);
        total[*at] += share / static_cast<double>(made.trees.size());
      }
    }
  }
  return total;
}

double plain_quantile(const std::vector<double>& y, const std::vector<double>& weight, double q) {
  std::vector<std::size_t> order(y.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return y[a] < y[b]; });
  double sum = 0, last = 0;
  for (const std::size_t row : order) {
    if (weight[row] == 0) continue;
    last = y[row];
    sum += weight[row];
    if (sum >= q - 1e-10) return y[row];
  }
  return last;
}

void compare_quantiles(std::size_t n_splits, bool in_bag, bool weighted, std::uint64_t distinct_targets) {
  ForestShape shape;
  shape.n_classes = 0;
  shape.n_splits = n_splits;
  const RandomForest made = random_forest(4, shape);
  const RandomTable table = random_table_rows(6, kRows, shape, false);
  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  const Leaves leaves = leaves_of(made, shape, table, in_bag);
  Random random(1);
  std::vector<double> y, weights;
  for (std::size_t row = 0; row < kRows; ++row) {
    y.push_back(static_cast<double>(random.uniform(distinct_targets)) / 8);
    if (weighted) weights.push_back(static_cast<double>(random.uniform(4)));
  }
  const std::vector<double> quantiles{0.5, 0.0, 0.05, 0.25, 0.9, 1.0};
  const std::size_t n_rows = 70, n_columns = shape.n_codes.size();
  const MatrixView<double> matrix{table.rows.data(), n_rows, n_columns,
                                  static_cast<std::ptrdiff_t>(n_columns), 1};
  std::vector<std::vector<double>> found;
  for (const int n_threads : {1, 2}) {
    Team team(n_threads);
    const ForestQuantiles forest(predictor, {leaves.begin, leaves.rows}, y, weights,
                                 in_bag ? BagOfTree(bag_of_tree) : BagOfTree(), team);
    found.emplace_back(n_rows * quantiles.size());
    forest.predict(matrix, quantiles, team, found.back().data());
  }
  CHECK(found[0] == found[1]);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const auto row = std::span(table.rows).subspan(i * n_columns, n_columns);
    const std::vector<double> weight = plain_weights(made, leaves, shape.n_codes, row, weights, in_bag);
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
      CHECK(found[0][i * quantiles.size() + k] == plain_quantile(y, weight, quantiles[k]));
    }
  }
}

TEST("forest: quantiles are those of the rows that share leaves") {
  compare_quantiles(200, true, false, 100'000);  // few rows a leaf: sorted
  compare_quantiles(5, true, false, 40);         // many rows a leaf: counted
  compare_quantiles(40, false, true, 300);
  compare_quantiles(200, false, false, 100'000);
}

TEST("forest: quantiles refuse what does not fit") {
  ForestShape shape;
  shape.n_classes = 0;
  shape.n_splits = 1;
  shape.n_trees = 1;
  const RandomForest made = random_forest(4, shape);
  const ForestPredictor predictor(made.forest.view(), shape.n_codes);
  Team team(1);
  const auto refuses = [&](std::vector<std::int64_t> begin, std::vector<std::uint32_t> rows,
                           std::vector<double> y, std::vector<double> weights, double q) {
    return throws<std::invalid_argument>([&] {
      const ForestQuantiles forest(predictor, {begin, rows}, y, weights, {}, team);
      const std::vector<double> row(7, 1.0);
      double out = 0;
      forest.predict(MatrixView<double>{row.data(), 1, 7, 7, 1}, std::span(&q, 1), team, &out);
    });
  };
  CHECK(!refuses({0, 1, 2}, {0, 1}, {1, 2}, {}, 0.5));
  CHECK(refuses({0, 2}, {0, 1}, {1, 2}, {}, 0.5));
  CHECK(refuses({0, 0, 2}, {0, 1}, {1, 2}, {}, 0.5));
  CHECK(refuses({0, 1, 3}, {0, 1}, {1, 2}, {}, 0.5));
  CHECK(refuses({1, 1, 2}, {0, 1}, {1, 2}, {}, 0.5));
  CHECK(refuses({0, INT64_MAX, 2}, {0, 1}, {1, 2}, {}, 0.5));
  CHECK(refuses({0, 1, 2}, {0, 2}, {1, 2}, {}, 0.5));
  CHECK(refuses({0, 1, 2}, {0, 1}, {1, kNaN}, {}, 0.5));
  CHECK(refuses({0, 1, 2}, {0, 1}, {1, 2}, {1}, 0.5));
  CHECK(refuses({0, 1, 2}, {0, 1}, {1, 2}, {1, -1}, 0.5));
  CHECK(refuses({0, 1, 2}, {0, 1}, {1, 2}, {}, 1.5));
  CHECK(refuses({0, 1, 2}, {0, 1}, {1, 2}, {}, kNaN));
}

}  // namespace

}  // namespace treewright::test
