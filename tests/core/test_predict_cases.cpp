// Single cases of prediction: rounding, infinity, empty branches, deep trees, threads, stopping, refusals.
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "check.h"
#include "predict/predictor.h"
#include "random_tree.h"
#include "tree/canonical.h"

namespace treewright::test {

namespace {

template <class T>
std::vector<NodeId> leaves(const Predictor& predictor, const std::vector<T>& rows, int n_threads = 1) {
  const std::size_t n_rows = rows.size() / predictor.n_features();
  std::vector<NodeId> out(n_rows * predictor.n_trees(), kNoNode);
  Team team(n_threads);
  const MatrixView<T> view{rows.data(), n_rows, predictor.n_features(),
                           static_cast<std::ptrdiff_t>(predictor.n_features()), 1};
  predictor.apply(view, team, out.data());
  return out;
}

template <class T>
std::vector<double> values(const Predictor& predictor, const std::vector<T>& rows, int n_threads = 1) {
  const std::size_t n_rows = rows.size() / predictor.n_features();
  std::vector<double> out(n_rows * predictor.n_outputs(), -1.0);
  Team team(n_threads);
  const MatrixView<T> view{rows.data(), n_rows, predictor.n_features(),
                           static_cast<std::ptrdiff_t>(predictor.n_features()), 1};
  predictor.values(view, team, out.data());
  return out;
}

Predictor predictor_of(const Tree& tree, const std::vector<Code>& n_codes) {
  return Predictor(std::span(&tree, 1), n_codes);
}

Tree stump(double threshold, std::uint32_t missing = 0) {
  TreeBuilder builder(1);
  builder.split_at_threshold(0, 0, threshold);
  builder.tree().missing[0] = missing;
  return builder.finish();
}

TEST("predict: a threshold is compared in double precision whatever the rows hold") {
  constexpr double kHuge = 1e300;
  constexpr float kLargest = std::numeric_limits<float>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double thresholds[]{0.1,
                            -0.1,
                            0.5,
                            1e-50,
                            -1e-50,
                            tiny,
                            -tiny,
                            0.0,
                            -0.0,
                            kInf,
                            -kInf,
                            kHuge,
                            -kHuge,
                            16777217.0,
                            3.4028235677973366e38,
                            static_cast<double>(kLargest),
                            -static_cast<double>(kLargest)};
  for (const double threshold : thresholds) {
    const Predictor predictor = predictor_of(stump(threshold), {0});
    std::vector<float> rows{0.1F,
                            -0.1F,
                            0.5F,
                            0.0F,
                            -0.0F,
                            kLargest,
                            -kLargest,
                            static_cast<float>(kInf),
                            -static_cast<float>(kInf),
                            16777216.0F,
                            16777218.0F,
                            std::numeric_limits<float>::denorm_min(),
                            -std::numeric_limits<float>::denorm_min()};
    for (std::size_t i = rows.size(); i > 0; --i) rows.push_back(std::nextafter(rows[i - 1], 0.0F));
    const std::vector<double> wide(rows.begin(), rows.end());
    const std::vector<NodeId> found = leaves(predictor, rows);
    CHECK(found == leaves(predictor, wide));
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(found[i] == (wide[i] <= threshold ? 1 : 2));
  }
}

TEST("predict: an infinite threshold separates missing values from all others") {
  const Predictor predictor = predictor_of(stump(kInf, 1), {0});
  const std::vector<double> rows{0.0, kInf, -kInf, kNaN, 1e308, kNaN, 0.0, 0.0, 0.0, kNaN};
  CHECK(leaves(predictor, rows) == (std::vector<NodeId>{1, 1, 1, 2, 1, 2, 1, 1, 1, 2}));
  CHECK(leaves(predictor, std::vector<float>(rows.begin(), rows.end())) == leaves(predictor, rows));
}

TEST("predict: matrix entries that are no code count as missing below and as unseen above") {
  TreeBuilder builder(1);
  builder.split_by_branch(0, 0, 5,
                          std::vector<std::uint32_t>{0, 1, 2, 3});  // codes 1, 2; unseen → 3; missing → 4
  builder.tree().missing[0] = 4;
  const Predictor predictor = predictor_of(builder.finish(), {2});
  const std::vector<double> rows{1, 2, 3, kNaN, 0, -1, -kInf, kInf, 1e30, 4294967296.0};
  CHECK(leaves(predictor, rows) == (std::vector<NodeId>{2, 3, 4, 5, 5, 5, 5, 4, 4, 4}));
}

TEST("predict: a value without a branch ends at the node") {
  TreeBuilder builder(1);
  // Codes 2 and 900 have branches, unseen (1001) and all others none; then missing alone ends at node 1.
  builder.split_by_branch(0, 0, 2, std::vector<std::uint32_t>{0, 2, 900, 1, 0, 1, kStopHere},
                          TableFormat::kPairs);
  builder.split_at_threshold(1, 1, 0.5);
  builder.tree().missing[0] = 1;
  builder.tree().missing[1] = kStopHere;
  Tree tree = builder.finish();
  for (std::size_t node = 0; node < tree.size(); ++node) tree.value[node] = static_cast<double>(node);
  const Predictor predictor = predictor_of(tree, {1000, 0});
  const std::vector<double> rows{2, 0, 2, 1, 2, kNaN, 900, 0, 3, 0, kNaN, 0, 1001, 1, 5000, kNaN};
  CHECK(leaves(predictor, rows) == (std::vector<NodeId>{3, 4, 1, 2, 0, 2, 0, 0}));
  CHECK(values(predictor, rows) == (std::vector<double>{3, 4, 1, 2, 0, 2, 0, 0}));
}

// x0 missing: 3/4 to the left leaf, 1/4 to the empty-looking right side, which splits again on x1.
TEST("predict: a shared row adds up the leaves it reaches") {
  TreeBuilder builder(2);
  builder.split_at_threshold(0, 0, 0.5);
  builder.split_at_threshold(2, 1, 0.5);
  Tree tree = builder.finish();
  tree.missing[0] = tree.missing[2] = kEveryBranch;
  tree.weight = {8, 6, 2, 2, 0};
  tree.value = {0, 0, 1, 0, 0, 0, 0, 1, 0.5, 0.25};
  const Predictor predictor = predictor_of(tree, {0, 0});
  CHECK(values(predictor, std::vector<double>{kNaN, 0}) == (std::vector<double>{0.75, 0.25}));
  CHECK(values(predictor, std::vector<double>{kNaN, kNaN}) == (std::vector<double>{0.75, 0.25}));
  // The leaf without weight counts like any other when the row's known values lead there.
  CHECK(values(predictor, std::vector<double>{kNaN, 1}) == (std::vector<double>{0.875, 0.0625}));
  CHECK(values(predictor, std::vector<double>{1, 1}) == (std::vector<double>{0.5, 0.25}));
  CHECK(leaves(predictor, std::vector<double>{kNaN, 1, 1, kNaN, 1, 1}) == (std::vector<NodeId>{1, 3, 4}));
}

TEST("predict: a surrogate answers for a missing value and may turn the branches round") {
  Tree tree = stump(0.5, 1);
  tree.surrogate_begin = {0, 2, 2, 2};
  tree.surrogate_feature = {1, 2};
  tree.surrogate_kind = {NodeKind::kThreshold, NodeKind::kSubset};
  tree.surrogate_threshold = {10.0, kNaN};
  tree.surrogate_table = {-1, 0};
  tree.tables = {0, 1, 0b1100};  // codes 2 and 3 (unseen) → branch 1
  tree.surrogate_flip = {1, 1};
  tree.surrogate_agreement = {0.9, 0.8};
  const Predictor predictor = predictor_of(tree, {0, 0, 2});
  const std::vector<double> rows{0,    99,   1,  // own value
                                 kNaN, 10,   1,  // first surrogate: branch 0, turned round
                                 kNaN, 11,   1,  // first surrogate: branch 1, turned round
                                 kNaN, kNaN, 2,  // second surrogate: branch 1, turned round
                                 kNaN, kNaN, 1,  // second surrogate: branch 0, turned round
                                 kNaN, kNaN, 3,  // an unseen category is no answer
                                 kNaN, kNaN, kNaN};
  CHECK(leaves(predictor, rows) == (std::vector<NodeId>{1, 2, 1, 1, 2, 2, 2}));
}

TEST("predict: a row finds its leaf in a tree of 100000 levels") {
  constexpr std::int32_t kLevels = 100'000;
  const Tree tree = canonical(chain(kLevels));
  const Predictor predictor = predictor_of(tree, {0});
  const std::vector<double> rows{0, 1, 77, 99'998, 99'999, 100'000, 1e9, 50'000, 3};
  const std::vector<double> expected{0, 1, 77, 99'998, 99'999, 100'000, 100'000, 50'000, 3};
  CHECK(values(predictor, rows) == expected);
  CHECK(values(predictor, std::vector<float>(rows.begin(), rows.end())) == expected);
  Team team(1);
  const Paths paths = predictor.decision_path(MatrixView<double>{rows.data(), 9, 1, 1, 1}, team);
  CHECK(paths.indptr[7] - paths.indptr[6] == kLevels + 1);
}

TEST("predict: a row is shared all the way down a tree of 100000 levels") {
  constexpr std::int32_t kLevels = 100'000;
  Tree tree = chain(kLevels);
  double weight = 1.0;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.kind[node] == NodeKind::kLeaf) continue;
    tree.missing[node] = kEveryBranch;
    tree.weight[node] = weight;
    weight *= 1.0 - 1e-5;
    tree.weight[static_cast<std::size_t>(tree.first_child[node])] = tree.weight[node] * 1e-5;
  }
  tree.weight.back() = weight;
  std::fill(tree.value.begin(), tree.value.end(), 1.0);
  const std::vector<double> sum = values(predictor_of(tree, {0}), std::vector<double>{kNaN});
  CHECK(std::abs(sum[0] - 1.0) < 1e-9);
}

TEST("predict: results do not depend on the number of threads") {
  for (const bool fractional : {false, true}) {
    Shape shape;
    shape.fractional = fractional;
    shape.n_splits = 300;
    RandomTree random(5);
    const std::vector<Tree> trees{canonical(random.tree(shape)), canonical(random.tree(shape))};
    const Predictor predictor(trees, shape.n_codes);
    const std::vector<double> rows = random.rows(30'000, shape.n_codes, 5);
    const std::vector<NodeId> one = leaves(predictor, rows, 1);
    CHECK(one == leaves(predictor, rows, 2));
    CHECK(one == leaves(predictor, rows, 5));
    CHECK(values(predictor, rows, 1) == values(predictor, rows, 4));
  }
}

TEST("predict: the values of several trees add up") {
  Shape shape;
  RandomTree random(6);
  const std::vector<Tree> trees{random.tree(shape), random.tree(shape)};
  const std::vector<double> rows = random.rows(100, shape.n_codes, 5);
  const std::vector<double> first = values(predictor_of(trees[0], shape.n_codes), rows);
  const std::vector<double> second = values(predictor_of(trees[1], shape.n_codes), rows);
  const std::vector<double> both = values(Predictor(trees, shape.n_codes), rows);
  for (std::size_t i = 0; i < both.size(); ++i) CHECK(both[i] == first[i] + second[i]);
  const std::vector<NodeId> ids = leaves(Predictor(trees, shape.n_codes), rows);
  CHECK(ids[1] == leaves(predictor_of(trees[1], shape.n_codes), rows)[0]);
}

TEST("predict: no rows give no results") {
  const Predictor predictor = predictor_of(stump(0.5), {0});
  CHECK(leaves(predictor, std::vector<double>{}).empty());
  Team team(2);
  const Paths paths = predictor.decision_path(MatrixView<double>{nullptr, 0, 1, 1, 1}, team);
  CHECK(paths.indptr == std::vector<std::int64_t>{0} && paths.indices.empty());
}

TEST("predict: a request to stop ends a long prediction") {
  const Predictor predictor = predictor_of(chain(20'000), {0});
  const std::vector<double> rows(200'000, 1e9);
  std::vector<NodeId> out(rows.size());
  Team* team_in_poll = nullptr;
  Team team(2, [&] { team_in_poll->stop().request(); });
  team_in_poll = &team;
  bool stopped = false;
  try {
    predictor.apply(MatrixView<double>{rows.data(), rows.size(), 1, 1, 1}, team, out.data());
  } catch (const Stopped&) {
    stopped = true;
  }
  CHECK(stopped);
}

template <class Call>
bool is_refused(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

TEST("predict: a predictor refuses what it cannot serve") {
  const Predictor predictor = predictor_of(stump(0.5), {0});
  const double row[]{1.0, 2.0};
  NodeId leaf = kNoNode;
  Team team(1);
  CHECK(is_refused([&] { predictor.apply(MatrixView<double>{row, 1, 2, 2, 1}, team, &leaf); }));
  CHECK(is_refused([] { Predictor({}, std::vector<Code>{0}); }));
  CHECK(is_refused([] { predictor_of(stump(kNaN), {0}); }));
  const std::vector<Tree> different{stump(0.5), TreeBuilder(2).finish()};
  CHECK(is_refused([&] { Predictor(different, std::vector<Code>{0}); }));
  const std::vector<Tree> two{stump(0.5), stump(0.25)};
  const Predictor forest(two, std::vector<Code>{0});
  CHECK(is_refused([&] { forest.decision_path(MatrixView<double>{row, 2, 1, 1, 1}, team); }));
}

}  // namespace

}  // namespace treewright::test
