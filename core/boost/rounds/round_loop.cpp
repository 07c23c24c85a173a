#include "boost/rounds/round_loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

namespace treewright {

namespace {

double last(const std::vector<double>& scores) {
  return scores.empty() ? std::numeric_limits<double>::quiet_NaN() : scores.back();
}

}  // namespace

RoundLoop::RoundLoop(BoostTask task, BoostMethod method, Team& team)
    : task_(std::move(task)),
      method_(std::move(method)),
      team_(team),
      n_(task_.data.n_rows),
      outputs_(task_.objective.outputs()),
      builder_(ForestBuilder::Answer::kNumber, 1, task_.data.columns.size(), task_.n_rounds * outputs_),
      growers_(method_.side_by_side > 0 ? static_cast<std::size_t>(team.size()) : 1) {
  if (task_.raw.size() != n_ * outputs_) throw std::invalid_argument("There must be a score for every row.");
  task_.raw = method_.precision->scores(std::move(task_.raw));
  const std::size_t n_features = task_.data.columns.size();
  grown_.gain.assign(n_features, 0.0);
  grown_.count.assign(n_features, 0.0);
  grown_.cover.assign(n_features, 0.0);
  if (method_.chance_gain) grown_.chance_gain = method_.chance_gain->times();
}

BoostedTrees RoundLoop::run() {
  if (task_.others != nullptr) {
    std::array<std::int64_t, 1> watch{task_.after_round ? 1 : 0};
    task_.others->add_up(watch);
    others_watch_ = watch.front() > 0;
  }
  record_scores(0);
  double best = watched();
  std::size_t since_best = 0;
  for (std::size_t round = 0; round < task_.n_rounds; ++round) {
    try {
      one_round(task_.first_round + round);
      grown_.n_rounds = round + 1;
      record_scores(round + 1);
      record_left_out();
      if (is_told_to_stop()) break;
    } catch (const Stopped&) {
      grown_.was_stopped = true;
      if (!task_.keep_partial || grown_.n_rounds == 0) throw;
      break;
    }
    if (task_.patience == 0) continue;
    const double now = watched();
    const bool is_better = now < best - task_.tolerance;
    since_best = is_better ? 0 : since_best + 1;
    if (is_better) {
      best = now;
      grown_.best_round = round + 1;
    }
    if (since_best >= task_.patience) break;
  }
  grown_.forest = builder_.finish();
  grown_.raw = std::move(task_.raw);
  return std::move(grown_);
}

// Whoever is told to stop tells the others.
bool RoundLoop::is_told_to_stop() {
  std::array<std::int64_t, 1> told{task_.after_round && task_.after_round(report()) ? 1 : 0};
  if (others_watch_) task_.others->add_up(told);
  return told.front() > 0;
}

// Gradients and rows of a round.
void RoundLoop::prepare(std::size_t round) {
  team_.poll();
  method_.gradients->find(task_.raw, team_);
  method_.drawn.draw(round, method_.gradients->gradient(), team_);
  is_prepared_ = true;
}

void RoundLoop::one_round(std::size_t round) {
  if (!is_prepared_) prepare(round);
  is_prepared_ = false;
  // Not before the gradients, which tell Huber's loss its scale.
  if (grown_.n_rounds == 0) record_left_out();
  if (method_.renews_leaves && outputs_ > 1) before_round_ = task_.raw;
  // Trees of a round that is not finished must not be kept.
  std::vector<BoostedTree> trees;
  least_gain_.assign(method_.chance_gain ? outputs_ : 0, 0.0);
  if (method_.side_by_side > 0) {
    trees.resize(outputs_);
    team_.parallel_for(outputs_, outputs_ * method_.side_by_side, [&](std::size_t k, int worker) {
      trees[k] = grow(round, k, grower_of(static_cast<std::size_t>(worker)));
    });
  } else {
    for (std::size_t k = 0; k < outputs_; ++k) trees.push_back(grow(round, k, grower_of(0)));
  }
  for (const BoostedTree& grown : trees) keep(grown);
  grown_.least_gain.insert(grown_.least_gain.end(), least_gain_.begin(), least_gain_.end());
}

Gradients RoundLoop::gradients_of(std::size_t output) const {
  Gradients gradients = method_.gradients->of_output(output);
  gradients.drawn = method_.drawn.flags();
  gradients.factor = method_.drawn.factor();
  return gradients;
}

// The tree of one output, its values turned into steps that the scores have taken.
BoostedTree RoundLoop::grow(std::size_t round, std::size_t output, BoostGrower& grower) {
  Gradients gradients = gradients_of(output);
  if (task_.others != nullptr) gradients.sizes = &shared_.outputs[output].sizes;
  if (method_.chance_gain) {
    gradients.chance_gain = chance_gain(gradients, output);
    least_gain_[output] = std::max(task_.plan.min_gain, gradients.chance_gain);
  }
  BoostedTree grown = grower.grow(gradients, round, output);
  Tree& tree = grown.tree;
  if (method_.renews_leaves) renew_leaves(tree, output, grower);
  const double rate = task_.plan.rate_of(round);
  for (double& value : tree.value) value = method_.precision->step(value, rate);
  grower.add_step(tree.value, task_.raw.data() + output * n_);
  if (task_.held_out != nullptr) {
    task_.held_out->add_step(tree, task_.held_out_raw.data() + output * task_.held_out->size(), team_);
  }
  return grown;
}

// Made when first needed: a thread that never gets a tree needs none.
BoostGrower& RoundLoop::grower_of(std::size_t worker) {
  if (growers_[worker] == nullptr) growers_[worker] = method_.make_grower();
  return *growers_[worker];
}

double RoundLoop::chance_gain(const Gradients& gradients, std::size_t output) const {
  return task_.others != nullptr ? shared_.outputs[output].chance_gain
                                 : method_.chance_gain->of(gradients, team_);
}

void RoundLoop::renew_leaves(Tree& tree, std::size_t output, const BoostGrower& grower) const {
  const LeafRows rows = grower.rows_by_leaf();
  const double* raw = outputs_ > 1 ? before_round_.data() : task_.raw.data();
  team_.parallel_for(tree.size(), rows.rows.size() * 32, [&](std::size_t node, int) {
    if (tree.kind[node] != NodeKind::kLeaf || rows.of(node).empty()) return;
    tree.value[node] = task_.objective.leaf_value(task_.rows, raw, output, rows.of(node));
  });
}

void RoundLoop::keep(const BoostedTree& grown) {
  builder_.append(grown.tree);
  grown_.gradient.insert(grown_.gradient.end(), grown.gradient.begin(), grown.gradient.end());
  for (std::size_t node = 0; node < grown.tree.size(); ++node) {
    if (grown.tree.kind[node] == NodeKind::kLeaf) continue;
    const auto f = static_cast<std::size_t>(grown.tree.feature[node]);
    grown_.gain[f] += grown.tree.gain[node];
    grown_.count[f] += 1;
    grown_.cover[f] += grown.tree.weight[node];
  }
}

// After so many rounds.
void RoundLoop::record_scores(std::size_t done) {
  const double train = train_score(done);
  if (task_.score_rows > 0) grown_.train_score.push_back(train);
  if (task_.held_out == nullptr) return;
  const double score = task_.metric ? task_.metric(task_.held_out_raw)
                                    : mean_loss(task_.objective, task_.held_out_rows, task_.held_out_raw);
  grown_.validation_score.push_back(score);
}

// Other processes meet here: the next round is prepared, so that its sums travel with those of the score.
double RoundLoop::train_score(std::size_t done) {
  std::span<double> numbers;
  if (task_.score_rows > 0) numbers = method_.train_score->look_at(task_.raw);
  if (task_.others != nullptr && done < task_.n_rounds) {
    if (!method_.chance_gain) throw std::logic_error("Shared rows are boosted by methods that know γ.");
    prepare(task_.first_round + done);
    std::vector<Gradients> gradients;
    for (std::size_t k = 0; k < outputs_; ++k) gradients.push_back(gradients_of(k));
    shared_ = SharedRound::meet(gradients, *method_.chance_gain, numbers, *task_.others, team_);
  } else if (task_.others != nullptr && !numbers.empty()) {
    task_.others->gather(numbers);
  }
  return task_.score_rows > 0 ? method_.train_score->score() : 0.0;
}

// Nobody knows the loss that the user's own derivatives belong to: there is no train score then.
void RoundLoop::record_left_out() {
  if (task_.score_rows == 0 || !method_.scores_left_out) return;
  const double score = left_out_score(task_.objective, task_.rows, task_.raw, method_.drawn.flags(), team_);
  if (!std::isnan(score)) grown_.oob_score.push_back(score);
}

double RoundLoop::watched() const {
  return last(task_.held_out != nullptr ? grown_.validation_score : grown_.train_score);
}

RoundReport RoundLoop::report() const {
  return {task_.first_round + grown_.n_rounds, last(grown_.train_score), last(grown_.validation_score)};
}

}  // namespace treewright
