// Grows every kind of tree, forest and booster on generated data and prints one hash each: a program to run
// on different processors and from different compilers (tools/processors.py), whose lines must all be equal.
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "boost/rounds/held_out_matrix.h"
#include "boost/rounds/rounds.h"
#include "check.h"
#include "data/encode_table.h"
#include "exact_data.h"
#include "fingerprint.h"
#include "forest/grow_forest.h"
#include "grow/grow.h"
#include "grow_data.h"
#include "objective/objective.h"
#include "predict/forest_predictor.h"
#include "predict/predictor.h"
#include "prune/pessimistic.h"
#include "prune/weakest_link.h"

namespace treewright::test {

Registration::Registration(const char*, void (*)()) {}  // headers of the tests name it; there are none here

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

void report(const std::string& name, const Fingerprint& print) {
  std::printf("%-58s %016" PRIx64 "\n", name.c_str(), print.value());
  std::fflush(stdout);
}

std::string name_of(const GrowTask& task) {
  for (const CriterionEntry& entry : kCriteria) {
    if (entry.criterion == task.criterion)
      return std::string(entry.name) + (task.weighted ? ", weighted" : "");
  }
  return "?";
}

// --- data
// ------------------------------------------------------------------------------------------------------------

struct Values {
  std::size_t n_rows;
  std::vector<std::vector<double>> columns;
};

// Numbers whose last digits matter, with ties, gaps and both infinities.
Values random_values(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  Values values{n, std::vector<std::vector<double>>(5, std::vector<double>(n))};
  for (std::size_t row = 0; row < n; ++row) {
    const double x = random.uniform01(), y = random.uniform01();
    values.columns[0][row] = x;
    values.columns[1][row] = (y - 0.5) * 1e-7 / (x + 0.01);
    values.columns[2][row] = static_cast<double>(random.uniform(17)) / 7;
    values.columns[3][row] =
        random.uniform01() < 0.2 ? std::numeric_limits<double>::quiet_NaN() : x * y * 1e9;
    values.columns[4][row] = random.uniform01() < 0.02 ? (y < 0.5 ? -kInf : kInf) : y;
  }
  return values;
}

Dataset encoded(const Values& values, std::size_t max_bins) {
  Team team(2);
  std::vector<TableColumn> columns;
  for (const std::vector<double>& column : values.columns) {
    columns.push_back({ColumnKind::kNumeric,
                       {reinterpret_cast<const std::byte*>(column.data()), sizeof(double), Scalar::kFloat64},
                       0});
  }
  return encode_table(columns, values.n_rows, max_bins, team);
}

void report_encoding() {
  const Values values = random_values(3000, 1);
  for (const std::size_t max_bins : {std::size_t{0}, std::size_t{255}, std::size_t{16}}) {
    Fingerprint print;
    for (const Column& column : encoded(values, max_bins).columns) {
      visit_codes(column, [&](const auto* codes) {
        for (std::size_t row = 0; row < values.n_rows; ++row) print.add(codes[row]);
      });
      for (Code code = 1; code <= column.n_codes; ++code) {
        print.add(column.lowest(code));
        print.add(column.highest(code));
      }
    }
    report("encode, " + (max_bins == 0 ? "ranks" : std::to_string(max_bins) + " bins"), print);
  }
}

// --- single trees
// --------------------------------------------------------------------------------------------------------

struct Shape {
  std::string name;
  std::function<void(GrowPlan&)> change;
  bool classes_only = false;
};

std::vector<Shape> shapes() {
  return {
      {"depth first", [](GrowPlan& plan) { plan.n_candidates = 5; }},
      {"best first",
       [](GrowPlan& plan) {
         plan.order = Order::kBestFirst;
         plan.max_leaves = 40;
         plan.min_rows_leaf = 3;
       }},
      {"level by level, drawn features",
       [](GrowPlan& plan) {
         plan.order = Order::kLevelWise;
         plan.max_features = 3;
         plan.seed = 5;
       }},
      {"surrogates",
       [](GrowPlan& plan) {
         plan.missing = MissingRule::kSurrogate;
         plan.surrogates = 5;
         plan.max_depth = 6;
       }},
      {"C4.5 in double precision",
       [](GrowPlan& plan) {
         plan.ranking = Ranking::kGainRatio;
         plan.selection = Selection::kAboveAverageGain;
         plan.categories = CategoryGrouping::kMultiway;
         plan.missing = MissingRule::kFractional;
         plan.min_branch_weight = 2;
         plan.declared_classes = 3;
         plan.cut_penalty = true;
         plan.cut = CutRule::kValueBelow;
         plan.min_weight_split = 4;
         plan.max_depth = 6;
       },
       true},
  };
}

void report_trees() {
  const GrowData data = random_grow_data(1500, 7);
  for (const GrowTask& task : all_grow_tasks()) {
    for (const Shape& shape : shapes()) {
      const bool bits = task.criterion == CriterionName::kEntropy;
      if (shape.classes_only && !bits) continue;
      GrowPlan plan;
      shape.change(plan);
      if (task.criterion == CriterionName::kAbsoluteError) plan.max_depth = 6;
      const Tree tree = grow_task(data, task, plan, 2);
      Fingerprint print;
      print.add(tree);
      report("tree, " + name_of(task) + ", " + shape.name, print);
      if (shape.name == "best first") {
        const WeakestLinks links = weakest_links({tree.first_child, tree.n_children}, tree.loss);
        Fingerprint path;
        path.add(links.alpha);
        path.add(links.step_risk);
        report("pruning path, " + name_of(task), path);
      }
      if (!shape.classes_only) continue;
      for (const bool raising : {false, true}) {
        Team team(2);
        const std::vector<double> weights = task.weighted ? data.weights : std::vector<double>{};
        Fingerprint pruned;
        pruned.add(
            prune_pessimistic(tree, data.dataset, data.labels, 3, weights, {.raising = raising}, team));
        report("pessimistic pruning, " + name_of(task) + (raising ? ", raising" : ""), pruned);
      }
    }
  }
  const Values values = random_values(2000, 3);
  const Dataset dataset = encoded(values, 0);
  std::vector<double> y;
  for (std::size_t row = 0; row < values.n_rows; ++row) {
    y.push_back(values.columns[0][row] * 3 - values.columns[2][row] + values.columns[1][row] * 1e6);
  }
  Team team(2);
  const Tree tree = grow_means(
      dataset, y, {},
      [] {
        GrowPlan plan;
        plan.criterion = CriterionName::kSquaredError;
        return plan;
      }(),
      team);
  Fingerprint print;
  print.add(tree);
  report("tree of numbers as they are read", print);
}

// --- forests
// ------------------------------------------------------------------------------------------------------------

// What a model answers, row by row, read from the codes of the columns.
std::vector<double> matrix_of(const GrowData& data) {
  const std::size_t n_columns = data.dataset.columns.size();
  std::vector<double> matrix(data.dataset.n_rows * n_columns);
  for (std::size_t f = 0; f < n_columns; ++f) {
    const Column& column = data.dataset.columns[f];
    visit_codes(column, [&](const auto* codes) {
      for (std::size_t row = 0; row < data.dataset.n_rows; ++row) {
        matrix[row * n_columns + f] = codes[row] == kMissing ? std::numeric_limits<double>::quiet_NaN()
                                                             : static_cast<double>(codes[row]);
      }
    });
  }
  return matrix;
}

void report_forests() {
  const GrowData data = random_grow_data(1500, 9);
  const std::vector<double> matrix = matrix_of(data);
  const std::size_t n_columns = data.dataset.columns.size();
  const MatrixView<double> view{matrix.data(), data.dataset.n_rows, n_columns,
                                static_cast<std::ptrdiff_t>(n_columns), 1};
  for (const GrowTask& task : all_grow_tasks()) {
    for (const bool random_cuts : {false, true}) {
      GrowPlan plan;
      plan.criterion = task.criterion;
      plan.max_features = 3;
      plan.seed = 11;
      plan.random_cuts = random_cuts;
      plan.category_price = 1;
      plan.min_category_rows = 5;
      if (task.criterion == CriterionName::kAbsoluteError) plan.max_depth = 6;
      BagRule rule;
      rule.seed = 12;
      rule.draws = random_cuts ? 0 : 1500;
      if (task.weighted && !random_cuts) rule.probabilities = data.weights;
      Team team(2);
      std::atomic<std::size_t> n_done{0};
      const std::vector<double> weights = task.weighted ? data.weights : std::vector<double>{};
      const ForestTask work{data.dataset, plan, rule, 0, 5, weights, team, n_done};
      const GrownForest grown = is_for_classes(task.criterion) ? grow_class_forest(work, data.labels, 3)
                                                               : grow_mean_forest(work, data.y);
      Fingerprint print;
      print.add(grown.forest);
      print.add(grown.importances);
      const std::string name = name_of(task) + (random_cuts ? ", random cuts" : ", bootstrap");
      report("forest, " + name, print);
      const ForestPredictor predictor(grown.forest.view(), data.categories());
      std::vector<double> answers(data.dataset.n_rows * predictor.n_outputs());
      predictor.values(view, team, answers.data());
      Fingerprint answered;
      answered.add(answers);
      report("answers of a forest, " + name, answered);
    }
  }
  BagRule rule;
  rule.seed = 3;
  rule.draws = 400;
  rule.replace = false;
  rule.probabilities = data.weights;
  Fingerprint print;
  print.add(BagDraw(rule, data.dataset.n_rows).counts(2));
  report("rows drawn in proportion without replacement", print);
}

// --- boosters
// -----------------------------------------------------------------------------------------------------------

struct Method {
  std::string name;
  BoostPlan plan;
  bool exact = false;
  bool least_squares = false;
};

std::vector<Method> methods() {
  BoostPlan plain;
  plain.max_leaves = 12;
  plain.min_rows_leaf = 5;
  plain.min_rows_category = 10;
  BoostPlan depth = plain;
  depth.order = BoostOrder::kDepthWise;
  depth.max_depth = 4;
  depth.l2 = 1;
  depth.l1 = 0.5;
  BoostPlan drawn = plain;
  drawn.subsample = 0.7;
  drawn.max_features_tree = 5;
  drawn.max_features_node = 3;
  drawn.chance_gain = 0.5;
  drawn.seed = 21;
  BoostPlan goss = plain;
  goss.top_share = 0.2;
  goss.other_share = 0.1;
  goss.seed = 22;
  BoostPlan exact = depth;
  exact.max_leaves = BoostPlan{}.max_leaves;
  exact.min_hessian_leaf = 1;
  return {{"leaf-wise", plain}, {"depth-wise", depth},  {"drawn", drawn},
          {"GOSS", goss},       {"exact", exact, true}, {"least squares", plain, false, true}};
}

std::vector<double> target_for(std::string_view objective, const GrowData& data) {
  std::vector<double> y = data.y;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (objective == "multinomial") y[i] = data.labels[i];
    if (objective == "log_loss" || objective == "exponential") y[i] = data.labels[i] == 0 ? 1 : 0;
    if (objective == "gamma") y[i] += 0.125;
  }
  return y;
}

