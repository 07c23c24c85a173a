// Rounds whose rows are in several processes, which are threads here, are those of all rows in one.
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "base/random.h"
#include "boost/histogram/row_blocks.h"
#include "boost/rounds/held_out_matrix.h"
#include "boost/rounds/rounds.h"
#include "check.h"
#include "grow_data.h"
#include "meeting.h"

namespace treewright::test {

namespace {

struct Setting {
  std::string_view name = "log_loss";
  BoostPlan plan{};
  bool weighted = false;
};

BoostPlan small_trees() {
  BoostPlan plan;
  plan.max_leaves = 12;
  plan.min_rows_leaf = 15;
  plan.min_rows_category = 30;
  plan.chance_gain = 0.3;
  return plan;
}

struct Rows {
  GrowData data;
  std::vector<double> y, held_out_y;
  std::vector<double> held_out;  // rows of codes as numbers

  Rows(std::size_t n, std::size_t more_columns, std::string_view name) : data(random_grow_data(n, 5)) {
    Random random(6);
    for (std::size_t i = 0; i < more_columns; ++i) {
      data.dataset.columns.push_back(
          make_column(ColumnKind::kNumeric, random_codes(random, n, 250, 0.01), 250));
    }
    y = data.y;
    for (std::size_t i = 0; i < n; ++i) {
      if (name == "multinomial") y[i] = data.labels[i];
      if (name == "log_loss") y[i] = data.labels[i] == 0 ? 1 : 0;
    }
    for (std::size_t row = 0; row < 300; ++row) {
      held_out_y.push_back(y[row * 7 % n]);
      for (std::size_t f = 0; f < data.dataset.columns.size(); ++f) {
        held_out.push_back(static_cast<double>(random.uniform(90)));
      }
    }
  }
};

BoostedTrees run(const Rows& rows, const Setting& setting, std::size_t begin, std::size_t end,
                 RowExchange* others, int n_threads) {
  Team team(n_threads);
  const auto objective = make_objective({.name = setting.name, .n_classes = 3});
  const Dataset own = rows_of(rows.data.dataset, begin, end);
  const std::size_t n = end - begin, n_features = own.columns.size();
  const std::span<const double> weights = rows.data.weights;
  BoostTask task{.data = own,
                 .rows = {std::span(rows.y).subspan(begin, n),
                          setting.weighted ? weights.subspan(begin, n) : std::span<const double>{}},
                 .raw = std::vector<double>(n * objective->outputs(), 0.25),
                 .objective = *objective,
                 .plan = setting.plan};
  task.n_rounds = 6;
  task.score_rows = 1000;
  task.patience = 2;
  task.tolerance = 0.001;
  task.others = others;
  const std::vector<Code> n_codes = rows.data.categories();
  std::vector<Code> all_codes = n_codes;
  all_codes.resize(n_features, 0);
  const MatrixView<double> view{rows.held_out.data(), 300, n_features,
                                static_cast<std::ptrdiff_t>(n_features), 1};
  const HeldOutMatrix<double> held_out(view, all_codes);
  task.held_out = &held_out;
  task.held_out_rows = {rows.held_out_y, {}};
  task.held_out_raw.assign(300 * objective->outputs(), 0.25);
  return boost(std::move(task), team);
}

bool same(const BoostedTrees& a, const BoostedTrees& b) {
  return a.forest.begin == b.forest.begin && a.forest.number == b.forest.number &&
         a.forest.child == b.forest.child && a.forest.feature16 == b.forest.feature16 &&
         a.forest.flags == b.forest.flags && a.forest.tables == b.forest.tables && a.gradient == b.gradient &&
         a.train_score == b.train_score && a.validation_score == b.validation_score &&
         a.least_gain == b.least_gain && a.gain == b.gain && a.cover == b.cover && a.n_rounds == b.n_rounds &&
         a.best_round == b.best_round;
}

void compare(const Rows& rows, const Setting& setting) {
  const std::size_t n = rows.data.dataset.n_rows;
  const BoostedTrees wanted = run(rows, setting, 0, n, nullptr, 2);
  CHECK(static_cast<std::size_t>(wanted.forest.begin.back()) > wanted.n_rounds * 3);
  const std::size_t block = RowBlocks::rows_per_block(n);
  const std::vector<std::vector<std::size_t>> ways = {{0, n}, {0, 0, 3 * block, n}};
  for (const std::vector<std::size_t>& begin : ways) {
    const std::size_t n_processes = begin.size() - 1;
    Meeting meeting(n_processes);
    std::vector<BoostedTrees> found(n_processes);
    std::vector<std::thread> processes;
    for (std::size_t who = 0; who < n_processes; ++who) {
      processes.emplace_back([&, who] {
        Share share(meeting, who, n, begin[who]);
        found[who] = run(rows, setting, begin[who], begin[who + 1], &share, who == 1 ? 3 : 1);
      });
    }
    for (std::thread& process : processes) process.join();
    std::vector<double> raw;
    for (const BoostedTrees& trees : found) CHECK(same(wanted, trees));
    if (wanted.raw.size() == n) {
      for (const BoostedTrees& trees : found) raw.insert(raw.end(), trees.raw.begin(), trees.raw.end());
      CHECK(raw == wanted.raw);
    }
  }
}

TEST("processes that exchange sums boost as one, whatever rounds draw and however many columns there are") {
  for (const std::string_view name : {"log_loss", "squared_error", "multinomial"}) {
    for (const auto& [n, more] : {std::pair<std::size_t, std::size_t>{9'000, 0}, {24'000, 14}}) {
      const Rows rows(n, more, name);
      Setting plain{.name = name, .plan = small_trees()};
      compare(rows, plain);
      Setting weighted = plain;
      weighted.weighted = true;
      weighted.plan.order = BoostOrder::kDepthWise;
      weighted.plan.max_depth = 4;
      compare(rows, weighted);
      Setting share = plain;
      share.plan.subsample = 0.4;
      share.plan.max_features_node = 3;
      compare(rows, share);
      Setting goss = plain;
      goss.plan.top_share = 0.2;
      goss.plan.other_share = 0.1;
      goss.plan.drop_hopeless = true;
      goss.plan.chance_gain = 0;
      compare(rows, goss);
    }
  }
}

TEST("a round that draws next to nothing has a row in one process only") {
  const Rows rows(9'000, 0, "squared_error");
  Setting setting{.name = "squared_error", .plan = small_trees()};
  setting.plan.subsample = 1e-9;
  setting.plan.min_rows_leaf = 1;
  const std::size_t n = rows.data.dataset.n_rows, block = RowBlocks::rows_per_block(n);
  const BoostedTrees wanted = run(rows, setting, 0, n, nullptr, 1);
  Meeting meeting(2);
  std::vector<BoostedTrees> found(2);
  std::vector<std::thread> processes;
  for (std::size_t who = 0; who < 2; ++who) {
    processes.emplace_back([&, who] {
      Share share(meeting, who, n, who == 0 ? 0 : 2 * block);
      found[who] = run(rows, setting, who == 0 ? 0 : 2 * block, who == 0 ? 2 * block : n, &share, 1);
    });
  }
  for (std::thread& process : processes) process.join();
  for (const BoostedTrees& trees : found) CHECK(same(wanted, trees));
}

TEST("losses whose leaves need all of their rows are refused where rows are in several processes") {
  const Rows rows(1'000, 0, "quantile");
  Meeting meeting(1);
  Share share(meeting, 0, 1'000, 0);
  for (const std::string_view name : {"quantile", "absolute_error", "huber"}) {
    const Setting setting{.name = name, .plan = small_trees()};
    CHECK(throws<std::invalid_argument>([&] { run(rows, setting, 0, 1'000, &share, 1); }));
  }
}

}  // namespace

}  // namespace treewright::test
