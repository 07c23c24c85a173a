#include "boost/rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/random.h"
#include "boost/exact_grower.h"
#include "boost/histogram_grower.h"
#include "boost/row_sample.h"
#include "boost/score_sample.h"
#include "boost/steps.h"

namespace treewright {

namespace {

// Small tables can afford fine steps; for very many rows packed ones would be too coarse, below 128 steps for
// the largest gradient.
constexpr std::size_t kFewRows = 16'384;
constexpr std::size_t kManyRows = std::size_t{1} << 24;

std::unique_ptr<BoostGrower> make_grower(const BoostTask& task, Team& team) {
  if (task.exact) return std::make_unique<ExactGrower>(task.data, task.plan, team);
  const std::size_t n = task.data.n_rows;
  if (n <= kFewRows || n > kManyRows) {
    return std::make_unique<HistogramGrower<WideSteps>>(task.data, task.plan, team);
  }
  return std::make_unique<HistogramGrower<PackedSteps>>(task.data, task.plan, team);
}

class Rounds {
 public:
  Rounds(BoostTask task, Team& team)
      : task_(std::move(task)),
        team_(team),
        n_(task_.data.n_rows),
        outputs_(task_.objective.outputs()),
        grower_(make_grower(task_, team)),
        sample_(task_.plan, n_, outputs_),
        score_sample_(task_.rows, outputs_, task_.score_rows),
        builder_(ForestBuilder::Answer::kNumber, 1, task_.data.columns.size(), task_.n_rounds * outputs_),
        gradient_(n_ * outputs_),
        hessian_(n_ * outputs_) {
    if (task_.raw.size() != n_ * outputs_)
      throw std::invalid_argument("There must be a score for every row.");
    const std::size_t n_features = task_.data.columns.size();
    grown_.gain.assign(n_features, 0.0);
    grown_.count.assign(n_features, 0.0);
    grown_.cover.assign(n_features, 0.0);
    grown_.chance_gain = task_.plan.chance_gain * (1 + std::log(columns_asked()));
    if (task_.exact) round_to_single();
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
        if (task_.after_round && task_.after_round(report())) break;
      } catch (const Stopped&) {
        if (!keep_what_is_done()) throw;
        break;
      }
      if (task_.patience == 0) continue;
      const double now = watched();
      since_best = now < best - task_.tolerance ? 0 : since_best + 1;
      if (now < best - task_.tolerance) {
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
  // The xgboost package, which the exact method equals, has targets, weights and scores as floats.
  void round_to_single() {
    const auto rounded = [](std::span<const double> numbers) {
      std::vector<double> singles(numbers.begin(), numbers.end());
      for (double& number : singles) number = static_cast<double>(static_cast<float>(number));
      return singles;
    };
    single_y_ = rounded(task_.rows.y);
    single_weights_ = rounded(task_.rows.weights);
    task_.rows = {single_y_, single_weights_};
    task_.raw = rounded(task_.raw);
  }

  void one_round(std::size_t round) {
    team_.poll();
    find_gradients();
    sample_.draw(round, gradient_, hessian_, team_);
    // Trees of a round that is not finished must not be kept.
    std::vector<BoostedTree> trees;
    least_gain_.clear();
    for (std::size_t k = 0; k < outputs_; ++k) {
      Gradients gradients{std::span(gradient_).subspan(k * n_, n_), std::span(hessian_).subspan(k * n_, n_),
                          has_equal_hessians(), sample_.flags(), sample_.factor()};
      if (!whole_gradient_.empty()) {
        gradients.whole_gradient = std::span(whole_gradient_).subspan(k * n_, n_);
        gradients.whole_hessian = std::span(whole_hessian_).subspan(k * n_, n_);
      }
      if (grown_.chance_gain > 0) gradients.chance_gain = grown_.chance_gain * gain_of_chance(gradients);
      least_gain_.push_back(std::max(task_.plan.min_gain, gradients.chance_gain));
      BoostedTree grown = grower_->grow(gradients, round, k);
      set_steps(grown.tree, k);
      grower_->add_step(grown.tree.value, task_.raw.data() + k * n_);
      if (task_.held_out != nullptr) {
        task_.held_out->add_step(grown.tree, task_.held_out_raw.data() + k * task_.held_out->size(), team_);
      }
      trees.push_back(std::move(grown));
    }
    for (const BoostedTree& grown : trees) keep(grown);
    grown_.least_gain.insert(grown_.least_gain.end(), least_gain_.begin(), least_gain_.end());
  }

  // Values of leaves become steps: renewed where the objective asks for it, times the learning rate.
  void set_steps(Tree& tree, std::size_t output) const {
    for (std::size_t node = 0; node < tree.size(); ++node) {
      double value = tree.value[node];
      if (tree.kind[node] == NodeKind::kLeaf && task_.objective.renews_leaves() && !task_.gradients) {
        const std::vector<RowId> rows = grower_->rows_of(static_cast<NodeId>(node));
        value = task_.objective.leaf_value(task_.rows, task_.raw.data(), output, rows);
      }
      // The exact method has single precision throughout, as the xgboost package.
      tree.value[node] =
          task_.exact
              ? static_cast<double>(static_cast<float>(value) * static_cast<float>(task_.plan.learning_rate))
              : value * task_.plan.learning_rate;
    }
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

  void find_gradients() {
    if (task_.gradients) return find_own_gradients();
    task_.objective.begin_round(task_.rows, task_.raw.data());
    const bool is_fine = !task_.rows.weights.empty() || n_ <= kFewRows;
    if (is_fine && !task_.exact) return find_whole_gradients();
    constexpr std::size_t kBlock = 4096;
    const std::size_t n_blocks = (n_ + kBlock - 1) / kBlock;
    team_.parallel_for(n_blocks, n_ * outputs_ * 8, [&](std::size_t block, int) {
      const std::size_t begin = block * kBlock, end = std::min(n_, begin + kBlock);
      if (outputs_ == 1) {
        task_.objective.gradients(task_.rows, task_.raw.data(), begin, end, gradient_.data() + begin,
                                  hessian_.data() + begin);
        return;
      }
      std::vector<float> g((end - begin) * outputs_), h(g.size());
      task_.objective.gradients(task_.rows, task_.raw.data(), begin, end, g.data(), h.data());
      for (std::size_t k = 0; k < outputs_; ++k) {
        const auto from = static_cast<std::ptrdiff_t>(k * (end - begin));
        const auto to = from + static_cast<std::ptrdiff_t>(end - begin);
        std::copy(g.begin() + from, g.begin() + to, gradient_.data() + k * n_ + begin);
        float* to_hessian = hessian_.data() + k * n_ + begin;
        std::copy(h.begin() + from, h.begin() + to, to_hessian);
        // Twice the second derivative: the package's bound for what the other classes do at the same time.
        for (std::size_t i = 0; task_.exact && i < end - begin; ++i) to_hessian[i] *= 2.0F;
      }
    });
  }

  // With weights, in double precision too; for few rows anyway, which then equal weighted ones.
  void find_whole_gradients() {
    whole_gradient_.resize(n_ * outputs_);
    whole_hessian_.resize(n_ * outputs_);
    constexpr std::size_t kBlock = 4096;
    const std::size_t n_blocks = (n_ + kBlock - 1) / kBlock;
    team_.parallel_for(n_blocks, n_ * outputs_ * 8, [&](std::size_t block, int) {
      const std::size_t begin = block * kBlock, end = std::min(n_, begin + kBlock), size = end - begin;
      std::vector<double> g(size * outputs_), h(g.size());
      task_.objective.gradients(task_.rows, task_.raw.data(), begin, end, g.data(), h.data());
      for (std::size_t i = 0; i < g.size(); ++i) {
        const std::size_t to = (i / size) * n_ + begin + i % size;
        gradient_[to] = static_cast<float>(whole_gradient_[to] = g[i]);
        hessian_[to] = static_cast<float>(whole_hessian_[to] = h[i]);
      }
    });
  }

  void find_own_gradients() {
    own_gradient_.resize(n_ * outputs_);
    own_hessian_.resize(n_ * outputs_);
    task_.gradients(task_.raw, own_gradient_.data(), own_hessian_.data());
    for (std::size_t i = 0; i < n_ * outputs_; ++i) {
      gradient_[i] = static_cast<float>(own_gradient_[i]);
      hessian_[i] = static_cast<float>(own_hessian_[i]);
    }
  }

  // How many columns a node asks, without those that have one value only. The largest of k gains by chance
  // grows with the logarithm of k.
  double columns_asked() const {
    const BoostPlan& plan = task_.plan;
    double asked = static_cast<double>(task_.data.columns.size());
    const double all = std::max(asked, 1.0);
    for (const std::int64_t drawn :
         {plan.max_features_tree, plan.max_features_level, plan.max_features_node}) {
      if (drawn > 0) asked = std::min(asked, static_cast<double>(drawn));
    }
    const auto varied = std::count_if(
        task_.data.columns.begin(), task_.data.columns.end(),
        [](const Column& column) { return column.n_codes + (column.has_missing ? 1U : 0U) > 1; });
    return std::max(1.0, asked * static_cast<double>(varied) / all);
  }

  // Two parts that chance makes of rows whose gradients have the mean 0 gain Σg²/Σh on average, however large
  // they are. A row of weight 2 counts as two rows.
  double gain_of_chance(const Gradients& gradients) {
    constexpr std::size_t kBlock = 65536;
    const std::size_t n_blocks = (n_ + kBlock - 1) / kBlock;
    std::vector<double> squares(n_blocks), hessians(n_blocks);
    team_.parallel_for(n_blocks, n_ * 2, [&](std::size_t block, int) {
      const std::size_t begin = block * kBlock, end = std::min(n_, begin + kBlock);
      double square = 0, hessian = 0;
      for (std::size_t row = begin; row < end; ++row) {
        const double g = static_cast<double>(gradients.gradient[row]);
        square += task_.rows.weights.empty() ? g * g : g * g / task_.rows.weights[row];
        hessian += static_cast<double>(gradients.hessian[row]);
      }
      squares[block] = square;
      hessians[block] = hessian;
    });
    const double hessian = std::accumulate(hessians.begin(), hessians.end(), 0.0);
    return hessian > 0 ? std::accumulate(squares.begin(), squares.end(), 0.0) / hessian : 0.0;
  }

  bool has_equal_hessians() const {
    return task_.objective.hessian_is_weight() && task_.rows.weights.empty() && !task_.gradients;
  }

  void record_scores() {
    if (task_.score_rows > 0) {
      grown_.train_score.push_back(score_sample_.score(task_.objective, task_.raw, n_));
    }
    if (task_.held_out == nullptr) return;
    const double score = task_.metric ? task_.metric(task_.held_out_raw)
                                      : mean_loss(task_.objective, task_.held_out_rows, task_.held_out_raw);
    grown_.validation_score.push_back(score);
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

  bool keep_what_is_done() {
    grown_.was_stopped = true;
    return task_.keep_partial && grown_.n_rounds > 0;
  }

  BoostTask task_;
  Team& team_;
  std::size_t n_, outputs_;
  std::unique_ptr<BoostGrower> grower_;
  RowSample sample_;
  ScoreSample score_sample_;
  ForestBuilder builder_;
  std::vector<float> gradient_, hessian_;
  std::vector<double> least_gain_;                 // of the trees of this round
  std::vector<double> single_y_, single_weights_;  // exact method only
  std::vector<double> own_gradient_, own_hessian_;
  std::vector<double> whole_gradient_, whole_hessian_;
  BoostedTrees grown_;
};

}  // namespace

BoostedTrees boost(BoostTask task, Team& team) {
  if (task.data.n_rows == 0) throw std::invalid_argument("There are no rows.");
  return Rounds(std::move(task), team).run();
}

}  // namespace treewright
