// Random forests for the tests: trees of thresholds and subsets, rows to predict for, and tables with the
// same columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "random_tree.h"
#include "reference_walk.h"
#include "split_data.h"
#include "tree/builder.h"
#include "tree/canonical.h"
#include "tree/forest.h"

namespace treewright::test {

struct ForestShape {
  std::size_t n_trees = 11;
  std::size_t n_splits = 40;
  std::vector<Code> n_codes{0, 0, 5, 0, 70, 62, 2000};
  std::int32_t n_classes = 3;  // 0: the trees predict numbers
  bool thresholds_only = false;
};

inline std::vector<std::uint32_t> random_table(RandomTree& random, TableFormat format, Code n_codes) {
  std::vector<std::uint32_t> table;
  if (format == TableFormat::kBits) {
    table.resize(random.below(2) + (n_codes + 2 + 31) / 32 - 1);
    for (std::uint32_t& word : table) word = random.below(0xFFFFFFFFU);
    return table;
  }
  for (Code code = 0; code <= n_codes + 1; ++code) {
    if (random.chance(3)) table.push_back(code);
  }
  return table;
}

inline void split_leaf(RandomTree& random, TreeBuilder& builder, NodeId node, const ForestShape& shape) {
  const auto feature = static_cast<FeatureId>(random.below(static_cast<std::uint32_t>(shape.n_codes.size())));
  const Code n_codes = shape.n_codes[static_cast<std::size_t>(feature)];
  builder.tree().missing[static_cast<std::size_t>(node)] = random.below(2);
  // Categories are sometimes cut like an order, so that one feature is read in every form.
  if (n_codes == 0 || shape.thresholds_only || random.chance(5)) {
    const double threshold = n_codes > 0 ? random.below(n_codes + 1) + 0.5 : random.number();
    builder.split_at_threshold(node, feature, random.chance(20) ? kInf : threshold);
    return;
  }
  const TableFormat formats[] = {TableFormat::kBits, TableFormat::kList, TableFormat::kListLeft};
  const TableFormat format = formats[random.below(3)];
  builder.split_by_subset(node, feature, format, random_table(random, format, n_codes));
}

// Weights and rows add up as after training; only the values of leaves mean something.
inline Tree random_binary_tree(RandomTree& random, const ForestShape& shape) {
  TreeBuilder builder(shape.n_classes > 0 ? shape.n_classes : 1);
  std::vector<NodeId> leaves{0};
  for (std::size_t i = 0; i < shape.n_splits; ++i) {
    const std::uint32_t pick = random.below(static_cast<std::uint32_t>(leaves.size()));
    const NodeId node = leaves[pick];
    leaves.erase(leaves.begin() + pick);
    split_leaf(random, builder, node, shape);
    const NodeId first = builder.tree().first_child[static_cast<std::size_t>(node)];
    leaves.insert(leaves.end(), {first, first + 1});
  }
  Tree tree = canonical(builder.finish());
  const auto n_outputs = static_cast<std::size_t>(tree.outputs);
  for (std::size_t node = tree.size(); node-- > 0;) {
    if (tree.kind[node] != NodeKind::kLeaf) {
      const auto child = static_cast<std::size_t>(tree.first_child[node]);
      tree.rows[node] = tree.rows[child] + tree.rows[child + 1];
      tree.weight[node] = tree.weight[child] + tree.weight[child + 1];
      continue;
    }
    tree.rows[node] = 1 + random.below(9);
    tree.weight[node] = static_cast<double>(tree.rows[node]) / 2;
    double* value = tree.value.data() + node * n_outputs;
    if (shape.n_classes == 0) {
      *value = random.number();
      continue;
    }
    // A few distributions come up again and again, pure and tied ones among them.
    const std::uint32_t pick = random.below(static_cast<std::uint32_t>(n_outputs) + 2);
    for (std::size_t k = 0; k < n_outputs; ++k) {
      value[k] = pick < n_outputs ? (k == pick ? 1.0 : 0.0) : 1.0 / static_cast<double>(n_outputs);
    }
    if (pick == n_outputs + 1) value[0] = random.unit();
  }
  return tree;
}

struct RandomForest {
  std::vector<Tree> trees;
  Forest forest;
};

inline RandomForest random_forest(std::uint64_t seed, const ForestShape& shape) {
  RandomTree random(seed);
  RandomForest made;
  const auto answer = shape.n_classes > 0 ? ForestBuilder::Answer::kClasses : ForestBuilder::Answer::kNumber;
  const std::size_t n_outputs = shape.n_classes > 0 ? static_cast<std::size_t>(shape.n_classes) : 1;
  ForestBuilder builder(answer, n_outputs, shape.n_codes.size(), shape.n_trees);
  for (std::size_t t = 0; t < shape.n_trees; ++t) {
    made.trees.push_back(random_binary_tree(random, shape));
    builder.append(made.trees.back());
  }
  made.forest = builder.finish();
  return made;
}

// A table of random codes in the columns that the shape names, and the same rows as numbers.
struct RandomTable {
  Dataset dataset;
  std::vector<double> rows;  // row-major
};

inline RandomTable random_table_rows(std::uint64_t seed, std::size_t n_rows, const ForestShape& shape,
                                     bool float32_numbers) {
  Random random(seed);
  RandomTable table;
  table.dataset.n_rows = n_rows;
  const std::size_t n_columns = shape.n_codes.size();
  table.rows.resize(n_rows * n_columns);
  for (std::size_t f = 0; f < n_columns; ++f) {
    const Code n_codes = shape.n_codes[f] > 0 ? shape.n_codes[f] : 30;
    const std::vector<Code> codes = random_codes(random, n_rows, n_codes, 0.1);
    std::vector<double> values;
    for (Code code = 1; code <= n_codes; ++code)
      values.push_back((code - 15.0) * (float32_numbers ? 0.25 : 0.3));
    const bool is_numeric = shape.n_codes[f] == 0;
    table.dataset.columns.push_back(make_column(is_numeric ? ColumnKind::kNumeric : ColumnKind::kNominal,
                                                codes, n_codes, is_numeric ? values : std::vector<double>()));
    for (std::size_t i = 0; i < n_rows; ++i) {
      const double known = is_numeric && codes[i] > 0 ? values[codes[i] - 1] : codes[i];
      table.rows[i * n_columns + f] = codes[i] == kMissing ? kNaN : known;
    }
  }
  return table;
}

// The leaf of one row, found as plainly as possible.
inline NodeId reference_leaf(const Tree& tree, std::span<const Code> n_codes, std::span<const double> row) {
  return ReferenceWalk(tree, n_codes, row).reached().main_leaf();
}

inline std::span<const double> value_of_leaf(const Tree& tree, NodeId leaf) {
  const auto n_outputs = static_cast<std::size_t>(tree.outputs);
  return std::span(tree.value).subspan(static_cast<std::size_t>(leaf) * n_outputs, n_outputs);
}

inline std::size_t first_largest(std::span<const double> shares) {
  return static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

}  // namespace treewright::test
