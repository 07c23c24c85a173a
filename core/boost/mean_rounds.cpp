#include "boost/mean_rounds.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/random.h"
#include "boost/score_sample.h"
#include "boost/tree_router.h"
#include "grow/grow.h"
#include "prune/leaf_price.h"

namespace treewright {

namespace {

constexpr std::size_t kBlock = 4096;

class MeanRounds {
 public:
  MeanRounds(BoostTask task, const GrowPlan& tree, Team& team)
      : task_(std::move(task)),
        tree_plan_(tree),
        team_(team),
        n_(task_.data.n_rows),
        outputs_(task_.objective.outputs()),
        builder_(ForestBuilder::Answer::kNumber, 1, task_.data.columns.size(), task_.n_rounds * outputs_),
        gradient_(n_ * outputs_),
        step_(n_ * outputs_),
        all_rows_(n_),
        weight_(n_ > 0 && task_.rows.weights.empty()
                    ? static_cast<double>(n_)
                    : std::accumulate(task_.rows.weights.begin(), task_.rows.weights.end(), 0.0)) {
    if (task_.raw.size() != n_ * outputs_) {
      throw std::invalid_argument("There must be a score for every row.");
    }
    std::iota(all_rows_.begin(), all_rows_.end(), RowId{0});
    tree_plan_.release_memory = false;
    const std::size_t n_features = task_.data.columns.size();
    grown_.gain.assign(n_features, 0.0);
    grown_.count.assign(n_features, 0.0);
    grown_.cover.assign(n_features, 0.0);
  }

  BoostedTrees run() {
    record_scores();
    double best = watched();
    std::size_t since_best = 0;
    for (std::size_t round = 0; round < task_.n_rounds; ++round) {
      try {
        one_round(task_.first_round + round);
        grown_.n_rounds = round + 1;
        record_scores();
        record_left_out();
        if (task_.after_round && task_.after_round(report())) break;
      } catch (const Stopped&) {
        grown_.was_stopped = true;
        if (!task_.keep_partial || grown_.n_rounds == 0) throw;
        break;
      }
      if (task_.patience == 0) continue;
      const double now = watched();
      const bool better = now < best - task_.tolerance;
      since_best = better ? 0 : since_best + 1;
      if (better) {
        best = now;
        grown_.best_round = round + 1;
      }
      if (since_best >= task_.patience) break;
    }
    grown_.forest = builder_.finish();
    grown_.raw = std::move(task_.raw);
    return std::move(grown_);
  }

 private:
  void one_round(std::size_t round) {
    team_.poll();
    find_gradients();
    draw_rows(round);
    // Not before the gradients, which tell Huber's loss its scale.
    if (grown_.n_rounds == 0) record_left_out();
    const std::span<const RowId> rows = drawn_.empty() ? all_rows_ : drawn_;
    // Kept once the round is complete. All trees of a round start from the same scores.
    std::vector<BoostedTree> trees;
    for (std::size_t k = 0; k < outputs_; ++k) trees.push_back(grow(round, k, rows));
    for (std::size_t k = 0; k < outputs_; ++k) {
      add_steps(k);
      if (task_.held_out != nullptr) {
        task_.held_out->add_step(trees[k].tree, task_.held_out_raw.data() + k * task_.held_out->size(),
                                 team_);
      }
    }
    for (const BoostedTree& grown : trees) keep(grown);
  }

  // Weights are the trees' business, so the gradients are without them.
  void find_gradients() {
    if (task_.gradients) {
      hessian_.resize(n_ * outputs_);
      task_.gradients(task_.raw, gradient_.data(), hessian_.data());
      for (std::size_t i = 0; i < gradient_.size(); ++i) {
        gradient_[i] /= -task_.rows.weight(i % n_);
      }
      return;
    }
    task_.objective.begin_round(task_.rows, task_.raw.data());
    const Targets rows{task_.rows.y, {}};
    for_blocks([&](std::size_t begin, std::size_t end) {
      const std::size_t n = end - begin;
      std::vector<double> g(n * outputs_), h(n * outputs_);
      task_.objective.gradients(rows, task_.raw.data(), begin, end, g.data(), h.data());
      for (std::size_t k = 0; k < outputs_; ++k) {
        for (std::size_t i = 0; i < n; ++i) gradient_[k * n_ + begin + i] = -g[k * n + i];
      }
    });
  }

