#include "boost/rounds/rounds.h"

#include <array>
#include <cstdint>
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

template <class Ticks>
std::unique_ptr<BoostGrower> histogram_grower(const BoostTask& task, Team& team) {
  if (task.others == nullptr) return std::make_unique<HistogramGrower<Ticks>>(task.data, task.plan, team);
  return std::make_unique<SharedGrower<Ticks>>(task.data, task.plan, team, *task.others);
}

std::unique_ptr<BoostGrower> newton_grower(const BoostTask& task, Team& team) {
  if (task.exact) return std::make_unique<ExactGrower>(task.data, task.plan, team);
  if (has_wide_ticks(task.n_all_rows())) return histogram_grower<WideTicks>(task, team);
  return histogram_grower<PackedTicks>(task, team);
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
  return {.precision = std::move(precision),
          .grower = newton_grower(task, team),
          .gradients = std::move(gradients),
          .sample = RowSample(task.plan, task.data.n_rows, task.objective.outputs(),
                              RowSample::Draw::kEachRow, task.others),
          .train_score = std::move(score),
          .chance_gain = ChanceGain(task.plan, task.data, task.rows.weights, task.others),
          .renews_leaves = task.objective.renews_leaves() && !task.gradients};
}

// Leaves answer the mean of the negative gradients, which is the best step already where the loss is the
// squared error.
BoostMethod gradient_boosting(BoostTask& task, Team& team) {
  const std::size_t n = task.data.n_rows, outputs = task.objective.outputs();
  const bool are_best = task.objective.hessian_is_weight() && !task.objective.renews_leaves();
  return {.precision = std::make_unique<Precision>(),
          .grower = std::make_unique<MeanGrower>(task.data, task.rows.weights, *task.mean_tree,
                                                 task.plan.seed, outputs, team),
          .gradients = std::make_unique<PlainGradients>(task.rows, task.objective, task.gradients),
          .sample = RowSample(task.plan, n, outputs, RowSample::Draw::kExactCount),
          .train_score = std::make_unique<WholeScore>(task.objective, task.rows, team),
          .chance_gain = std::nullopt,
          .renews_leaves = !are_best && !task.gradients,
          .scores_left_out = true};
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
