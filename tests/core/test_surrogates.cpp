// Surrogates: the search against brute force, and training against prediction.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "check.h"
#include "data/encode_table.h"
#include "grow/fragment.h"
#include "grow/grow.h"
#include "grow/surrogates.h"
#include "predict/predictor.h"
#include "tree/check.h"

namespace treewright::test {

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// A table as a matrix (categories are codes, NaN is missing) and as encoded columns.
struct Sheet {
  std::size_t n_rows = 0;
  std::vector<Code> n_codes;  // 0: numeric
  std::vector<double> matrix;
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::uint32_t>> codes;
  Dataset data;

  double at(std::size_t row, std::size_t feature) const { return matrix[row * n_codes.size() + feature]; }

  void encode(std::size_t max_bins = 0) {
    numbers.assign(n_codes.size(), {});
    codes.assign(n_codes.size(), {});
    std::vector<TableColumn> columns;
    for (std::size_t f = 0; f < n_codes.size(); ++f) {
      TableColumn column;
      for (std::size_t i = 0; i < n_rows; ++i) {
        numbers[f].push_back(at(i, f));
        codes[f].push_back(std::isnan(at(i, f)) ? 0 : static_cast<std::uint32_t>(at(i, f)));
      }
      if (n_codes[f] == 0) {
        column.source = {reinterpret_cast<const std::byte*>(numbers[f].data()), sizeof(double),
                         Scalar::kFloat64};
      } else {
        column.kind = ColumnKind::kNominal;
        column.n_codes = n_codes[f];
        column.source = {reinterpret_cast<const std::byte*>(codes[f].data()), sizeof(std::uint32_t),
                         Scalar::kUint32};
      }
      columns.push_back(column);
    }
    Team team(1);
    data = encode_table(columns, n_rows, max_bins, team);
  }
};

// Columns echo a hidden number, so that they can stand in for each other; one value in `missing_one_in` is
// missing.
Sheet random_sheet(std::mt19937_64& random, std::size_t n_rows, std::vector<Code> n_codes, unsigned values,
                   unsigned missing_one_in) {
  const auto below = [&](std::uint64_t n) { return static_cast<unsigned>(random() % n); };
  Sheet sheet;
  sheet.n_rows = n_rows;
  sheet.n_codes = std::move(n_codes);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const unsigned hidden = below(values);
    for (const Code n : sheet.n_codes) {
      const unsigned echo = below(3) == 0 ? below(values) : hidden;
      const double x = n == 0 ? 0.25 * echo : 1.0 + (echo * n) / values;
      sheet.matrix.push_back(below(missing_one_in) == 0 ? kGap : x);
    }
  }
  return sheet;
}

std::vector<RowId> all_rows(std::size_t n) {
  std::vector<RowId> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<RowId>(i);
  return rows;
}

// Whole weights, so that equal sums are equal.
RowBranches random_branches(std::mt19937_64& random, const Sheet& sheet, const std::vector<RowId>& rows,
                            bool weighted) {
  RowBranches branches;
  branches.rows = rows.data();
  for (const RowId row : rows) {
    const double x = sheet.at(row, 0);
    const auto branch = static_cast<std::uint8_t>(std::isnan(x) ? RowBranches::kUnknown : x > 1.0);
    branches.branch.push_back(branch);
    branches.weight.push_back(weighted ? 1.0 + static_cast<double>(random() % 4) : 1.0);
    if (branch != RowBranches::kUnknown) branches.branch_weight[branch] += branches.weight.back();
  }
  return branches;
}

// The weight that a test of one column sends as the node does; 0 unless it sends two rows each way.
template <class BranchOf>
double agreeing(const Sheet& sheet, const RowBranches& branches, std::size_t feature,
                BranchOf branch_of_value) {
  double sum = 0;
  std::size_t sent[2] = {0, 0};
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const double x = sheet.at(branches.rows[i], feature);
    if (std::isnan(x) || branches.branch[i] == RowBranches::kUnknown) continue;
    const unsigned branch = branch_of_value(x);
    ++sent[branch];
    if (branch == branches.branch[i]) sum += branches.weight[i];
  }
  return std::min(sent[0], sent[1]) < 2 ? 0 : sum;
}

