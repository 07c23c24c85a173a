// The exact greedy method against a search that tries every candidate from nothing, and its rules one by one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "boost/exact/exact_grower.h"
#include "boost/exact/float_threshold.h"
#include "check.h"
#include "exact_data.h"
#include "tree/check.h"

namespace treewright::test {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

BoostPlan plan_of(double l2, std::int64_t max_depth) {
  BoostPlan plan;
  plan.order = BoostOrder::kDepthWise;
  plan.l2 = l2;
  plan.max_depth = max_depth;
  plan.min_hessian_leaf = 1.0;
  return plan;
}

BoostedTree grown(const ExactData& data, const BoostPlan& plan, int n_threads = 1, std::uint64_t round = 0) {
  Team team(n_threads);
  ExactGrower grower(data.dataset, plan, team);
  Gradients gradients;
  gradients.gradient = data.gradient;
  gradients.hessian = data.hessian;
  return grower.grow(gradients, round, 0);
}

std::vector<Code> numeric_columns(const ExactData& data) {
  return std::vector<Code>(data.dataset.columns.size(), 0);
}

NodeId walk(const Tree& tree, const ExactData& data, std::size_t row) {
  NodeId node = 0;
  while (!tree.is_leaf(node)) {
    const auto i = static_cast<std::size_t>(node);
    const auto x = static_cast<double>(data.values[static_cast<std::size_t>(tree.feature[i])][row]);
    const bool right = std::isnan(x) ? tree.missing[i] == 1 : !(x <= tree.threshold[i]);
    node = tree.first_child[i] + static_cast<NodeId>(right);
  }
  return node;
}

// Every node of the tree is the plain search's, until no candidate is left or the depth is reached.
void check_against_plain_search(const ExactData& data, const BoostPlan& plan) {
  const BoostedTree boosted = grown(data, plan, 2);
  const Tree& tree = boosted.tree;
  check_tree(tree, numeric_columns(data));
  const PlainSearch search(data, plan);
  struct Open {
    NodeId node;
    std::int64_t depth;
    std::vector<std::size_t> rows;
  };
  std::vector<std::size_t> all(data.dataset.n_rows);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<Open> open{{0, 0, all}};
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    const auto i = static_cast<std::size_t>(at.node);
    CHECK(tree.rows[i] == static_cast<std::int64_t>(at.rows.size()));
    CHECK(tree.weight[i] == search.sum(data.hessian, at.rows));
    CHECK(boosted.gradient[i] == search.sum(data.gradient, at.rows));
    CHECK(tree.value[i] == static_cast<double>(search.value(at.rows)));
    const PlainCut cut = search.best(at.rows);
    const bool splits = at.depth < plan.max_depth && cut.gain > 1e-6F;
    CHECK(tree.is_leaf(at.node) == !splits);
    for (const std::size_t row : at.rows) CHECK(splits || boosted.leaf[row] == at.node);
    if (!splits || tree.is_leaf(at.node)) continue;
    CHECK(2 * tree.gain[i] == static_cast<double>(cut.gain));
    CHECK(tree.feature[i] == static_cast<FeatureId>(cut.feature));
    CHECK(tree.threshold[i] == threshold_below(cut.condition));
    CHECK((tree.missing[i] == 0) == cut.missing_left);
    for (const bool left : {true, false}) {
      open.push_back({tree.first_child[i] + (left ? 0 : 1), at.depth + 1, search.side(at.rows, cut, left)});
    }
  }
}

TEST("exact method: every tree is that of the plain search") {
  std::uint64_t seed = 0;
  for (const std::uint64_t levels : {4U, 30U, 100000U}) {
    for (const double missing : {0.0, 0.2}) {
      for (const bool equal_hessians : {true, false}) {
        BoostPlan plan = plan_of(1.0, 4);
        const ExactData data = random_exact_data(90, 3, levels, missing, equal_hessians, ++seed);
        check_against_plain_search(data, plan);
        plan.l1 = 0.5;
        plan.min_hessian_leaf = 4;
        check_against_plain_search(data, plan);
        plan = plan_of(0.0, 20);
        plan.min_hessian_leaf = 0;
        plan.min_rows_leaf = 3;
        check_against_plain_search(data, plan);
      }
    }
  }
}

TEST("exact method: long columns are scanned in blocks without losing a cut") {
  BoostPlan plan = plan_of(1.0, 2);
  check_against_plain_search(random_exact_data(1500, 2, 700, 0.1, false, 77), plan);
}

