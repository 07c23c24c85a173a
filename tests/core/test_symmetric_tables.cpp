// Sums of symmetric trees by bits of answers are those of the plain walk, to the last bit.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "check.h"
#include "forest_data.h"
#include "predict/adding.h"
#include "predict/forest_predictor.h"
#include "predict/symmetric_tables.h"

namespace treewright::test {

namespace {

const std::vector<Code> kThreeNumbers{0, 0, 0};

struct Level {
  FeatureId feature;
  double threshold;
};

// missing values go right where the feature is odd.
Tree symmetric_tree(RandomTree& random, std::span<const Level> levels) {
  TreeBuilder builder(1);
  std::vector<NodeId> nodes{0};
  for (const Level& level : levels) {
    std::vector<NodeId> next;
    for (const NodeId node : nodes) {
      builder.tree().missing[static_cast<std::size_t>(node)] = level.feature % 2 == 1 ? 1 : 0;
      builder.split_at_threshold(node, level.feature, level.threshold);
      const NodeId first = builder.tree().first_child[static_cast<std::size_t>(node)];
      next.insert(next.end(), {first, first + 1});
    }
    nodes = next;
  }
  Tree tree = canonical(builder.finish());
  for (std::size_t node = tree.size(); node-- > 0;) {
    const auto child = static_cast<std::size_t>(tree.first_child[node]);
    const bool is_leaf = tree.kind[node] == NodeKind::kLeaf;
    tree.rows[node] = is_leaf ? 1 : tree.rows[child] + tree.rows[child + 1];
    tree.weight[node] = is_leaf ? 1 : tree.weight[child] + tree.weight[child + 1];
    if (is_leaf) tree.value[node] = random.number();
  }
  return tree;
}

RandomForest forest_of(std::vector<Tree> trees) {
  RandomForest made;
  ForestBuilder builder(ForestBuilder::Answer::kNumber, 1, kThreeNumbers.size(), trees.size());
  for (const Tree& tree : trees) builder.append(tree);
  made.trees = std::move(trees);
  made.forest = builder.finish();
  return made;
}

RandomForest symmetric_forest(std::uint64_t seed, std::size_t n_trees, std::size_t most_levels) {
  RandomTree random(seed);
  std::vector<Tree> trees;
  for (std::size_t t = 0; t < n_trees; ++t) {
    std::vector<Level> levels(random.below(static_cast<std::uint32_t>(most_levels) + 1));
    for (Level& level : levels) {
      level = {static_cast<FeatureId>(random.below(3)), random.chance(15) ? kInf : random.number()};
    }
    trees.push_back(symmetric_tree(random, levels));
  }
  return forest_of(std::move(trees));
}

template <class Sum>
std::vector<double> walked(const RandomForest& made, const std::vector<double>& rows, std::size_t n_outputs,
                           std::size_t first, std::size_t last) {
  std::vector<double> sums(rows.size() / 3 * n_outputs, 0.5);
  for (std::size_t i = 0; i < rows.size() / 3; ++i) {
    for (std::size_t tree = first; tree < last; ++tree) {
      const NodeId leaf = reference_leaf(made.trees[tree], kThreeNumbers, std::span(rows).subspan(i * 3, 3));
      Sum::add(sums[i * n_outputs + tree % n_outputs], value_of_leaf(made.trees[tree], leaf)[0]);
    }
  }
  return sums;
}

template <class T>
std::vector<double> predicted(const RandomForest& made, const std::vector<double>& rows,
                              std::size_t n_outputs, std::size_t first, std::size_t last, bool single,
                              int n_threads) {
  const ForestPredictor predictor(made.forest.view(), kThreeNumbers);
  const std::vector<T> memory(rows.begin(), rows.end());
  const MatrixView<T> matrix{memory.data(), rows.size() / 3, 3, 3, 1};
  std::vector<double> sums(matrix.n_rows * n_outputs, 0.5);
  Team team(n_threads);
  predictor.add_sums(matrix, n_outputs, first, last, team, sums.data(), single);
  return sums;
}

TEST("symmetric: trees of every depth add up like walks") {
  const ForestShape shape{.n_trees = 1, .n_splits = 1, .n_codes = kThreeNumbers, .n_classes = 0};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomForest made = symmetric_forest(seed, 19, 8);
    CHECK(SymmetricTables::make(made.forest.view(), kThreeNumbers) != nullptr);
    const std::vector<double> rows = random_table_rows(seed, 1100, shape, true).rows;
    CHECK(predicted<double>(made, rows, 1, 0, 19, false, 1) == walked<DoubleSum>(made, rows, 1, 0, 19));
    CHECK(predicted<float>(made, rows, 1, 0, 19, false, 3) == walked<DoubleSum>(made, rows, 1, 0, 19));
    CHECK(predicted<double>(made, rows, 1, 2, 17, true, 1) == walked<SingleSum>(made, rows, 1, 2, 17));
    CHECK(predicted<double>(made, rows, 3, 3, 18, false, 1) == walked<DoubleSum>(made, rows, 3, 3, 18));
  }
}

TEST("symmetric: trees that are not, or too deep, have no tables") {
  const ForestShape shape{.n_trees = 8, .n_splits = 7, .n_codes = kThreeNumbers, .n_classes = 0};
  CHECK(SymmetricTables::make(random_forest(1, shape).forest.view(), kThreeNumbers) == nullptr);
  RandomTree random(1);
  const std::vector<Level> nine(9, Level{0, 0.5});
  const RandomForest deep = forest_of({symmetric_tree(random, nine)});
  CHECK(SymmetricTables::make(deep.forest.view(), kThreeNumbers) == nullptr);
  RandomForest two_ways = forest_of({symmetric_tree(random, std::vector<Level>(2, Level{0, 0.5}))});
  CHECK(SymmetricTables::make(two_ways.forest.view(), kThreeNumbers) != nullptr);
  two_ways.forest.flags[0] ^= kMissingGoesRight;
  CHECK(SymmetricTables::make(two_ways.forest.view(), kThreeNumbers) == nullptr);
}

}  // namespace

}  // namespace treewright::test
