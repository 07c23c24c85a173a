#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "boost/histogram/histogram_grower.h"
#include "boost/rounds/held_out_matrix.h"
#include "boost/rounds/rounds.h"
#include "check.h"
#include "grow_data.h"
#include "tree/check.h"

namespace treewright::test {

namespace {

// Enough rows for several threads to take part.
constexpr std::size_t kRows = 24'000;

BoostPlan small_trees() {
  BoostPlan plan;
  plan.max_leaves = 12;
  plan.min_rows_leaf = 15;
  plan.min_rows_category = 30;
  return plan;
}

struct Setting {
  std::string_view name = "log_loss";
  BoostPlan plan = small_trees();
  bool weighted = false;
};

std::vector<double> target_of(const GrowData& data, std::string_view name) {
  std::vector<double> y = data.y;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (name == "multinomial") y[i] = data.labels[i];
    if (name == "log_loss") y[i] = data.labels[i] == 0 ? 1 : 0;
  }
  return y;
}

BoostedTrees run(const GrowData& data, const Setting& setting, int n_threads, std::size_t n_rounds = 4,
                 const std::function<void(BoostTask&)>& change = {}) {
  Team team(n_threads);
  const auto objective = make_objective({.name = setting.name, .n_classes = 3, .quantile = 0.7});
  const std::vector<double> y = target_of(data, setting.name);
  const std::size_t n = data.dataset.n_rows;
  BoostTask task{
      .data = data.dataset,
      .rows = {y, setting.weighted ? std::span<const double>(data.weights) : std::span<const double>{}},
      .raw = std::vector<double>(n * objective->outputs(), 0.0),
      .objective = *objective,
      .plan = setting.plan};
  task.n_rounds = n_rounds;
  task.score_rows = n;
  if (change) change(task);
  return boost(std::move(task), team);
}

bool same_forest(const BoostedTrees& a, const BoostedTrees& b) {
  return a.forest.begin == b.forest.begin && a.forest.number == b.forest.number &&
         a.forest.child == b.forest.child && a.forest.feature16 == b.forest.feature16 &&
         a.forest.flags == b.forest.flags && a.forest.tables == b.forest.tables && a.gradient == b.gradient &&
         a.train_score == b.train_score && a.raw == b.raw;
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const std::string_view name : {"log_loss", "squared_error", "multinomial", "quantile"}) {
    all.push_back({.name = name});
  }
  all.push_back({.weighted = true});
  Setting depth_wise;
  depth_wise.plan.order = BoostOrder::kDepthWise;
  depth_wise.plan.max_depth = 4;
  depth_wise.plan.min_gain = 20;
  all.push_back(depth_wise);
  Setting part;
  part.plan.subsample = 0.5;
  part.plan.max_features_tree = 5;
  part.plan.max_features_level = 4;
  part.plan.max_features_node = 3;
  all.push_back(part);
  Setting goss;
  goss.plan.top_share = 0.2;
  goss.plan.other_share = 0.1;
  all.push_back(goss);
  Setting bound;
  bound.plan.monotone = {1, 0, -1, 0, 0, 0};
  bound.plan.interactions = {{0, 1, 2}, {2, 3, 4, 5}};
  bound.plan.l1 = 1;
  bound.plan.max_step = 0.5;
  bound.plan.drop_hopeless = true;
  all.push_back(bound);
  Setting chance{.weighted = true};
  chance.plan.chance_gain = 0.5;
  chance.plan.max_features_node = 3;
  all.push_back(chance);
  return all;
}

TEST("rounds do not depend on the number of threads") {
  const GrowData data = random_grow_data(kRows, 1);
  for (const Setting& setting : settings()) {
    const BoostedTrees one = run(data, setting, 1);
    for (const int n_threads : {2, 5}) CHECK(same_forest(one, run(data, setting, n_threads)));
    check_forest(one.forest, data.categories());
  }
  Setting many_leaves;  // small nodes
  many_leaves.plan.max_leaves = 150;
  CHECK(same_forest(run(data, many_leaves, 1, 1), run(data, many_leaves, 3, 1)));
}

// Many leaves: most nodes have few rows.
std::vector<Setting> settings_of_many_leaves() {
  std::vector<Setting> all = settings();
  for (Setting& setting : all) {
    setting.plan.max_leaves = 150;
    setting.plan.min_rows_leaf = 4;
    setting.plan.min_rows_category = 3;
    setting.plan.min_gain = 0;
    // Dropped before rows are counted, and those of small nodes are counted sooner.
    setting.plan.drop_hopeless = false;
  }
  return all;
}