TEST("exact method: results do not depend on threads") {
  const ExactData data = random_exact_data(40000, 5, 5000, 0.1, false, 5);
  const BoostPlan plan = plan_of(1.0, 7);
  const BoostedTree one = grown(data, plan, 1);
  CHECK(one.tree.size() > 50);
  for (const int n_threads : {2, 5}) {
    const BoostedTree more = grown(data, plan, n_threads);
    CHECK(more.tree.feature == one.tree.feature);
    CHECK(more.tree.value == one.tree.value);
    CHECK(more.tree.gain == one.tree.gain);
    CHECK(more.gradient == one.gradient);
    CHECK(more.leaf == one.leaf);
  }
}

TEST("exact method: rows out of the sample change nothing but have a leaf") {
  const ExactData data = random_exact_data(400, 3, 40, 0.1, false, 8);
  const ExactData others = random_exact_data(400, 3, 40, 0.1, false, 9);
  ExactData joined;  // even rows are the sample
  for (std::size_t f = 0; f < 3; ++f) {
    std::vector<float> column;
    for (std::size_t i = 0; i < 400; ++i) {
      column.push_back(data.values[f][i]);
      column.push_back(others.values[f][i]);
    }
    joined.add_column(column);
  }
  std::vector<std::uint8_t> sample;
  for (std::size_t i = 0; i < 400; ++i) {
    joined.gradient.insert(joined.gradient.end(), {data.gradient[i], 5.0F});
    joined.hessian.insert(joined.hessian.end(), {data.hessian[i], 2.0F});
    sample.insert(sample.end(), {1, 0});
  }
  const BoostPlan plan = plan_of(1.0, 5);
  const BoostedTree alone = grown(data, plan);
  Team team(2);
  ExactGrower grower(joined.dataset, plan, team);
  Gradients gradients;
  gradients.gradient = joined.gradient;
  gradients.hessian = joined.hessian;
  gradients.drawn = sample;
  const BoostedTree sampled = grower.grow(gradients, 0, 0);
  CHECK(alone.tree.size() > 10);
  CHECK(sampled.tree.feature == alone.tree.feature);
  CHECK(std::equal(sampled.tree.threshold.begin(), sampled.tree.threshold.end(), alone.tree.threshold.begin(),
                   [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
  CHECK(sampled.tree.value == alone.tree.value);
  CHECK(sampled.tree.rows == alone.tree.rows);
  for (std::size_t row = 0; row < 800; ++row) {
    CHECK(sampled.leaf[row] == walk(sampled.tree, joined, row));
  }
  // The rows of a leaf are those of the sample; steps reach all rows.
  std::size_t n_rows = 0;
  const LeafRows by_leaf = grower.rows_by_leaf();
  std::vector<double> raw(800, 0.5);
  grower.add_step(sampled.tree.value, raw.data());
  for (std::size_t node = 0; node < sampled.tree.size(); ++node) {
    if (!sampled.tree.is_leaf(static_cast<NodeId>(node))) continue;
    for (const RowId row : by_leaf.of(node)) {
      CHECK(sampled.leaf[row] == static_cast<NodeId>(node) && sample[row] == 1);
      ++n_rows;
    }
  }
  CHECK(n_rows == 400);
  for (std::size_t row = 0; row < 800; ++row) {
    const double step = sampled.tree.value[static_cast<std::size_t>(sampled.leaf[row])];
    CHECK(raw[row] == static_cast<double>(0.5F + static_cast<float>(step)));
  }
}

TEST("exact method: thresholds send every number as the package does") {
  std::vector<float> conditions{0.0F, 1.0F, -1.0F, 0.3F, 2.5F, 1e-45F, -1e-45F, 3.4e38F, -3.4e38F, kInfinity};
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    conditions.push_back(
        static_cast<float>(random.uniform01() * std::pow(10.0, 20 * random.uniform01() - 10)));
  }
  for (const float t : conditions) {
    const double threshold = threshold_below(t);
    const float below = std::nextafter(t, -kInfinity), above = std::nextafter(t, kInfinity);
    for (const float x : {t, below, above, 0.0F, -t, kInfinity, -kInfinity}) {
      CHECK((static_cast<double>(x) <= threshold) == (x < t));
    }
    // Doubles between two floats are rounded by the package.
    for (const double share : {0.1, 0.49999, 0.5, 0.50001, 0.9}) {
      if (std::isinf(t)) continue;
      const double x =
          static_cast<double>(below) + share * (static_cast<double>(t) - static_cast<double>(below));
      CHECK((x <= threshold) == (static_cast<float>(x) < t));
    }
  }
}

TEST("exact method: values that are equal as floats are one value") {
  // Two doubles in the middle share a float, so no cut is between them, though it would gain most.
  ExactData data;
  data.add_column({0, 0, 0, 0, 0, 0, 0, 0});
  const double close = 1.0 + 1e-12;
  data.dataset.columns[0] =
      make_column(ColumnKind::kNumeric, {1, 1, 2, 2, 3, 3, 4, 4}, 4, {0.0, 1.0, close, 2.0});
  data.gradient = {1, 1, 1, 1, -1, -1, -1, -1};
  data.hessian.assign(8, 1.0F);
  const BoostedTree boosted = grown(data, plan_of(0.0, 1));
  CHECK(boosted.tree.size() == 3);
  CHECK(boosted.tree.rows[1] == 2 || boosted.tree.rows[1] == 6);
}

TEST("exact method: infinite values are the smallest and the largest") {
  ExactData data;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  data.add_column({-kInfinity, -kInfinity, 3, 3, kInfinity, kInfinity, nan, nan});
  data.hessian.assign(8, 1.0F);
  for (const std::vector<float>& gradient :
       {std::vector<float>{5, 5, -1, -1, 1, 1, 0, 0}, std::vector<float>{1, 1, -1, -1, 5, 5, 0, 0},
        std::vector<float>{1, 1, 1, 1, 1, 1, -9, -9}}) {
    data.gradient = gradient;
    const BoostedTree boosted = grown(data, plan_of(1.0, 3));
    check_tree(boosted.tree, numeric_columns(data));
    CHECK(boosted.tree.size() >= 3);
    for (std::size_t row = 0; row < 8; ++row) CHECK(boosted.leaf[row] == walk(boosted.tree, data, row));
  }
}

TEST("exact method: splits that gain too little are pruned from below") {
  const ExactData data = random_exact_data(500, 3, 1000, 0, true, 21);
  BoostPlan plan = plan_of(1.0, 5);
  const BoostedTree full = grown(data, plan);
  // Between the gains of the root's split and of what is below it.
  plan.min_gain = 3.0;
  const BoostedTree pruned = grown(data, plan);
  CHECK(pruned.tree.size() < full.tree.size());
  CHECK(pruned.tree.size() > 1);
  CHECK(pruned.tree.feature[0] == full.tree.feature[0]);
  for (std::size_t node = 0; node < pruned.tree.size(); ++node) {
    const auto id = static_cast<NodeId>(node);
    if (pruned.tree.is_leaf(id)) continue;
    const NodeId child = pruned.tree.first_child[node];
    const bool above_leaves = pruned.tree.is_leaf(child) && pruned.tree.is_leaf(child + 1);
    CHECK(!above_leaves || 2 * pruned.tree.gain[node] >= 3.0);
  }
  for (std::size_t row = 0; row < 500; ++row) CHECK(pruned.leaf[row] == walk(pruned.tree, data, row));
  plan.min_gain = 1e9;
  CHECK(grown(data, plan).tree.size() == 1);
}

TEST("exact method: monotone columns only push one way") {
  const ExactData data = random_exact_data(600, 2, 60, 0.1, false, 31);
  BoostPlan plan = plan_of(1.0, 6);
  for (const std::int8_t direction : {std::int8_t{1}, std::int8_t{-1}}) {
    plan.monotone = {direction, 0};
    const Tree tree = grown(data, plan).tree;
    CHECK(tree.size() > 5);
    // Whatever the other column holds, the leaf's value follows the first column.
    ExactData line;
    std::vector<float> first, second;
    for (int other = 0; other < 20; ++other) {
      for (int i = 0; i < 80; ++i) {
        first.push_back(-12.0F + 0.3F * static_cast<float>(i));
        second.push_back(-12.0F + 1.2F * static_cast<float>(other));
      }
    }
    line.values = {first, second};
    for (std::size_t row = 1; row < first.size(); ++row) {
      if (second[row] != second[row - 1]) continue;
      const double before = tree.value[static_cast<std::size_t>(walk(tree, line, row - 1))];
      const double after = tree.value[static_cast<std::size_t>(walk(tree, line, row))];
      CHECK(direction * (after - before) >= 0);
    }
  }
}

// The columns that meet in a branch of the tree, for each leaf.
std::vector<std::set<FeatureId>> branches_of(const Tree& tree) {
  std::vector<std::set<FeatureId>> used(tree.size()), of_leaves;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.is_leaf(static_cast<NodeId>(node))) {
      of_leaves.push_back(used[node]);
      continue;
    }
    for (const std::size_t branch : {0U, 1U}) {
      auto& child = used[static_cast<std::size_t>(tree.first_child[node]) + branch];
      child = used[node];
      child.insert(tree.feature[node]);
    }
  }
  return of_leaves;
}

