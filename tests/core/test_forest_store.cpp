// A forest keeps what its trees are, gives them back, and refuses arrays that are no forest.
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "forest/unpack_forest.h"
#include "forest_data.h"
#include "grow_data.h"
#include "predict/forest_predictor.h"
#include "tree/check.h"

namespace treewright::test {

namespace {

CriterionName criterion_of(const ForestShape& shape) {
  return shape.n_classes > 0 ? CriterionName::kGini : CriterionName::kSquaredError;
}

bool same_leaves(const Tree& a, const Tree& b) {
  for (std::size_t node = 0; node < a.size(); ++node) {
    if (a.kind[node] != NodeKind::kLeaf) continue;
    const auto ours = value_of_leaf(a, static_cast<NodeId>(node));
    const auto theirs = value_of_leaf(b, static_cast<NodeId>(node));
    if (!std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end())) return false;
  }
  return true;
}

TEST("forest: an unpacked tree has the tests and leaves of the tree that went in") {
  for (const std::int32_t n_classes : {0, 1, 3}) {
    ForestShape shape;
    shape.n_classes = n_classes;
    const RandomForest made = random_forest(5, shape);
    check_forest(made.forest, shape.n_codes);
    CHECK(made.forest.n_trees() == shape.n_trees);
    for (std::size_t t = 0; t < shape.n_trees; ++t) {
      const Tree& before = made.trees[t];
      const Tree after = unpack_checked(made.forest.view(), t, criterion_of(shape));
      check_tree(after, shape.n_codes);
      CHECK(after.kind == before.kind && after.feature == before.feature &&
            after.first_child == before.first_child && after.n_children == before.n_children &&
            after.missing == before.missing && after.table == before.table && after.tables == before.tables);
      CHECK(same_numbers(after.threshold, before.threshold, 0));
      CHECK(after.rows == before.rows && after.weight == before.weight);
      CHECK(same_leaves(after, before));
    }
  }
}

TEST("forest: an unpacked tree has the values losses and gains of the grown tree") {
  const GrowData data = random_grow_data(600, 3);
  for (const CriterionEntry& entry : kCriteria) {
    const CriterionName criterion = entry.criterion;
    if (criterion == CriterionName::kAbsoluteError)
      continue;  // a median does not follow from those of the parts
    const bool for_classes = is_for_classes(criterion);
    GrowPlan plan;
    plan.min_rows_leaf = 5;
    const Tree grown = grow_task(data, {criterion, true}, plan);
    ForestBuilder builder(for_classes ? ForestBuilder::Answer::kClasses : ForestBuilder::Answer::kNumber,
                          for_classes ? 3 : 1, data.dataset.columns.size());
    builder.append(grown);
    builder.append(grown);
    const Tree tree = unpack(builder.forest(), 1, criterion);
    CHECK(tree.size() > 20);
    CHECK(same_numbers(tree.value, grown.value, 1e-9));
    CHECK(same_numbers(tree.gain, grown.gain, 1e-7));
    if (for_classes) CHECK(same_numbers(tree.loss, grown.loss, 1e-9));
    if (!for_classes) CHECK(std::isnan(tree.loss[0]) && std::isnan(tree.loss.back()));
  }
}

TEST("forest: each distinct distribution is stored once") {
  ForestShape shape;
  shape.n_trees = 30;
  const Forest forest = random_forest(1, shape).forest;
  const std::size_t n = forest.distributions.size() / forest.n_outputs;
  std::set<std::vector<double>> distinct;
  for (std::size_t row = 0; row < n; ++row) {
    const double* shares = forest.distributions.data() + row * forest.n_outputs;
    distinct.insert(std::vector<double>(shares, shares + forest.n_outputs));
  }
  CHECK(distinct.size() == n);
  CHECK(n > 64);  // more than the first table of the builder has room for
  CHECK(n < forest.n_nodes() / 4);
}

TEST("forest: a forest takes binary trees with one branch for missing values only") {
  Shape shape;
  shape.n_splits = 3;
  RandomTree random(2);
  const auto refuses = [](const Tree& tree) {
    ForestBuilder builder(ForestBuilder::Answer::kClasses, 3, 6);
    return throws<std::invalid_argument>([&] { builder.append(tree); });
  };
  shape.thresholds_only = true;
  Tree tree = random.tree(shape);
  CHECK(!refuses(tree));
  tree.missing[0] = kEveryBranch;
  CHECK(refuses(tree));
  TreeBuilder multiway(3);
  multiway.split_by_branch(0, 2, 3, std::vector<std::uint32_t>{0, 0, 1, 2});
  CHECK(refuses(multiway.finish()));
  TreeBuilder other_outputs(2);
  CHECK(refuses(other_outputs.finish()));
}

TEST("forest: wide tables keep their features in 32 bits") {
  ForestBuilder builder(ForestBuilder::Answer::kNumber, 1, 40000);
  TreeBuilder tree(1);
  tree.split_at_threshold(0, 39999, 0.5);
  builder.append(tree.finish());
  const Forest forest = builder.finish();
  CHECK(forest.feature16.empty() && forest.feature32.size() == 3);
  check_forest(forest, std::vector<Code>(40000, 0));
  CHECK(unpack(forest, 0, CriterionName::kSquaredError).feature[0] == 39999);
}

// One damage each, on a forest whose tree 0 starts with a threshold and holds a subset at `subset`.
struct Damage {
  const char* what;
  std::function<void(Forest&, std::size_t subset, std::size_t leaf)> apply;
};

const std::vector<Damage>& damages() {
  static const std::vector<Damage> all{
      {"begin starts late", [](Forest& f, std::size_t, std::size_t) { f.begin[0] = 1; }},
      {"begin falls", [](Forest& f, std::size_t, std::size_t) { f.begin[1] = f.begin[2]; }},
      {"begin is negative", [](Forest& f, std::size_t, std::size_t) { f.begin[1] = INT64_MIN; }},
      {"begin is huge", [](Forest& f, std::size_t, std::size_t) { f.begin[1] = INT64_MAX; }},
      {"begin ends early", [](Forest& f, std::size_t, std::size_t) { --f.begin.back(); }},
      {"no begin", [](Forest& f, std::size_t, std::size_t) { f.begin.clear(); }},
      {"short child", [](Forest& f, std::size_t, std::size_t) { f.child.pop_back(); }},
      {"short feature", [](Forest& f, std::size_t, std::size_t) { f.feature16.pop_back(); }},
      {"short flags", [](Forest& f, std::size_t, std::size_t) { f.flags.pop_back(); }},
      {"short weight", [](Forest& f, std::size_t, std::size_t) { f.weight.pop_back(); }},
      {"short rows", [](Forest& f, std::size_t, std::size_t) { f.rows.pop_back(); }},
      {"a cycle", [](Forest& f, std::size_t s, std::size_t) { f.child[s] = 0; }},
      {"two parents", [](Forest& f, std::size_t s, std::size_t) { f.child[s] = f.child[s] + 1; }},
      {"children outside", [](Forest& f, std::size_t s, std::size_t) { f.child[s] = 0xFFFFFFFFU; }},
      {"NaN threshold", [](Forest& f, std::size_t, std::size_t) { f.number[0] = kNaN; }},
      {"unknown feature", [](Forest& f, std::size_t s, std::size_t) { f.feature16[s] = 7; }},
      {"negative feature", [](Forest& f, std::size_t s, std::size_t) { f.feature16[s] = -2; }},
      {"subset of a number", [](Forest& f, std::size_t s, std::size_t) { f.feature16[s] = 0; }},
      {"unknown flag", [](Forest& f, std::size_t s, std::size_t) { f.flags[s] |= 4; }},
      {"flags of a leaf", [](Forest& f, std::size_t, std::size_t l) { f.flags[l] = 1; }},
      {"NaN weight", [](Forest& f, std::size_t, std::size_t) { f.weight[1] = std::nanf(""); }},
      {"negative weight", [](Forest& f, std::size_t, std::size_t) { f.weight[1] = -1; }},
      {"NaN table", [](Forest& f, std::size_t s, std::size_t) { f.number[s] = kNaN; }},
      {"half a table", [](Forest& f, std::size_t s, std::size_t) { f.number[s] += 0.5; }},
      {"infinite table", [](Forest& f, std::size_t s, std::size_t) { f.number[s] = kInf; }},
      {"negative table", [](Forest& f, std::size_t s, std::size_t) { f.number[s] = -1; }},
      {"table outside",
       [](Forest& f, std::size_t s, std::size_t) { f.number[s] = static_cast<double>(f.tables.size() - 1); }},
      {"table too long", [](Forest& f, std::size_t, std::size_t) { f.tables[1] = 0xFFFFFFFFU; }},
      {"multiway table", [](Forest& f, std::size_t, std::size_t) { f.tables[0] = 2; }},
      {"no tables", [](Forest& f, std::size_t, std::size_t) { f.tables.clear(); }},
      {"NaN distribution", [](Forest& f, std::size_t, std::size_t) { f.distributions[1] = kNaN; }},
      {"infinite distribution", [](Forest& f, std::size_t, std::size_t) { f.distributions[1] = kInf; }},
      {"negative distribution", [](Forest& f, std::size_t, std::size_t) { f.distributions[1] = -0.5; }},
      {"half a distribution", [](Forest& f, std::size_t, std::size_t) { f.distributions.pop_back(); }},
      {"no distribution", [](Forest& f, std::size_t, std::size_t) { f.distributions.clear(); }},
      {"unknown distribution", [](Forest& f, std::size_t, std::size_t l) { f.child[l] = 1000000; }},
      {"NaN leaf", [](Forest& f, std::size_t, std::size_t l) { f.number[l] = kNaN; }},
      {"no output", [](Forest& f, std::size_t, std::size_t) { f.n_outputs = 0; }},
  };
  return all;
}

TEST("forest: every damage of a forest is found") {
  ForestShape shape;
  Forest sound;
  std::size_t subset = 0;
  // A seed for which tree 0 starts with a threshold; its first subset test has the first table.
  for (std::uint64_t seed = 0; subset == 0; ++seed) {
    sound = random_forest(seed, shape).forest;
    if (sound.flags[0] > 1) continue;
    while (sound.flags[subset] < 2) ++subset;
  }
  std::size_t leaf = 0;
  while (sound.feature16[leaf] != kNoFeature) ++leaf;
  check_forest(sound, shape.n_codes);
  for (const Damage& damage : damages()) {
    Forest forest = sound;
    damage.apply(forest, subset, leaf);
    const bool found = throws<std::invalid_argument>([&] { check_forest(forest, shape.n_codes); });
    if (!found) fail(__FILE__, __LINE__, std::string("not found: ") + damage.what);
  }
}

template <class T>
void scramble(RandomTree& random, std::vector<T>& array) {
  if (array.empty()) return;
  auto* bytes = reinterpret_cast<unsigned char*>(array.data());
  bytes[random.below(static_cast<std::uint32_t>(array.size() * sizeof(T)))] =
      static_cast<unsigned char>(random.below(256));
}

TEST("forest: forests of any bytes are refused or can be walked") {
  ForestShape shape;
  shape.n_trees = 3;
  shape.n_splits = 6;
  RandomTree random(9);
  const std::vector<double> rows = random.rows(9, shape.n_codes, 5);
  std::size_t n_walked = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Forest forest = random_forest(seed % 20, shape).forest;
    const std::uint32_t n_changes = 1 + random.below(2);
    for (std::uint32_t i = 0; i < n_changes; ++i) {
      switch (random.below(8)) {
        case 0: scramble(random, forest.begin); break;
        case 1: scramble(random, forest.number); break;
        case 2: scramble(random, forest.child); break;
        case 3: scramble(random, forest.feature16); break;
        case 4: scramble(random, forest.flags); break;
        case 5: scramble(random, forest.weight); break;
        case 6: scramble(random, forest.distributions); break;
        default: scramble(random, forest.tables); break;
      }
    }
    for (std::size_t t = 0; t < shape.n_trees; ++t) {
      throws<std::invalid_argument>([&] { unpack_checked(forest.view(), t, CriterionName::kEntropy); });
    }
    try {
      const ForestPredictor predictor(forest.view(), shape.n_codes);
      Team team(1);
      std::vector<double> out(9 * predictor.n_outputs());
      predictor.values(MatrixView<double>{rows.data(), 9, shape.n_codes.size(), 7, 1}, team, out.data());
      ++n_walked;
    } catch (const std::invalid_argument&) {
    }
  }
  CHECK(n_walked > 100 && n_walked < 3900);
}

}  // namespace

}  // namespace treewright::test
