// Whole trees: valid, the same for every number of threads and for every way in which the engine may grow
// them.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "check.h"
#include "grow_data.h"

namespace treewright::test {

namespace {

TEST("every tree is valid and holds the rows that reach it") {
  const GrowData data = random_grow_data(700, 1);
  for (const GrowTask& task : all_grow_tasks()) {
    for (const auto missing : {MissingRule::kLearned, MissingRule::kMajority, MissingRule::kFractional}) {
      GrowPlan plan;
      plan.missing = missing;
      plan.max_depth = 8;
      const Tree tree = grow_task(data, task, plan);
      CHECK(tree.size() > 20);
      const std::string fault = fault_of(tree, data);
      if (!fault.empty()) fail(__FILE__, __LINE__, fault);
    }
  }
}

TEST("multiway trees are valid too") {
  const GrowData data = random_grow_data(700, 2);
  for (const auto missing : {MissingRule::kOwnBranch, MissingRule::kFractional}) {
    for (const bool ratio : {false, true}) {
      GrowPlan plan;
      plan.categories = CategoryGrouping::kMultiway;
      plan.missing = missing;
      plan.cut = CutRule::kValueBelow;
      if (ratio) {
        plan.ranking = Ranking::kGainRatio;
        plan.selection = Selection::kAboveAverageGain;
        plan.cut_penalty = true;
        plan.declared_classes = 3;
        plan.min_branch_weight = 2;
        plan.min_weight_split = 4;
      }
      plan.max_depth = 5;
      const Tree tree = grow_task(data, {CriterionName::kEntropy, false}, plan);
      CHECK(std::count(tree.kind.begin(), tree.kind.end(), NodeKind::kMultiway) > 0);
      if (missing == MissingRule::kFractional) {
        const std::string fault = fault_of(tree, data);
        if (!fault.empty()) fail(__FILE__, __LINE__, fault);
      } else {
        check_tree(tree, data.categories());
      }
    }
  }
}

// With all limits lifted a tree separates everything that its columns can tell apart.
TEST("weights, losses and gains add up") {
  const GrowData data = random_grow_data(600, 3);
  for (const GrowTask& task : all_grow_tasks()) {
    const Tree tree = grow_task(data, task, GrowPlan{});
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.kind[node] == NodeKind::kLeaf) continue;
      double weight = 0, loss = 0;
      std::int64_t rows = 0;
      for (std::uint32_t b = 0; b < tree.n_children[node]; ++b) {
        const std::size_t child = static_cast<std::size_t>(tree.first_child[node]) + b;
        weight += tree.weight[child];
        loss += tree.loss[child];
        rows += tree.rows[child];
      }
      CHECK(near(weight, tree.weight[node]));
      CHECK(rows == tree.rows[node]);
      CHECK(near(tree.loss[node] - loss, tree.gain[node], 1e-8));
    }
  }
}

