// Of equally good tests the winner depends on the seed, the node and the columns, and none of these is
// favoured.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "boost/exact/exact_grower.h"
#include "boost/histogram/histogram_grower.h"
#include "check.h"
#include "forest/grow_forest.h"
#include "grow/candidates/candidates.h"
#include "grow/feature_draw.h"
#include "grow/grow.h"
#include "grow/tie_order.h"
#include "split_data.h"

namespace treewright::test {

namespace {

// Columns 0, 1, 2 and 4 are the same, the others have nothing to do with the target.
struct EqualColumns {
  Dataset dataset;
  std::vector<double> y;
  std::vector<float> gradient, hessian;

  explicit EqualColumns(std::size_t n, std::uint64_t seed = 7) : hessian(n, 1.0F) {
    Random random(seed);
    dataset.n_rows = n;
    const std::vector<Code> same = random_codes(random, n, 12);
    for (const bool is_same : {true, true, true, false, true, false}) {
      const std::vector<Code> codes = is_same ? same : random_codes(random, n, 12);
      dataset.columns.push_back(make_column(ColumnKind::kNumeric, codes, 12));
    }
    for (const Code code : same) {
      y.push_back(static_cast<double>(code % 5) + random.uniform01());
      gradient.push_back(static_cast<float>(2.5 - y.back()));
    }
  }
};

constexpr int kSeeds = 400;

// A quarter of the seeds each, within five standard deviations.
void check_even(const std::function<FeatureId(std::uint64_t)>& winner) {
  std::map<FeatureId, int> counts;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) ++counts[winner(seed)];
  for (const FeatureId column : {0, 1, 2, 4}) CHECK(counts[column] > 57 && counts[column] < 143);
  CHECK(counts[3] == 0 && counts[5] == 0);
}

GrowPlan shallow(std::uint64_t seed) {
  GrowPlan plan;
  plan.criterion = CriterionName::kSquaredError;
  plan.max_depth = 1;
  plan.seed = seed;
  return plan;
}

TEST("the order of a node is one of all columns and depends on seed and node only") {
  const TieOrder order = TieOrder::drawn(TieOrder(FeatureId{9}), 5);
  std::vector<FeatureId> here, again, sorted(9);
  std::iota(sorted.begin(), sorted.end(), FeatureId{0});
  for (std::uint64_t key = 0; key < 50; ++key) {
    order.list(key, here);
    TieOrder::drawn(TieOrder(FeatureId{9}), 5).list(key, again);
    CHECK(here == again);
    std::vector<FeatureId> visited;
    order.for_each(key, [&](FeatureId column) {
      CHECK(order.place(key, column) == visited.size());
      visited.push_back(column);
    });
    CHECK(visited == here);
    std::sort(again.begin(), again.end());
    CHECK(again == sorted);
  }
  order.list(1, here);
  order.list(2, again);
  CHECK(here != again);
  TieOrder(FeatureId{9}).list(3, here);
  CHECK(here == sorted);
}

TEST("every order of three columns is equally likely at every node") {
  for (const std::uint64_t key : {std::uint64_t{0}, child_key(0, 1), child_key(child_key(0, 1), 0)}) {
    std::map<std::vector<std::size_t>, int> counts;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
      const TieOrder order = TieOrder::drawn(TieOrder(FeatureId{7}), seed);
      const std::size_t a = order.place(key, 0), b = order.place(key, 1), c = order.place(key, 5);
      ++counts[{std::size_t{a < b}, std::size_t{b < c}, std::size_t{a < c}}];
    }
    CHECK(counts.size() == 6);
    // 1000 expected with a standard deviation of 29.
    for (const auto& [order, count] : counts) CHECK(count > 855 && count < 1145);
  }
}

TEST("trees give equal columns the same chance where ties are drawn, and the first one the node elsewhere") {
  Team team(1);
  for (const std::size_t n_rows :
       {std::size_t{60}, std::size_t{2100}}) {  // as a subtree, and column by column
    const EqualColumns data(n_rows);
    check_even([&](std::uint64_t seed) {
      GrowPlan plan = shallow(seed);
      plan.draw_ties = true;
      return grow_means(data.dataset, data.y, {}, plan, team).feature[0];
    });
    CHECK(grow_means(data.dataset, data.y, {}, shallow(1), team).feature[0] == 0);
  }
  const EqualColumns data(60);
  check_even([&](std::uint64_t seed) {
    GrowPlan plan = shallow(seed);
    plan.max_features = 5;
    return grow_means(data.dataset, data.y, {}, plan, team).feature[0];
  });
}