// The best of every test that the column allows: all cuts both ways, all subsets.
double best_agreeing(const Sheet& sheet, const RowBranches& branches, std::size_t feature) {
  double best = 0;
  if (const Code n = sheet.n_codes[feature]; n > 0) {
    for (unsigned set = 0; set < 1U << n; ++set) {
      best = std::max(best, agreeing(sheet, branches, feature,
                                     [set](double x) { return set >> (static_cast<unsigned>(x) - 1) & 1U; }));
    }
    return best;
  }
  for (const RowId row : all_rows(sheet.n_rows)) {
    const double cut = sheet.at(row, feature);
    for (const unsigned turned : {0U, 1U}) {
      best = std::max(
          best, agreeing(sheet, branches, feature, [&](double x) { return (x > cut ? 1U : 0U) ^ turned; }));
    }
  }
  return best;
}

void check_against_brute_force(const Sheet& sheet, const RowBranches& branches, std::size_t feature) {
  GrowPlan plan;
  Team team(1);
  SurrogateFinder finder(sheet.data, plan, team);
  const Surrogate found = finder.best_of(branches, static_cast<FeatureId>(feature), 0);
  const double best = best_agreeing(sheet, branches, feature);
  const double to_beat = std::max(branches.branch_weight[0], branches.branch_weight[1]);
  // A subset has one form only: if that sends fewer than two rows one way, no other subset is tried.
  if (sheet.n_codes[feature] > 0 && !found.valid()) return;
  CHECK(found.valid() == (best > to_beat));
  if (!found.valid()) return;
  CHECK(std::abs(found.agreement - best / branches.sent_weight()) < 1e-12);
  const double own = agreeing(sheet, branches, feature, [&](double x) {
    return found.kind == NodeKind::kThreshold ? (x > found.threshold ? 1U : 0U) ^ (found.flip ? 1U : 0U)
                                              : found.branch(static_cast<Code>(x));
  });
  CHECK(own == best);
}

TEST("surrogates: the best imitation is found whatever the way of counting") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    const bool few_values = round % 2 == 0;  // few values are counted in a table, many are sorted
    Sheet sheet = random_sheet(random, few_values ? 40 : 60, {0, 0, 4, 7}, few_values ? 9 : 1000, 5);
    sheet.encode();
    std::vector<RowId> rows = all_rows(sheet.n_rows);
    if (!few_values) rows.resize(24);
    const RowBranches branches = random_branches(random, sheet, rows, round % 3 == 0);
    Sheet part = sheet;  // brute force looks at the rows of the node alone
    part.n_rows = rows.size();
    for (const std::size_t feature : {1U, 2U, 3U}) check_against_brute_force(part, branches, feature);
  }
}

TEST("surrogates: a category follows most of its weight and the larger branch otherwise") {
  Sheet sheet;
  sheet.n_rows = 9;
  sheet.n_codes = {0, 5};
  // Code 1 goes left, code 2 right, code 3 is undecided, code 4 does not occur, code 5 only without the
  // node's value.
  const double categories[] = {1, 1, 2, 2, 2, 3, 3, 5, kGap};
  const double values[] = {0, 0, 2, 2, 2, 0, 2, kGap, kGap};
  for (std::size_t i = 0; i < sheet.n_rows; ++i)
    sheet.matrix.insert(sheet.matrix.end(), {values[i], categories[i]});
  sheet.encode();
  const std::vector<RowId> rows = all_rows(sheet.n_rows);
  std::mt19937_64 random(2);
  RowBranches branches = random_branches(random, sheet, rows, false);
  GrowPlan plan;
  Team team(1);
  SurrogateFinder finder(sheet.data, plan, team);
  const Surrogate found = finder.best_of(branches, 1, 0);
  CHECK(found.kind == NodeKind::kSubset);
  CHECK(std::abs(found.agreement - 6.0 / 7.0) < 1e-12);
  const std::uint32_t wanted[] = {0, 1, 1, 1, 1};
  for (Code code = 1; code <= 5; ++code) CHECK(found.branch(code) == wanted[code - 1]);
  finder.send_unknown({&found, 1}, branches);
  CHECK(branches.branch[7] == 1);
  CHECK(branches.branch[8] == 1);
}

TEST("surrogates: a perfect imitation is not kept if it sends one row alone") {
  Sheet sheet;
  sheet.n_rows = 5;
  sheet.n_codes = {0, 0, 2};
  sheet.matrix = {0, 0, 1, 2, 1, 2, 2, 1, 2, 2, 1, 2, 2, 1, 2};
  sheet.encode();
  const std::vector<RowId> rows = all_rows(sheet.n_rows);
  std::mt19937_64 random(3);
  const RowBranches branches = random_branches(random, sheet, rows, false);
  GrowPlan plan;
  Team team(1);
  SurrogateFinder finder(sheet.data, plan, team);
  CHECK(!finder.best_of(branches, 1, 0).valid());
  CHECK(!finder.best_of(branches, 2, 0).valid());
}