TEST("exact method: columns meet only inside a group") {
  ExactData data = random_exact_data(800, 4, 50, 0, false, 41);
  for (std::size_t i = 0; i < 800; ++i) {
    data.gradient[i] += data.values[1][i] * data.values[2][i] / 50 + (data.values[3][i] > 0 ? 1.0F : 0.0F);
  }
  BoostPlan plan = plan_of(1.0, 5);
  plan.interactions = {{0, 1}, {1, 2}};
  const BoostedTree boosted = grown(data, plan);
  CHECK(boosted.tree.size() > 5);
  for (const std::set<FeatureId>& used : branches_of(boosted.tree)) {
    bool inside = used.size() == 1;  // also the column that no group names
    inside |= used.count(2) == 0 && used.count(3) == 0;
    inside |= used.count(0) == 0 && used.count(3) == 0;
    CHECK(inside);
  }
}

TEST("exact method: a tree uses no more columns than it drew") {
  const ExactData data = random_exact_data(500, 8, 50, 0, false, 51);
  BoostPlan plan = plan_of(1.0, 4);
  plan.max_features_tree = 2;
  std::set<std::set<FeatureId>> draws;
  for (std::uint64_t round = 0; round < 10; ++round) {
    std::set<FeatureId> used;
    for (const FeatureId feature : grown(data, plan, 1, round).tree.feature) {
      if (feature != kNoFeature) used.insert(feature);
    }
    CHECK(!used.empty() && used.size() <= 2);
    draws.insert(used);
  }
  CHECK(draws.size() > 3);
  plan = plan_of(1.0, 4);
  plan.max_features_node = 1;
  const BoostedTree again = grown(data, plan, 2, 3);
  CHECK(again.tree.feature == grown(data, plan, 1, 3).tree.feature);
  plan.seed = 1;
  CHECK(again.tree.feature != grown(data, plan, 1, 3).tree.feature);
}