TEST("forests give equal columns the same chance") {
  Team team(1);
  const EqualColumns data(60);
  const auto roots = [&](std::int64_t per_node, std::int64_t per_tree, bool random_cuts,
                         std::int64_t leaves) {
    return [&, per_node, per_tree, random_cuts, leaves](std::uint64_t seed) {
      GrowPlan plan = shallow(0);
      plan.draw_ties = true;
      plan.max_features = per_node;
      plan.random_cuts = random_cuts;
      plan.max_leaves = leaves;
      BagRule rule;
      rule.seed = seed;
      rule.features = per_tree;
      std::atomic<std::size_t> n_done{0};
      const ForestTask task{data.dataset, plan, rule, 3, 1, {}, team, n_done};
      return static_cast<FeatureId>(grow_mean_forest(task, data.y).forest.feature16[0]);
    };
  };
  constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
  check_even(roots(0, 0, false, kAnyNumber));
  check_even(roots(0, 0, false, 2));
  check_even(roots(5, 0, false, kAnyNumber));
  check_even(roots(0, 6, false, kAnyNumber));
}

TEST("boosters that draw columns give equal ones the same chance, others take the first") {
  Team team(2);
  for (const std::size_t n_rows : {std::size_t{60}, std::size_t{1000}}) {  // from rows, and from a histogram
    const EqualColumns data(n_rows);
    const Gradients gradients{data.gradient, data.hessian};
    const auto plan_of = [](std::int64_t node, std::int64_t level, std::int64_t tree) {
      BoostPlan plan;
      plan.order = BoostOrder::kDepthWise;
      plan.max_depth = 1;
      plan.max_features_node = node;
      plan.max_features_level = level;
      plan.max_features_tree = tree;
      return plan;
    };
    const auto rounds = [&](const BoostPlan& plan) {
      return [&, plan, grower = std::make_shared<HistogramGrower<WideTicks>>(data.dataset, plan, team)](
                 std::uint64_t round) { return grower->grow(gradients, round, 0).tree.feature[0]; };
    };
    const BoostPlan by_node = plan_of(5, 0, 0), by_level = plan_of(0, 5, 0), by_tree = plan_of(0, 0, 5);
    for (const BoostPlan& plan : {by_node, by_level, by_tree}) check_even(rounds(plan));
    const BoostPlan all = plan_of(0, 0, 0);
    CHECK(rounds(all)(3) == 0);
    ExactGrower exact(data.dataset, by_node, team);
    check_even([&](std::uint64_t round) { return exact.grow(gradients, round, 0).tree.feature[0]; });
    CHECK(ExactGrower(data.dataset, all, team).grow(gradients, 3, 0).tree.feature[0] == 0);
  }
}

TEST("drawn ties are the same for subtrees, levels, any number of threads and reports") {
  const EqualColumns data(300);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    GrowPlan plan = shallow(seed);
    plan.draw_ties = true;
    plan.max_depth = 6;
    Team one(1), three(3);
    const Tree tree = grow_means(data.dataset, data.y, {}, plan, one);
    GrowPlan best_first = plan;
    best_first.max_leaves = 1000;  // node by node, by the search of large ones
    const Tree other = grow_means(data.dataset, data.y, {}, best_first, three);
    CHECK(tree.feature == other.feature && tree.rows == other.rows);

    std::vector<RowId> rows(data.dataset.n_rows), left;
    std::iota(rows.begin(), rows.end(), RowId{0});
    const Column& column = data.dataset.column(tree.feature[0]);
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(left), [&](RowId row) {
      return static_cast<double>(column.codes<std::uint8_t>()[row]) <= tree.threshold[0];
    });
    const std::vector<FeatureId> features{5, 4, 3, 2, 1, 0};
    const std::vector<std::uint32_t> down{0};
    NodeQuery query;
    query.total_weight = static_cast<double>(rows.size());
    query.features = features;
    query.rows = rows;
    const NodeCandidates root = mean_candidates(data.dataset, data.y, query, plan, three);
    CHECK(features[root.winner] == tree.feature[0]);
    query.rows = left;
    query.path = down;
    const NodeCandidates below = mean_candidates(data.dataset, data.y, query, plan, one);
    CHECK(features[below.winner] == tree.feature[static_cast<std::size_t>(tree.first_child[0])]);
  }
}

}  // namespace

}  // namespace treewright::test