void report_boosters() {
  const GrowData data = random_grow_data(3000, 13);
  const ExactData numbers = random_exact_data(3000, 6, 500, 0.1, true, 17);
  GrowData numeric = data;
  numeric.dataset = numbers.dataset;
  for (const ObjectiveEntry& entry : objectives()) {
    const std::vector<double> y = target_for(entry.name, data);
    for (const Method& method : methods()) {
      for (const bool weighted : {false, true}) {
        const auto objective =
            make_objective({.name = entry.name, .n_classes = 3, .quantile = 0.7, .power = 1.5});
        const Targets rows{y, weighted ? std::span<const double>(data.weights) : std::span<const double>{}};
        const std::vector<double> start = objective->start(rows, {});
        std::vector<double> raw;
        for (const double score : start) raw.insert(raw.end(), y.size(), score);
        GrowPlan tree;
        tree.criterion = CriterionName::kSquaredError;
        tree.max_depth = 3;
        Team team(2);
        BoostTask task{.data = method.exact ? numeric.dataset : data.dataset,
                       .rows = rows,
                       .raw = raw,
                       .objective = *objective,
                       .plan = method.plan};
        task.exact = method.exact;
        task.mean_tree = method.least_squares ? &tree : nullptr;
        task.n_rounds = 5;
        task.score_rows = y.size();
        const BoostedTrees grown = boost(std::move(task), team);
        Fingerprint print;
        print.add(start);
        print.add(grown.forest);
        print.add(grown.gradient);
        print.add(grown.raw);
        print.add(grown.train_score);
        print.add(grown.least_gain);
        report("boosting, " + std::string(entry.name) + ", " + method.name + (weighted ? ", weighted" : ""),
               print);
      }
    }
  }
}

}  // namespace

}  // namespace treewright::test

int main() {
  using namespace treewright::test;
  report_encoding();
  report_trees();
  report_forests();
  report_boosters();
  return 0;
}