TEST("small nodes grow the trees of histograms") {
  for (const std::size_t n : {std::size_t{300}, std::size_t{5000}, kRows}) {  // fine ticks, packed ticks
    const GrowData data = random_grow_data(n, 7);
    for (Setting setting : settings_of_many_leaves()) {
      const BoostedTrees usual = run(data, setting, 1, 2);
      CHECK(same_forest(usual, run(data, setting, 3, 2)));
      for (const std::size_t few_rows : {std::size_t{0}, std::size_t{40}, std::size_t{100'000}}) {
        setting.plan.few_rows = few_rows;
        CHECK(same_forest(usual, run(data, setting, 1, 2)));
        CHECK(same_forest(usual, run(data, setting, 2, 2)));
      }
    }
  }
}

TEST("every round lowers the loss") {
  for (const std::size_t n : {std::size_t{700}, kRows}) {  // fine ticks, packed ticks
    const GrowData data = random_grow_data(n, 2);
    for (Setting setting : settings()) {
      setting.plan.min_gain = 0;
      const BoostedTrees grown = run(data, setting, 2, 6);
      CHECK(grown.n_rounds == 6);
      for (std::size_t i = 1; i < grown.train_score.size(); ++i) {
        CHECK(grown.train_score[i] < grown.train_score[i - 1]);
      }
    }
  }
}

// A matrix with the values of all rows, in which categories are codes.
std::vector<double> matrix_of(const GrowData& data) {
  std::vector<double> matrix;
  for (std::size_t row = 0; row < data.dataset.n_rows; ++row) {
    for (const Column& column : data.dataset.columns) {
      const Code code = column.bytes[row];
      matrix.push_back(code == kMissing ? std::nan("") : static_cast<double>(code));
    }
  }
  return matrix;
}

TEST("held-out rows get the scores of training rows with the same values") {
  const GrowData data = random_grow_data(3000, 3);
  const std::vector<double> matrix = matrix_of(data);
  const std::vector<Code> n_codes = data.categories();
  const HeldOutMatrix<double> rows({matrix.data(), 3000, 6, 6, 1}, n_codes);
  for (const Setting& setting : settings()) {
    const std::vector<double> y = target_of(data, setting.name);
    const BoostedTrees grown = run(data, setting, 2, 5, [&](BoostTask& task) {
      task.held_out = &rows;
      task.held_out_rows = {y, task.rows.weights};
      task.held_out_raw = task.raw;
    });
    CHECK(grown.validation_score.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) CHECK(near(grown.validation_score[i], grown.train_score[i], 1e-9));
  }
}

TEST("rounds end when nothing gets better") {
  const GrowData data = random_grow_data(2000, 4);
  Setting setting;
  setting.plan.learning_rate = 1.5;
  setting.plan.min_rows_leaf = 1;
  const BoostedTrees grown = run(data, setting, 1, 500, [&](BoostTask& task) {
    task.patience = 3;
    task.tolerance = 1e-3;
  });
  CHECK(grown.n_rounds < 500);
  CHECK(grown.best_round + 3 == grown.n_rounds);
  CHECK(grown.forest.n_trees() == grown.n_rounds);
}

TEST("continuing gives the trees of one run") {
  const GrowData data = random_grow_data(4000, 5);
  for (const Setting& setting : settings()) {
    const BoostedTrees whole = run(data, setting, 1, 5);
    const BoostedTrees first = run(data, setting, 1, 2);
    const BoostedTrees second = run(data, setting, 1, 3, [&](BoostTask& task) {
      task.raw = first.raw;
      task.first_round = 2;
    });
    std::vector<double> numbers = first.forest.number;
    numbers.insert(numbers.end(), second.forest.number.begin(), second.forest.number.end());
    CHECK(whole.raw == second.raw);
    CHECK(numbers.size() == whole.forest.number.size());
  }
}

TEST("a report may end the rounds") {
  const GrowData data = random_grow_data(1000, 6);
  const BoostedTrees grown = run(data, {}, 1, 50, [&](BoostTask& task) {
    task.after_round = [](const RoundReport& report) { return report.round == 7; };
  });
  CHECK(grown.n_rounds == 7);
}

TEST("a stopped run keeps its rounds when asked") {
  const GrowData data = random_grow_data(kRows, 7);
  const auto stopped = [&](bool keep) {
    Team team(2);
    const auto objective = make_objective({.name = "log_loss"});
    const std::vector<double> y = target_of(data, "log_loss");
    const BoostPlan plan = small_trees();
    BoostTask task{.data = data.dataset,
                   .rows = {y, {}},
                   .raw = std::vector<double>(kRows, 0.0),
                   .objective = *objective,
                   .plan = plan};
    task.keep_partial = keep;
    task.after_round = [&](const RoundReport& report) {
      if (report.round == 3) team.stop().request();
      return false;
    };
    return boost(std::move(task), team);
  };
  const BoostedTrees kept = stopped(true);
  CHECK(kept.was_stopped);
  CHECK(kept.n_rounds == 3);
  CHECK(kept.forest.n_trees() == 3);
  CHECK(throws<Stopped>([&] { stopped(false); }));
}

TEST("gradients that are no numbers are refused") {
  const GrowData data = random_grow_data(1000, 8);
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    CHECK(throws<std::invalid_argument>([&] {
      run(data, {}, 1, 3, [&](BoostTask& task) {
        task.gradients = [bad](const std::vector<double>& raw, double* gradient, double* hessian) {
          std::fill_n(gradient, raw.size(), 1.0);
          std::fill_n(hessian, raw.size(), 1.0);
          gradient[17] = bad;
        };
      });
    }));
  }
}

TEST("a monotone feature moves scores one way") {
  const GrowData data = random_grow_data(4000, 9);
  Setting setting{.name = "squared_error"};
  setting.plan.monotone = {-1, 0, 0, 0, 0, 0};
  const BoostedTrees grown = run(data, setting, 1, 10);
  // Of the root's own column only cuts with a larger left side are allowed, in every tree.
  for (std::size_t tree = 0; tree < grown.forest.n_trees(); ++tree) {
    const auto first = static_cast<std::size_t>(grown.forest.begin[tree]);
    const auto end = static_cast<std::size_t>(grown.forest.begin[tree + 1]);
    for (std::size_t node = first; node < end; ++node) {
      if (grown.forest.feature16[node] != 0) continue;
      const std::size_t left = first + grown.forest.child[node];
      const auto value = [&](std::size_t at) {
        return -grown.gradient[at] / static_cast<double>(grown.forest.weight[at]);
      };
      CHECK(value(left) >= value(left + 1) - 1e-6);
    }
  }
}

BoostedTrees run_means(const GrowData& data, std::string_view name, double subsample, double price,
                       int n_threads) {
  Team team(n_threads);
  const auto objective = make_objective({.name = name, .n_classes = 3});
  const std::vector<double> y = target_of(data, name);
  BoostPlan plan;
  plan.subsample = subsample;
  GrowPlan tree;
  tree.criterion = CriterionName::kSquaredError;
  tree.max_depth = 5;
  tree.ccp_alpha = price;
  const std::size_t n = data.dataset.n_rows;
  BoostTask task{.data = data.dataset,
                 .rows = {y, data.weights},
                 .raw = std::vector<double>(n * objective->outputs(), 0.0),
                 .objective = *objective,
                 .plan = plan};
  task.n_rounds = 3;
  task.score_rows = n;
  task.mean_tree = &tree;
  return boost(std::move(task), team);
}

TEST("least-squares rounds on drawn rows do not depend on the number of threads") {
  const GrowData data = random_grow_data(kRows, 10);
  for (const std::string_view name : {"squared_error", "multinomial"}) {
    const BoostedTrees one = run_means(data, name, 0.4, 1e-3, 1);
    const BoostedTrees many = run_means(data, name, 0.4, 1e-3, 5);
    CHECK(same_forest(one, many));
    CHECK(one.oob_score.size() == 4);
    CHECK(one.oob_score == many.oob_score);
    CHECK(one.oob_score.back() < one.oob_score.front());
    check_forest(one.forest, data.categories());
    CHECK(run_means(data, name, 1.0, 0.0, 2).oob_score.empty());
  }
}

TEST("a higher price of leaves leaves no more of them") {
  const GrowData data = random_grow_data(3000, 11);
  std::size_t before = run_means(data, "squared_error", 1.0, 0.0, 1).forest.number.size();
  for (const double price : {1e-3, 0.05, 0.5, 1e9}) {
    const BoostedTrees grown = run_means(data, "squared_error", 1.0, price, 1);
    CHECK(grown.forest.number.size() <= before);
    before = grown.forest.number.size();
  }
  CHECK(before == 3);
}

}  // namespace

}  // namespace treewright::test
