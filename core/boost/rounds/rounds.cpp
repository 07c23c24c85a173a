#include "boost/rounds/rounds.h"

#include <stdexcept>
#include <utility>

#include "boost/exact/exact_grower.h"
#include "boost/histogram/histogram_grower.h"
#include "boost/histogram/ticks.h"
#include "boost/rounds/mean_grower.h"
#include "boost/rounds/round_loop.h"

namespace treewright {

namespace {

std::unique_ptr<BoostGrower> newton_grower(const BoostTask& task, Team& team) {
  if (task.exact) return std::make_unique<ExactGrower>(task.data, task.plan, team);
  if (has_wide_ticks(task.data.n_rows)) {
    return std::make_unique<HistogramGrower<WideTicks>>(task.data, task.plan, team);
  }
  return std::make_unique<HistogramGrower<PackedTicks>>(task.data, task.plan, team);
}

// Leaves answer −G/(H + λ), but where the objective knows better.
BoostMethod newton_boosting(BoostTask& task, Team& team) {
  // The score is of the targets as they were given.
  auto score = std::make_unique<SampleScore>(task.objective, task.rows, task.score_rows);
  std::unique_ptr<Precision> precision =
      task.exact ? std::make_unique<SinglePrecision>() : std::make_unique<Precision>();
  task.rows = precision->targets(task.rows);
  auto gradients = std::make_unique<NewtonGradients>(task.rows, task.objective, task.gradients, *precision);
  return {.precision = std::move(precision),
          .grower = newton_grower(task, team),
          .gradients = std::move(gradients),
          .sample = RowSample(task.plan, task.data.n_rows, task.objective.outputs()),
          .train_score = std::move(score),
          .chance_gain = ChanceGain(task.plan, task.data, task.rows.weights),
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

}  // namespace

BoostedTrees boost(BoostTask task, Team& team) {
  if (task.data.n_rows == 0) throw std::invalid_argument("There are no rows.");
  BoostMethod method =
      task.mean_tree == nullptr ? newton_boosting(task, team) : gradient_boosting(task, team);
  return RoundLoop(std::move(task), std::move(method), team).run();
}

}  // namespace treewright