  // As many of the rows as the share says, drawn without replacement, ascending.
  void draw_rows(std::size_t round) {
    if (!(task_.plan.subsample < 1)) return;
    const auto share = static_cast<std::size_t>(task_.plan.subsample * static_cast<double>(n_));
    std::size_t wanted = std::max<std::size_t>(share, 1);
    Random random = Random(task_.plan.seed).split(round);
    drawn_.clear();
    left_out_.clear();
    for (std::size_t row = 0; row < n_; ++row) {
      const bool is_drawn = wanted > 0 && random.uniform(n_ - row) < wanted;
      (is_drawn ? drawn_ : left_out_).push_back(static_cast<RowId>(row));
      if (is_drawn) --wanted;
    }
  }

  BoostedTree grow(std::size_t round, std::size_t output, std::span<const RowId> rows) {
    const std::span<const double> target(gradient_.data() + output * n_, n_);
    tree_plan_.seed = Random(task_.plan.seed).split(round * outputs_ + output).next();
    BoostedTree grown;
    grown.tree = grow_means_of(task_.data, rows, target, task_.rows.weights, tree_plan_, team_);
    Tree& tree = grown.tree;
    if (tree_plan_.ccp_alpha > 0) prune_at_price(tree, tree_plan_.ccp_alpha);
    for (std::size_t node = 0; node < tree.size(); ++node) {
      grown.gradient.push_back(-tree.value[node] * tree.weight[node]);
    }
    TreeRouter(task_.data, tree).route(team_, leaf_);
    renew_leaves(tree, output, rows);
    for (double& value : tree.value) value *= task_.plan.learning_rate;
    for_blocks([&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        step_[output * n_ + row] = tree.value[static_cast<std::size_t>(leaf_[row])];
      }
    });
    return grown;
  }

  // The mean of the negative gradients is the best step already where the loss is the squared error.
  void renew_leaves(Tree& tree, std::size_t output, std::span<const RowId> rows) {
    if (task_.gradients) return renew_by_newton(tree, output, rows);
    if (task_.objective.hessian_is_weight() && !task_.objective.renews_leaves()) return;
    std::vector<std::size_t> begin(tree.size() + 1, 0);
    for (const RowId row : rows) ++begin[static_cast<std::size_t>(leaf_[row]) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    std::vector<RowId> by_leaf(rows.size());
    for (const RowId row : rows) by_leaf[next[static_cast<std::size_t>(leaf_[row])]++] = row;
    team_.parallel_for(tree.size(), rows.size() * 32, [&](std::size_t node, int) {
      const std::span<const RowId> own(by_leaf.data() + begin[node], begin[node + 1] - begin[node]);
      if (tree.kind[node] != NodeKind::kLeaf || own.empty()) return;
      tree.value[node] = task_.objective.leaf_value(task_.rows, task_.raw.data(), output, own);
    });
  }

  // A loss of which only derivatives are known.
  void renew_by_newton(Tree& tree, std::size_t output, std::span<const RowId> rows) const {
    std::vector<double> hessian(tree.size(), 0.0);
    for (const RowId row : rows) {
      hessian[static_cast<std::size_t>(leaf_[row])] += hessian_[output * n_ + row];
    }
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (tree.kind[node] != NodeKind::kLeaf) continue;
      const double sum = tree.value[node] * tree.weight[node];
      tree.value[node] = hessian[node] > 1e-150 ? sum / hessian[node] : 0.0;
    }
  }

