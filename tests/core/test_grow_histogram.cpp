#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <vector>

#include "check.h"
#include "grow/histogram_pool.h"
#include "grow/row_codes.h"
#include "grow_data.h"
#include "tests.h"

namespace treewright::test {

namespace {

void a_pool_lends_clean_histograms_and_takes_them_back() {
  HistogramPool pool(5);
  auto first = pool.acquire();
  const Histogram* address = first.get();
  (*first)[2] = 7;
  const auto second = pool.acquire();
  CHECK(second.get() != address);
  first.reset();
  const auto third = pool.acquire();
  CHECK(third.get() == address);
  CHECK(*third == Histogram(5, 0));
  std::shared_ptr<Histogram> survivor;
  {
    HistogramPool short_lived(3);
    survivor = short_lived.acquire();
  }
  CHECK(survivor->size() == 3);
}

void a_sibling_follows_by_subtraction() {
  Histogram all{5, -3, 8}, part{2, -4, 8};
  subtract_from(all, part);
  CHECK((all == Histogram{3, 1, 0}));
  add_to(all, part);
  CHECK((all == Histogram{5, -3, 8}));
}

void codes_stand_row_by_row() {
  const GrowData data = random_grow_data(100, 1);
  Team team(1);
  const RowCodes codes(data.dataset, team);
  std::size_t cells = 0;
  for (std::size_t f = 0; f < data.dataset.columns.size(); ++f) {
    CHECK(codes.offsets()[f] == cells);
    cells += data.dataset.columns[f].n_codes + 1;
    for (std::size_t row = 0; row < 100; ++row)
      CHECK(codes.row(row)[f] == data.dataset.columns[f].bytes[row]);
  }
  CHECK(codes.cells() == cells);
  Dataset wide;
  wide.n_rows = 1;
  wide.columns = {make_column(ColumnKind::kNumeric, {1}, 300)};
  CHECK(throws<std::invalid_argument>([&] { RowCodes(wide, team); }));
}

Tree grow_halves(const GrowData& data, const GrowPlan& plan, int n_threads) {
  std::vector<double> gradients;
  for (const double y : data.y) gradients.push_back(-y);
  const std::vector<double> hessians(data.y.size(), 1.0);
  Team team(n_threads);
  return grow_gradients(data.dataset, gradients, hessians, 0.0, plan, team);
}

void the_number_of_threads_changes_no_bit() {
  const GrowData data = random_grow_data(50'000, 2);
  GrowPlan plan;
  plan.min_weight_leaf = 20;
  for (const std::int64_t most : {std::numeric_limits<std::int64_t>::max(), std::int64_t{40}}) {
    plan.max_leaves = most;
    const Tree tree = grow_halves(data, plan, 1);
    CHECK(tree.size() > 60);
    CHECK(same_tree(tree, grow_halves(data, plan, 2)));
    CHECK(same_tree(tree, grow_halves(data, plan, 8)));
    CHECK(fault_of(tree, data).empty());
  }
}

// With g = −y and h = 1 the Newton loss is half the squared error up to a constant, so both finders must
// agree. y is a multiple of 1/8 below 16: rounding to whole steps is exact when the largest one is a power of
// two.
void gradients_of_the_squared_error_give_the_regression_tree() {
  GrowData data = random_grow_data(3000, 3);
  data.y[0] = 16.0;
  GrowPlan plan;
  plan.min_weight_leaf = 15;
  plan.relative_tie = 0;
  plan.absolute_tie = 1e-9;
  const Tree by_gradients = grow_halves(data, plan, 1);
  plan.absolute_tie = 2e-9;
  const Tree by_means = grow_task(data, {CriterionName::kSquaredError, false}, plan);
  CHECK(by_gradients.kind == by_means.kind);
  CHECK(by_gradients.feature == by_means.feature);
  CHECK(by_gradients.rows == by_means.rows);
  CHECK(same_numbers(by_gradients.threshold, by_means.threshold, 0));
  CHECK(by_gradients.tables == by_means.tables);
  CHECK(same_numbers(by_gradients.value, by_means.value, 1e-9));
  for (std::size_t i = 0; i < std::min(by_means.size(), by_gradients.size()); ++i) {
    CHECK(near(2 * by_gradients.gain[i], by_means.gain[i], 1e-7));
  }
}

void best_first_with_all_leaves_equals_depth_first() {
  const GrowData data = random_grow_data(5000, 4);
  GrowPlan plan;
  plan.min_weight_leaf = 10;
  const Tree tree = grow_halves(data, plan, 1);
  plan.order = Order::kBestFirst;
  CHECK(same_tree(tree, grow_halves(data, plan, 1)));
  plan.max_leaves = std::count(tree.kind.begin(), tree.kind.end(), NodeKind::kLeaf);
  CHECK(same_tree(tree, grow_halves(data, plan, 2)));
}

void plans_that_need_more_than_gradients_are_refused() {
  const GrowData data = random_grow_data(50, 5);
  const auto refused = [&](auto change) {
    GrowPlan plan;
    change(plan);
    return throws<std::invalid_argument>([&] { grow_halves(data, plan, 1); });
  };
  CHECK(!refused([](GrowPlan&) {}));
  CHECK(refused([](GrowPlan& plan) { plan.missing = MissingRule::kFractional; }));
  CHECK(refused([](GrowPlan& plan) { plan.categories = CategoryGrouping::kMultiway; }));
  CHECK(refused([](GrowPlan& plan) { plan.min_rows_leaf = 2; }));
  Team team(1);
  CHECK(
      throws<std::invalid_argument>([&] { grow_gradients(data.dataset, data.y, {}, 0, GrowPlan{}, team); }));
}

}  // namespace

std::vector<Test> grow_histogram_tests() {
  return {
      {"a pool lends clean histograms and takes them back",
       a_pool_lends_clean_histograms_and_takes_them_back},
      {"a sibling follows by subtraction", a_sibling_follows_by_subtraction},
      {"codes stand row by row", codes_stand_row_by_row},
      {"the number of threads changes no bit of a histogram tree", the_number_of_threads_changes_no_bit},
      {"gradients of the squared error give the regression tree",
       gradients_of_the_squared_error_give_the_regression_tree},
      {"best first with all leaves equals depth first", best_first_with_all_leaves_equals_depth_first},
      {"plans that need more than gradients are refused", plans_that_need_more_than_gradients_are_refused},
  };
}

}  // namespace treewright::test
