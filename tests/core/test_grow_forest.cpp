// Forests: their trees are the trees that a single grower finds, bags are what their rule says, and nothing
// depends on the number of threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "check.h"
#include "forest/grow_forest.h"
#include "grow_data.h"
#include "tree/forest.h"

namespace treewright::test {

namespace {

// Numbers with thousands of values, which forests read as coarse bytes first, beside the other kinds.
GrowData wide_data(std::size_t n, std::uint64_t seed, bool missing) {
  Random random(seed);
  GrowData data;
  data.dataset.n_rows = n;
  const auto add = [&](ColumnKind kind, Code n_codes, double share) {
    data.dataset.columns.push_back(
        make_column(kind, random_codes(random, n, n_codes, missing ? share : 0), n_codes));
  };
  add(ColumnKind::kNumeric, 5000, 0);
  add(ColumnKind::kNumeric, 1000, 0.1);
  add(ColumnKind::kNumeric, 12, 0.05);
  add(ColumnKind::kOrdinal, 700, 0);
  add(ColumnKind::kNominal, 9, 0.1);
  add(ColumnKind::kNominal, 400, 0);
  add(ColumnKind::kNumeric, 3000, 0);
  const auto code = [&](std::size_t column, std::size_t row) {
    return visit_codes(data.dataset.columns[column],
                       [&](const auto* codes) { return static_cast<double>(codes[row]); });
  };
  for (std::size_t i = 0; i < n; ++i) {
    const double signal = code(0, i) / 2000 + (code(1, i) > 400 ? 1 : 0) + std::fmod(code(4, i), 3) +
                          code(3, i) / 500 + 2 * random.uniform01();
    data.y.push_back(std::floor(signal * 64) / 64);
    data.labels.push_back(signal < 3 ? 0 : (signal < 5 ? 1 : 2));
    data.weights.push_back(0.25 * static_cast<double>(1 + random.uniform(8)));
  }
  return data;
}

// Columns of two values, which forests read as bits, beside one of many.
GrowData flag_data(std::size_t n, std::size_t n_flags, std::uint64_t seed) {
  Random random(seed);
  GrowData data;
  data.dataset.n_rows = n;
  std::vector<std::vector<Code>> flags;
  for (std::size_t f = 0; f < n_flags; ++f) {
    flags.push_back(random_codes(random, n, 2));
    const ColumnKind kind = f % 3 == 1 ? ColumnKind::kOrdinal : ColumnKind::kNumeric;
    data.dataset.columns.push_back(make_column(kind, flags.back(), 2));
  }
  const std::vector<Code> many = random_codes(random, n, 3000);
  data.dataset.columns.push_back(make_column(ColumnKind::kNumeric, many, 3000));
  for (std::size_t i = 0; i < n; ++i) {
    const double signal =
        flags[0][i] + 2 * (flags[1][i] == flags[2][i]) + many[i] / 1500.0 + 2 * random.uniform01();
    data.y.push_back(std::floor(signal * 64) / 64);
    data.labels.push_back(signal < 3 ? 0 : (signal < 5 ? 1 : 2));
    data.weights.push_back(0.25 * static_cast<double>(1 + random.uniform(8)));
  }
  return data;
}

GrownForest grow_forest(const GrowData& data, const GrowTask& task, GrowPlan plan, const BagRule& rule,
                        std::size_t n_trees, int n_threads = 1, std::uint64_t first_tree = 0) {
  Team team(n_threads);
  plan.criterion = task.criterion;
  std::atomic<std::size_t> n_done{0};
  const std::vector<double> weights = task.weighted ? data.weights : std::vector<double>{};
  const ForestTask forest{data.dataset, plan, rule, first_tree, n_trees, weights, team, n_done};
  GrownForest grown = is_for_classes(task.criterion) ? grow_class_forest(forest, data.labels, 3)
                                                     : grow_mean_forest(forest, data.y);
  CHECK(n_done == n_trees);
  check_forest(grown.forest, data.categories());
  return grown;
}

bool same_forest(const Forest& a, const Forest& b) {
  return a.begin == b.begin && a.number == b.number && a.child == b.child && a.feature16 == b.feature16 &&
         a.flags == b.flags && a.weight == b.weight && a.rows == b.rows &&
         a.distributions == b.distributions && a.tables == b.tables;
}

// The same structure and tests; sums may have been added in another order.
bool nearly_same_forest(const Forest& a, const Forest& b) {
  return a.begin == b.begin && a.feature16 == b.feature16 && a.flags == b.flags && a.rows == b.rows &&
         a.tables == b.tables && same_numbers(a.number, b.number, 1e-9);
}

// With these columns drawn for every tree, nothing is left to chance, but the way of forests is taken.
BagRule every_column(const GrowData& data) {
  BagRule rule;
  rule.features = data.dataset.n_features();
  return rule;
}

Forest packed(const GrowData& data, const GrowTask& task, const GrowPlan& plan) {
  const bool classes = is_for_classes(task.criterion);
  ForestBuilder builder(classes ? ForestBuilder::Answer::kClasses : ForestBuilder::Answer::kNumber,
                        classes ? 3 : 1, data.dataset.columns.size());
  builder.append(grow_task(data, task, plan));
  return builder.finish();
}

TEST("a tree of a forest that looks at everything is the single tree") {
  for (const bool missing : {false, true}) {
    const GrowData data = wide_data(3000, missing ? 5 : 6, missing);
    for (const GrowTask& task : all_grow_tasks()) {
      GrowPlan plan;
      if (task.criterion == CriterionName::kAbsoluteError) plan.max_depth = 5;
      CHECK(nearly_same_forest(grow_forest(data, task, plan, every_column(data), 1).forest,
                               packed(data, task, plan)));
      plan.category_price = 1;
      plan.min_category_rows = 5;
      CHECK(nearly_same_forest(grow_forest(data, task, plan, every_column(data), 1).forest,
                               packed(data, task, plan)));
    }
  }
}

TEST("columns of two values are searched as in the single tree") {
  for (const std::size_t n_flags : {5, 70}) {
    const GrowData data = flag_data(1500, n_flags, n_flags);
    for (const GrowTask& task : all_grow_tasks()) {
      GrowPlan plan;
      plan.max_depth = task.criterion == CriterionName::kAbsoluteError ? 4 : 12;
      CHECK(nearly_same_forest(grow_forest(data, task, plan, every_column(data), 1).forest,
                               packed(data, task, plan)));
      if (task.criterion == CriterionName::kAbsoluteError) continue;
      plan.min_rows_leaf = 9;
      plan.max_leaves = 30;  // best first: rows are moved long after they were read
      CHECK(nearly_same_forest(grow_forest(data, task, plan, every_column(data), 1).forest,
                               packed(data, task, plan)));
    }
  }
}

TEST("random cuts keep limits on leaves") {
  const GrowData data = wide_data(1500, 12, true);
  for (const GrowTask& task : all_grow_tasks()) {
    for (const bool best_first : {false, true}) {
      GrowPlan plan;
      plan.random_cuts = true;
      plan.max_features = 4;
      plan.min_rows_leaf = 11;
      if (best_first) plan.max_leaves = 25;
      BagRule rule;
      rule.seed = 6;
      const GrownForest grown = grow_forest(data, task, plan, rule, 3, 2);
      for (std::size_t t = 0; t < 3; ++t) {
        std::size_t n_leaves = 0, rows = 0;
        for (auto node = static_cast<std::size_t>(grown.forest.begin[t]);
             node < static_cast<std::size_t>(grown.forest.begin[t + 1]); ++node) {
          if (grown.forest.feature16[node] != kNoFeature) continue;
          ++n_leaves;
          rows += grown.forest.rows[node];
          CHECK(grown.forest.rows[node] >= 11);
        }
        CHECK(rows == 1500 && n_leaves > 10);
        if (best_first) CHECK(n_leaves <= 25);
      }
    }
  }
}

TEST("limits are kept inside bins too") {
  const GrowData data = wide_data(2500, 7, true);
  for (const GrowTask& task : all_grow_tasks()) {
    if (task.criterion == CriterionName::kAbsoluteError) continue;
    GrowPlan plan;
    plan.min_rows_leaf = 17;
    plan.min_weight_leaf = task.weighted ? 20 : 0;
    CHECK(nearly_same_forest(grow_forest(data, task, plan, every_column(data), 1).forest,
                             packed(data, task, plan)));
    GrowPlan best_first;
    best_first.max_leaves = 40;
    CHECK(nearly_same_forest(grow_forest(data, task, best_first, every_column(data), 1).forest,
                             packed(data, task, best_first)));
    if (is_for_classes(task.criterion)) continue;
    GrowPlan monotone;
    monotone.monotone = {1, 1, 0, -1, 0, 0, 0};
    CHECK(nearly_same_forest(grow_forest(data, task, monotone, every_column(data), 1).forest,
                             packed(data, task, monotone)));
  }
}

TEST("forests are the same for any number of threads and in parts") {
  const GrowData data = wide_data(1200, 8, true);
  for (const bool random_cuts : {false, true}) {
    for (const GrowTask& task : all_grow_tasks()) {
      GrowPlan plan;
      plan.max_features = 3;
      plan.random_cuts = random_cuts;
      plan.keep_leaf_rows = true;
      if (task.criterion == CriterionName::kAbsoluteError) plan.max_depth = 4;
      BagRule rule;
      rule.seed = 42;
      rule.draws = random_cuts ? 0 : 1200;
      const GrownForest one = grow_forest(data, task, plan, rule, 6, 1);
      const GrownForest three = grow_forest(data, task, plan, rule, 6, 3);
      CHECK(same_forest(one.forest, three.forest));
      CHECK(one.importances == three.importances);
      CHECK(one.leaf_begin == three.leaf_begin && one.leaf_rows == three.leaf_rows);
      const GrownForest last = grow_forest(data, task, plan, rule, 2, 2, 4);
      const auto from = static_cast<std::size_t>(one.forest.begin[4]);
      for (std::size_t node = 0; node < last.forest.n_nodes(); ++node) {
        CHECK(last.forest.feature16[node] == one.forest.feature16[from + node]);
        CHECK(last.forest.flags[node] == one.forest.flags[from + node]);
        // The number of a subset test is a place in the tables, which differ.
        const bool subset = (last.forest.flags[node] & kSubsetTest) != 0;
        CHECK(subset || last.forest.number[node] == one.forest.number[from + node]);
      }
      CHECK(std::equal(last.forest.rows.begin(), last.forest.rows.end(),
                       one.forest.rows.begin() + static_cast<std::ptrdiff_t>(from)));
    }
  }
}

TEST("every node holds the rows of the bag that reach it") {
  const GrowData data = wide_data(900, 9, true);
  for (const bool random_cuts : {false, true}) {
    GrowPlan plan;
    plan.max_features = 2;
    plan.random_cuts = random_cuts;
    plan.keep_leaf_rows = true;
    BagRule rule;
    rule.seed = 3;
    rule.draws = 900;
    const GrownForest grown = grow_forest(data, {CriterionName::kGini, false}, plan, rule, 4, 2);
    const BagDraw draw(rule, 900);
    std::size_t leaf = 0;
    for (std::size_t t = 0; t < 4; ++t) {
      const std::vector<std::uint32_t> counts = draw.counts(t);
      std::vector<char> seen(900, 0);
      for (auto node = static_cast<std::size_t>(grown.forest.begin[t]);
           node < static_cast<std::size_t>(grown.forest.begin[t + 1]); ++node) {
        if (grown.forest.feature16[node] != kNoFeature) continue;
        const std::int64_t begin = grown.leaf_begin[leaf], end = grown.leaf_begin[leaf + 1];
        ++leaf;
        CHECK(end - begin == static_cast<std::int64_t>(grown.forest.rows[node]));
        double weight = 0;
        for (std::int64_t i = begin; i < end; ++i) {
          const std::uint32_t row = grown.leaf_rows[static_cast<std::size_t>(i)];
          CHECK(!seen[row] && counts[row] > 0);
          seen[row] = 1;
          weight += counts[row];
        }
        CHECK(weight == static_cast<double>(grown.forest.weight[node]));
      }
      for (std::size_t row = 0; row < 900; ++row) CHECK((seen[row] != 0) == (counts[row] > 0));
    }
  }
}

TEST("bags follow their rule") {
  BagRule rule;
  rule.seed = 11;
  const auto sum = [](const std::vector<std::uint32_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  CHECK(BagDraw(rule, 7).counts(3) == std::vector<std::uint32_t>(7, 1));
  rule.draws = 5000;
  const std::vector<std::uint32_t> drawn = BagDraw(rule, 5000).counts(0);
  CHECK(sum(drawn) == 5000);
  const auto left_out = static_cast<double>(std::count(drawn.begin(), drawn.end(), 0U));
  CHECK(std::abs(left_out / 5000 - std::exp(-1.0)) < 0.03);
  CHECK(drawn == BagDraw(rule, 5000).counts(0) && drawn != BagDraw(rule, 5000).counts(1));
  rule.replace = false;
  rule.draws = 1234;
  const std::vector<std::uint32_t> some = BagDraw(rule, 5000).counts(0);
  CHECK(sum(some) == 1234 && *std::max_element(some.begin(), some.end()) == 1);
  CHECK(throws<std::invalid_argument>([&] { BagDraw(rule, 1000); }));
}

TEST("rows are drawn in proportion to their weights") {
  BagRule rule;
  rule.seed = 12;
  rule.draws = 60000;
  rule.probabilities = {1, 0, 2, 3, 0, 4};
  const std::vector<std::uint32_t> counts = BagDraw(rule, 6).counts(0);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(std::abs(counts[i] / 60000.0 - rule.probabilities[i] / 10) < 0.01);
    if (rule.probabilities[i] == 0) CHECK(counts[i] == 0);
  }
  rule.replace = false;
  rule.draws = 4;
  CHECK((BagDraw(rule, 6).counts(5) == std::vector<std::uint32_t>{1, 0, 1, 1, 0, 1}));
  rule.draws = 5;
  CHECK(throws<std::invalid_argument>([&] { BagDraw(rule, 6); }));
  rule.probabilities = {0, 0, 0, 0, 0, 0};
  CHECK(throws<std::invalid_argument>([&] { BagDraw(rule, 6); }));
  rule.probabilities = {1, 1, 1, 1, 1, std::nan("")};
  CHECK(throws<std::invalid_argument>([&] { BagDraw(rule, 6); }));
}

TEST("trees use only the columns they drew") {
  const GrowData data = wide_data(600, 10, false);
  BagRule rule;
  rule.seed = 5;
  rule.features = 3;
  const GrownForest grown = grow_forest(data, {CriterionName::kSquaredError, false}, GrowPlan{}, rule, 5, 2);
  for (std::size_t t = 0; t < 5; ++t) {
    const std::vector<FeatureId> columns = draw_columns(rule, data.dataset.n_features(), t);
    CHECK(columns.size() == 3 && std::is_sorted(columns.begin(), columns.end()));
    for (auto node = grown.forest.begin[t]; node < grown.forest.begin[t + 1]; ++node) {
      const FeatureId feature = grown.forest.feature16[static_cast<std::size_t>(node)];
      CHECK(feature == kNoFeature || std::find(columns.begin(), columns.end(), feature) != columns.end());
    }
  }
}

}  // namespace

}  // namespace treewright::test