  void add_steps(std::size_t output) {
    for_blocks([&](std::size_t begin, std::size_t end) {
      const std::size_t at = output * n_;
      for (std::size_t i = at + begin; i < at + end; ++i) task_.raw[i] += step_[i];
    });
  }

  void keep(const BoostedTree& grown) {
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

  void record_scores() {
    if (task_.score_rows > 0) grown_.train_score.push_back(train_score());
    if (task_.held_out == nullptr) return;
    grown_.validation_score.push_back(
        task_.metric ? task_.metric(task_.held_out_raw)
                     : mean_loss(task_.objective, task_.held_out_rows, task_.held_out_raw));
  }

  // Over all rows; parts are added in their order, whoever worked them out.
  double train_score() {
    std::vector<double> parts((n_ + kBlock - 1) / kBlock);
    for_blocks([&](std::size_t begin, std::size_t end) {
      parts[begin / kBlock] = task_.objective.total(task_.rows, task_.raw.data(), begin, end);
    });
    return std::accumulate(parts.begin(), parts.end(), 0.0) / weight_;
  }

  // Nobody knows the loss that the user's own derivatives belong to.
  void record_left_out() {
    if (task_.score_rows > 0 && !left_out_.empty()) grown_.oob_score.push_back(left_out_score());
  }

  double left_out_score() {
    const std::size_t n = left_out_.size(), n_blocks = (n + kBlock - 1) / kBlock;
    std::vector<double> losses(n_blocks), weights(n_blocks);
    team_.parallel_for(n_blocks, n * outputs_ * 4, [&](std::size_t block, int) {
      const std::span<const RowId> own(left_out_.data() + block * kBlock,
                                       std::min(kBlock, n - block * kBlock));
      std::vector<double> y, weight, raw;
      for (const RowId row : own) {
        y.push_back(task_.rows.y[row]);
        weight.push_back(task_.rows.weight(row));
      }
      for (std::size_t k = 0; k < outputs_; ++k) {
        for (const RowId row : own) raw.push_back(task_.raw[k * n_ + row]);
      }
      losses[block] = task_.objective.total({y, weight}, raw.data(), 0, own.size());
      weights[block] = std::accumulate(weight.begin(), weight.end(), 0.0);
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0) /
           std::accumulate(weights.begin(), weights.end(), 0.0);
  }

  template <class Body>
  void for_blocks(Body&& body) {
    team_.parallel_for((n_ + kBlock - 1) / kBlock, n_ * outputs_ * 4, [&](std::size_t block, int) {
      body(block * kBlock, std::min(n_, (block + 1) * kBlock));
    });
  }

  static double last(const std::vector<double>& scores) {
    return scores.empty() ? std::numeric_limits<double>::quiet_NaN() : scores.back();
  }
  double watched() const {
    return last(task_.held_out != nullptr ? grown_.validation_score : grown_.train_score);
  }
  RoundReport report() const {
    return {task_.first_round + grown_.n_rounds, last(grown_.train_score), last(grown_.validation_score)};
  }

  BoostTask task_;
  GrowPlan tree_plan_;
  Team& team_;
  std::size_t n_, outputs_;
  ForestBuilder builder_;
  std::vector<double> gradient_;  // negative, of every row and output, without weights
  std::vector<double> hessian_;   // only of a loss of the user's
  std::vector<double> step_;      // what the round adds to each score
  std::vector<RowId> all_rows_;
  std::vector<RowId> drawn_, left_out_;  // of the round; both empty: all rows were drawn
  std::vector<NodeId> leaf_;             // of every row in the tree grown last
  double weight_;
  BoostedTrees grown_;
};

}  // namespace

BoostedTrees boost_means(BoostTask task, const GrowPlan& tree, Team& team) {
  if (task.data.n_rows == 0) throw std::invalid_argument("There are no rows.");
  return MeanRounds(std::move(task), tree, team).run();
}

}  // namespace treewright