// --- whole trees
// ----------------------------------------------------------------------------------------------------

std::vector<std::int32_t> labels_of(std::mt19937_64& random, const Sheet& sheet) {
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < sheet.n_rows; ++i) {
    const double x = sheet.at(i, 0);
    const bool noisy = random() % 5 == 0;
    labels.push_back(noisy || std::isnan(x) ? static_cast<std::int32_t>(random() % 2) : x > 1.0);
  }
  return labels;
}

GrowPlan surrogate_plan() {
  GrowPlan plan;
  plan.missing = MissingRule::kSurrogate;
  plan.surrogates = 3;
  plan.min_rows_leaf = 3;
  return plan;
}

// Whether prediction counts the training rows at every node as training did.
bool predicts_as_trained(const Sheet& sheet, const Tree& tree) {
  check_tree(tree, sheet.n_codes);
  const Predictor predictor({&tree, 1}, sheet.n_codes);
  const auto width = static_cast<std::ptrdiff_t>(sheet.n_codes.size());
  Team team(1);
  const Paths paths = predictor.decision_path(
      MatrixView<double>{sheet.matrix.data(), sheet.n_rows, sheet.n_codes.size(), width, 1}, team);
  std::vector<std::int64_t> reached(tree.size(), 0);
  for (const std::int64_t node : paths.indices) ++reached[static_cast<std::size_t>(node)];
  return reached == tree.rows;
}

TEST("surrogates: prediction sends every training row where training sent it") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 60; ++round) {
    Sheet sheet = random_sheet(random, 50 + random() % 400, {0, 0, 6, 0, 300}, round % 2 == 0 ? 8 : 500, 4);
    sheet.encode(round % 3 == 0 ? 16 : 0);
    const std::vector<std::int32_t> labels = labels_of(random, sheet);
    std::vector<double> weights;
    if (round % 2 == 0) {
      for (std::size_t i = 0; i < sheet.n_rows; ++i)
        weights.push_back(0.1 + static_cast<double>(random() % 7));
    }
    GrowPlan plan = surrogate_plan();
    if (round % 5 == 0) plan.order = Order::kBestFirst;
    if (round % 7 == 0) plan.cut = CutRule::kValueBelow;
    Team team(1);
    const Tree tree = grow_classes(sheet.data, labels, 2, weights, plan, team);
    CHECK(!tree.surrogate_feature.empty());
    CHECK(predicts_as_trained(sheet, tree));
  }
}

bool same_trees(const Tree& a, const Tree& b) {
  return a.feature == b.feature && a.first_child == b.first_child && a.rows == b.rows &&
         a.tables == b.tables && a.surrogate_begin == b.surrogate_begin &&
         a.surrogate_feature == b.surrogate_feature && a.surrogate_table == b.surrogate_table &&
         a.surrogate_flip == b.surrogate_flip && a.surrogate_agreement == b.surrogate_agreement;
}

// Large enough for levels, subtrees that are grown alone, and threads.
TEST("surrogates: a large tree keeps its surrogates for any number of threads and any order of growth") {
  std::mt19937_64 random(5);
  Sheet sheet = random_sheet(random, 9000, {0, 0, 6, 0}, 300, 6);
  sheet.encode();
  const std::vector<std::int32_t> labels = labels_of(random, sheet);
  GrowPlan plan = surrogate_plan();
  plan.min_rows_leaf = 20;
  const auto grow = [&](int n_threads) {
    Team team(n_threads);
    return grow_classes(sheet.data, labels, 2, {}, plan, team);
  };
  const Tree tree = grow(1);
  CHECK(predicts_as_trained(sheet, tree));
  CHECK(same_trees(tree, grow(3)));
  plan.order = Order::kBestFirst;
  CHECK(same_trees(tree, grow(2)));
}

TEST("surrogates: a leaf has no surrogates and no tree has them unasked") {
  std::mt19937_64 random(6);
  Sheet sheet = random_sheet(random, 30, {0, 0}, 6, 4);
  sheet.encode();
  Team team(1);
  GrowPlan plan = surrogate_plan();
  plan.max_depth = 0;
  const Tree leaf = grow_classes(sheet.data, labels_of(random, sheet), 2, {}, plan, team);
  CHECK(leaf.surrogate_begin == (std::vector<std::int64_t>{0, 0}));
  plan = surrogate_plan();
  plan.surrogates = 0;
  const Tree without = grow_classes(sheet.data, labels_of(random, sheet), 2, {}, plan, team);
  CHECK(without.size() > 1);
  CHECK(without.surrogate_begin.empty());
}

}  // namespace

}  // namespace treewright::test