TEST("the number of threads changes no bit of a tree") {
  const GrowData data = random_grow_data(40'000, 4);  // enough for loops that are shared out
  GrowPlan plan;
  plan.max_depth = 7;
  for (const GrowTask& task : all_grow_tasks()) {
    if (task.criterion == CriterionName::kAbsoluteError) plan.max_depth = 3;
    const Tree tree = grow_task(data, task, plan, 1);
    CHECK(same_tree(tree, grow_task(data, task, plan, 2)));
    CHECK(same_tree(tree, grow_task(data, task, plan, 8)));
    CHECK(fault_of(tree, data).empty());
  }
  plan.max_depth = 10;
  plan.max_features = 2;
  plan.seed = 7;
  const GrowTask task{CriterionName::kGini, true};
  const Tree tree = grow_task(data, task, plan, 1);
  CHECK(same_tree(tree, grow_task(data, task, plan, 2)));
  CHECK(same_tree(tree, grow_task(data, task, plan, 8)));
  plan.seed = 8;
  CHECK(!same_tree(tree, grow_task(data, task, plan, 1)));
}

// Up to 2048 rows a node is grown from columns that are sorted once; in best-first order node by node.
// Sums are taken in another order then, so numbers may differ in their last digits.
TEST("both ways of growing give the same tree") {
  for (const std::size_t n : {500U, 2048U, 2049U, 4000U}) {
    const GrowData data = random_grow_data(n, n);
    for (const GrowTask& task : all_grow_tasks()) {
      if (task.criterion == CriterionName::kAbsoluteError && n > 2049) continue;
      for (const auto missing : {MissingRule::kLearned, MissingRule::kMajority}) {
        GrowPlan plan;
        plan.missing = missing;
        plan.min_rows_leaf = 5;
        plan.relative_tie = 1e-7;
        GrowPlan by_gain = plan;
        by_gain.order = Order::kBestFirst;
        const Tree tree = grow_task(data, task, plan), other = grow_task(data, task, by_gain);
        CHECK(same_tree(tree, other, 1e-9));
        by_gain.max_leaves = std::count(tree.kind.begin(), tree.kind.end(), NodeKind::kLeaf);
        CHECK(same_tree(tree, grow_task(data, task, by_gain), 1e-9));
      }
    }
  }
}

TEST("fewer leaves keep the largest gains") {
  const GrowData data = random_grow_data(3000, 5);
  GrowPlan plan;
  plan.min_rows_leaf = 20;
  const GrowTask task{CriterionName::kSquaredError, false};
  for (const std::int64_t most : {2, 3, 17}) {
    plan.max_leaves = most;
    const Tree tree = grow_task(data, task, plan);
    CHECK(std::count(tree.kind.begin(), tree.kind.end(), NodeKind::kLeaf) == most);
    CHECK(fault_of(tree, data).empty());
    plan.max_leaves = most + 1;
    const Tree larger = grow_task(data, task, plan);
    const auto total = [](const Tree& of) { return std::accumulate(of.gain.begin(), of.gain.end(), 0.0); };
    CHECK(total(larger) >= total(tree));
  }
}

TEST("limits hold in every node") {
  const GrowData data = random_grow_data(3000, 6);
  for (const GrowTask& task : all_grow_tasks()) {
    for (const bool best_first : {false, true}) {
      GrowPlan plan;
      plan.order = best_first ? Order::kBestFirst : Order::kDepthFirst;
      plan.max_depth = 6;
      plan.min_rows_split = 60;
      plan.min_rows_leaf = 25;
      plan.min_weight_leaf = 30;
      plan.min_impurity_decrease = 1e-3;
      const Tree tree = grow_task(data, task, plan);
      std::vector<int> depth(tree.size(), 0);
      for (std::size_t node = 0; node < tree.size(); ++node) {
        CHECK(tree.rows[node] >= 25 && tree.weight[node] >= 30 && depth[node] <= 6);
        if (tree.kind[node] == NodeKind::kLeaf) continue;
        CHECK(tree.rows[node] >= 60);
        CHECK(tree.gain[node] / tree.weight[0] >= 1e-3 * (1 - 1e-9));
        for (std::uint32_t b = 0; b < 2; ++b)
          depth[static_cast<std::size_t>(tree.first_child[node]) + b] = depth[node] + 1;
      }
    }
  }
}

TEST("a single row and constant columns give one leaf") {
  GrowData data;
  data.dataset.n_rows = 3;
  data.dataset.columns = {make_column(ColumnKind::kNumeric, {1, 1, 1}, 1),
                          make_column(ColumnKind::kNumeric, {0, 0, 0}, 0),
                          make_column(ColumnKind::kNominal, {2, 2, 2}, 3)};
  data.labels = {0, 1, 2};
  data.y = {1, 2, 6};
  data.weights = {1, 1, 1};
  for (const GrowTask& task : all_grow_tasks()) {
    const Tree tree = grow_task(data, task, GrowPlan{});
    CHECK(tree.size() == 1 && tree.rows[0] == 3);
  }
  CHECK(grow_task(data, {CriterionName::kSquaredError, false}, GrowPlan{}).value[0] == 3);
  CHECK(grow_task(data, {CriterionName::kAbsoluteError, false}, GrowPlan{}).value[0] == 2);
  data.dataset.n_rows = 1;
  data.dataset.columns = {make_column(ColumnKind::kNumeric, {1}, 1)};
  data.labels = {2};
  data.y = {4};
  data.weights = {0.5};
  for (const GrowTask& task : all_grow_tasks()) CHECK(grow_task(data, task, GrowPlan{}).size() == 1);
  data.dataset.columns.clear();
  for (const GrowTask& task : all_grow_tasks()) CHECK(grow_task(data, task, GrowPlan{}).size() == 1);
}

TEST("wrong lengths and criteria are refused") {
  const GrowData data = random_grow_data(20, 7);
  Team team(1);
  const std::vector<double> short_weights(19, 1.0);
  GrowPlan plan;
  CHECK(throws<std::invalid_argument>(
      [&] { grow_classes(data.dataset, data.labels, 3, short_weights, plan, team); }));
  CHECK(throws<std::invalid_argument>([&] { grow_classes(data.dataset, data.labels, 2, {}, plan, team); }));
  CHECK(throws<std::invalid_argument>(
      [&] { grow_classes(data.dataset, data.labels, 70'000, {}, plan, team); }));
  CHECK(throws<std::invalid_argument>([&] { grow_means(data.dataset, data.y, {}, plan, team); }));  // gini
  plan.criterion = CriterionName::kPoisson;
  CHECK(throws<std::invalid_argument>([&] { grow_classes(data.dataset, data.labels, 3, {}, plan, team); }));
  CHECK(throws<std::invalid_argument>([&] { grow_means(Dataset{}, {}, {}, plan, team); }));
}

}  // namespace

}  // namespace treewright::test