TEST("exact method: what the method does not have is refused") {
  const ExactData data = random_exact_data(20, 2, 5, 0, true, 61);
  const auto refuses = [](const Dataset& dataset, const BoostPlan& plan) {
    Team team(1);
    return throws<std::invalid_argument>([&] { ExactGrower grower(dataset, plan, team); });
  };
  CHECK(!refuses(data.dataset, plan_of(1.0, 3)));
  Dataset nominal = data.dataset;
  nominal.columns[1].kind = ColumnKind::kNominal;
  CHECK(refuses(nominal, plan_of(1.0, 3)));
  Dataset binned = data.dataset;
  binned.columns[1].upper = binned.columns[1].lower;
  CHECK(refuses(binned, plan_of(1.0, 3)));
  BoostPlan plan = plan_of(1.0, 3);
  plan.max_leaves = 4;
  CHECK(refuses(data.dataset, plan));
  plan = plan_of(1.0, 3);
  plan.monotone = {1};
  CHECK(refuses(data.dataset, plan));
  plan = plan_of(1.0, 3);
  plan.interactions = {{0, 2}};
  CHECK(refuses(data.dataset, plan));
}

TEST("exact method: rows without any gradient make a tree of one leaf") {
  ExactData data = random_exact_data(20, 2, 5, 0, true, 71);
  data.gradient.assign(20, 0.0F);
  data.hessian.assign(20, 0.0F);
  const BoostedTree boosted = grown(data, plan_of(0.0, 3));
  CHECK(boosted.tree.size() == 1 && boosted.tree.value[0] == 0 && boosted.tree.rows[0] == 0);
}

}  // namespace

}  // namespace treewright::test
