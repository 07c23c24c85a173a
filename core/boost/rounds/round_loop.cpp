#include "boost/rounds/round_loop.h"

#include <algorithm>
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
      builder_(ForestBuilder::Answer::kNumber, 1, task_.data.columns.size(), task_.n_rounds * outputs_) {
  if (task_.raw.size() != n_ * outputs_) throw std::invalid_argument("There must be a score for every row.");
  task_.raw = method_.precision->scores(std::move(task_.raw));
  const std::size_t n_features = task_.data.columns.size();
  grown_.gain.assign(n_features, 0.0);
  grown_.count.assign(n_features, 0.0);
  grown_.cover.assign(n_features, 0.0);
  if (method_.chance_gain) grown_.chance_gain = method_.chance_gain->times();
}

BoostedTrees RoundLoop::run() {
  record_scores();
  double best = watched();
  std::size_t since_best = 0, best_before = 0;
  for (std::size_t round = 0; round < task_.n_rounds; ++round) {
    try {
      if (!one_round(task_.first_round + round)) {
        grown_.best_round = best_before;  // who stops does not look at the score any more
        break;
      }
      grown_.n_rounds = round + 1;
      record_scores();
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
    best_before = grown_.best_round;
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

// Whoever is told to stop while others go on tells them at the beginning of the next round.
bool RoundLoop::is_told_to_stop() {
  was_told_ = task_.after_round && task_.after_round(report());
  return was_told_ && task_.others == nullptr;
}

// False: some process was told to stop before it.
bool RoundLoop::one_round(std::size_t round) {
  team_.poll();
  method_.gradients->find(task_.raw, team_);
  method_.sample.draw(round, method_.gradients->gradient(), team_);
  if (task_.others != nullptr && !meet_others()) return false;
  // Not before the gradients, which tell Huber's loss its scale.
  if (grown_.n_rounds == 0) record_left_out();
  if (method_.renews_leaves && outputs_ > 1) before_round_ = task_.raw;
  // Trees of a round that is not finished must not be kept.
  std::vector<BoostedTree> trees;
  least_gain_.clear();
  for (std::size_t k = 0; k < outputs_; ++k) trees.push_back(grow(round, k));
  for (const BoostedTree& grown : trees) keep(grown);
  grown_.least_gain.insert(grown_.least_gain.end(), least_gain_.begin(), least_gain_.end());
  return true;
}

Gradients RoundLoop::gradients_of(std::size_t output) const {
  Gradients gradients = method_.gradients->of_output(output);
  gradients.sample = method_.sample.flags();
  gradients.factor = method_.sample.factor();
  return gradients;
}

bool RoundLoop::meet_others() {
  std::vector<Gradients> gradients;
  for (std::size_t k = 0; k < outputs_; ++k) gradients.push_back(gradients_of(k));
  shared_ = SharedRound::meet(gradients, *method_.chance_gain, was_told_, *task_.others, team_);
  return !shared_.stops;
}

// The tree of one output, its values turned into steps that the scores have taken.
BoostedTree RoundLoop::grow(std::size_t round, std::size_t output) {
  Gradients gradients = gradients_of(output);
  if (task_.others != nullptr) {
    gradients.sizes = &shared_.outputs[output].sizes;
    gradients.chance_gain = shared_.outputs[output].chance_gain;
  } else if (method_.chance_gain) {
    gradients.chance_gain = method_.chance_gain->of(gradients, team_);
  }
  if (method_.chance_gain) least_gain_.push_back(std::max(task_.plan.min_gain, gradients.chance_gain));
  BoostedTree grown = method_.grower->grow(gradients, round, output);
  Tree& tree = grown.tree;
  if (method_.renews_leaves) renew_leaves(tree, output);
  const double rate = task_.plan.rate_of(round);
  for (double& value : tree.value) value = method_.precision->step(value, rate);
  method_.grower->add_step(tree.value, task_.raw.data() + output * n_);
  if (task_.held_out != nullptr) {
    task_.held_out->add_step(tree, task_.held_out_raw.data() + output * task_.held_out->size(), team_);
  }
  return grown;
}

void RoundLoop::renew_leaves(Tree& tree, std::size_t output) const {
  const LeafRows rows = method_.grower->rows_by_leaf();
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

void RoundLoop::record_scores() {
  if (task_.score_rows > 0) grown_.train_score.push_back(method_.train_score->of(task_.raw));
  if (task_.held_out == nullptr) return;
  const double score = task_.metric ? task_.metric(task_.held_out_raw)
                                    : mean_loss(task_.objective, task_.held_out_rows, task_.held_out_raw);
  grown_.validation_score.push_back(score);
}

// Nobody knows the loss that the user's own derivatives belong to: there is no train score then.
void RoundLoop::record_left_out() {
  if (task_.score_rows == 0 || !method_.scores_left_out) return;
  const double score = left_out_score(task_.objective, task_.rows, task_.raw, method_.sample.flags(), team_);
  if (!std::isnan(score)) grown_.oob_score.push_back(score);
}

double RoundLoop::watched() const {
  return last(task_.held_out != nullptr ? grown_.validation_score : grown_.train_score);
}

RoundReport RoundLoop::report() const {
  return {task_.first_round + grown_.n_rounds, last(grown_.train_score), last(grown_.validation_score)};
}

}  // namespace treewright
