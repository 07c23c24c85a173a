#include "boost/rounds/rounds.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "boost/exact/exact_grower.h"
#include "boost/histogram/histogram_grower.h"
#include "boost/histogram/shared_grower.h"
#include "boost/histogram/ticks.h"
#include "boost/rounds/mean_grower.h"
#include "boost/rounds/round_loop.h"

namespace treewright {

namespace {

// Threads that grow one small tree together mostly wait for each other. Where a round has several trees, each
// thread then grows some of them alone; every one of these threads has a copy of the codes, so not for large
// tables, nor where the last trees of a round would keep only some of the threads busy for long. Returns
// about how many steps a tree takes, or 0: all threads grow one tree after the other.
std::size_t side_by_side(const BoostTask& task, const Team& team) {
  constexpr std::size_t kFewCells = 600'000, kManyCells = 4'000'000, kStepsPerCell = 8;
  const auto n_threads = static_cast<std::size_t>(team.size());
  const std::size_t outputs = task.objective.outputs();
  if (outputs == 1 || n_threads == 1 || task.others != nullptr || task.exact) return 0;
  std::size_t cells = 0;
  for (const Column& column : task.data.columns) {
    cells += column.is_sparse ? column.rows.size() : task.data.n_rows;
  }
  const std::size_t idle = (n_threads - outputs % n_threads) % n_threads;
  return cells <= (5 * idle <= outputs ? kManyCells : kFewCells) ? kStepsPerCell * cells : 0;
}

using GrowerMaker = std::function<std::unique_ptr<BoostGrower>()>;

template <class Ticks>
GrowerMaker histogram_growers(const BoostTask& task, std::size_t most_members, Team& team) {
  return [&data = task.data, &plan = task.plan, others = task.others, most_members,
          &team]() -> std::unique_ptr<BoostGrower> {
    if (others != nullptr) return std::make_unique<SharedGrower<Ticks>>(data, plan, team, *others);
    return std::make_unique<HistogramGrower<Ticks>>(data, plan, team, most_members);
  };
}

GrowerMaker newton_growers(const BoostTask& task, std::size_t most_members, Team& team) {
  if (task.exact) {
    return [&data = task.data, &plan = task.plan, &team] {
      return std::make_unique<ExactGrower>(data, plan, team);
    };
  }
  if (has_wide_ticks(task.n_all_rows())) return histogram_growers<WideTicks>(task, most_members, team);
  return histogram_growers<PackedTicks>(task, most_members, team);
}

// Leaves answer −G/(H + λ), but where the objective knows better.
BoostMethod newton_boosting(BoostTask& task, Team& team) {
  // The score is of the targets as they were given.
  auto score = std::make_unique<SampleScore>(task.objective, task.rows, task.score_rows, task.others);
  std::unique_ptr<Precision> precision =
      task.exact ? std::make_unique<SinglePrecision>() : std::make_unique<Precision>();
  task.rows = precision->targets(task.rows);
  auto gradients = std::make_unique<NewtonGradients>(task.rows, task.n_all_rows(), task.objective,
                                                     task.gradients, *precision);
  const std::size_t alone = side_by_side(task, team);
  return {.precision = std::move(precision),
          .make_grower = newton_growers(task, alone > 0 ? 1 : static_cast<std::size_t>(team.size()), team),
          .gradients = std::move(gradients),
          .drawn = DrawnRows(task.plan, task.data.n_rows, task.objective.outputs(), DrawnRows::Draw::kEachRow,
                             task.others),
          .train_score = std::move(score),
          .chance_gain = ChanceGain(task.plan, task.data, task.rows.weights, task.others),
          .renews_leaves = task.objective.renews_leaves() && !task.gradients,
          .side_by_side = alone};
}

// Leaves answer the mean of the negative gradients, which is the best step already where the loss is the
// squared error.
BoostMethod gradient_boosting(BoostTask& task, Team& team) {
  const std::size_t n = task.data.n_rows, outputs = task.objective.outputs();
  const bool are_best = task.objective.hessian_is_weight() && !task.objective.renews_leaves();
  return {
      .precision = std::make_unique<Precision>(),
      .make_grower =
          [&data = task.data, weights = task.rows.weights, &plan = *task.mean_tree, seed = task.plan.seed,
           outputs, &team] { return std::make_unique<MeanGrower>(data, weights, plan, seed, outputs, team); },
      .gradients = std::make_unique<PlainGradients>(task.rows, task.objective, task.gradients),
      .drawn = DrawnRows(task.plan, n, outputs, DrawnRows::Draw::kExactCount),
      .train_score = std::make_unique<WholeScore>(task.objective, task.rows, team),
      .chance_gain = std::nullopt,
      .renews_leaves = !are_best && !task.gradients,
      .scores_left_out = true,
      .side_by_side = side_by_side(task, team)};
}

// What needs all rows of a leaf, or of the table, in one place.
void check_shared(const BoostTask& task) {
  if (task.exact || task.mean_tree != nullptr) {
    throw std::invalid_argument("Trees of rows in several processes are grown by histograms.");
  }
  if (task.objective.renews_leaves() || task.gradients) {
    throw std::invalid_argument(
        "This loss gives leaves values that need all of their rows, which are in several processes.");
  }
}

// A process without rows has no weights either, and must not take that for weights of 1.
void agree_on_weights(BoostTask& task) {
  static constexpr double kAnyWeight = 1;
  std::array<std::int64_t, 1> weighted{task.rows.weights.empty() ? 0 : 1};
  task.others->add_up(weighted);
  if (weighted.front() > 0 && task.rows.size() == 0) task.rows.weights = {&kAnyWeight, 1};
}

}  // namespace

BoostedTrees boost(BoostTask task, Team& team) {
  if (task.n_all_rows() == 0) throw std::invalid_argument("There are no rows.");
  if (task.others != nullptr) {
    check_shared(task);
    agree_on_weights(task);
  }
  BoostMethod method =
      task.mean_tree == nullptr ? newton_boosting(task, team) : gradient_boosting(task, team);
  return RoundLoop(std::move(task), std::move(method), team).run();
}

}  // namespace treewright
