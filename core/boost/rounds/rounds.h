// boost: the rounds of a booster, of any method. What goes in and what comes out; the loop itself is
// round_loop.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_plan.h"
#include "boost/histogram/row_exchange.h"
#include "boost/rounds/round_gradients.h"
#include "data/dataset.h"
#include "grow/plan.h"
#include "objective/objective.h"
#include "tree/forest.h"

namespace treewright {

// Scores of rows that are not trained on, kept up to date tree by tree.
class HeldOutRows {
 public:
  virtual ~HeldOutRows() = default;
  virtual std::size_t size() const = 0;
  // Adds the numbers of the tree's leaves to the scores of one output.
  virtual void add_step(const Tree& tree, double* raw, Team& team) const = 0;
};

struct RoundReport {
  std::size_t round = 0;  // rounds done, this one included
  double train_score = 0;
  double validation_score = 0;  // NaN where there is none
};

// Scores are mean losses; lower is better.
struct BoostTask {
  const Dataset& data;  // with others: of this process, its columns described as those of all rows
  Targets rows;
  std::vector<double> raw;  // scores to start from, output by output
  Objective& objective;
  const BoostPlan& plan;
  bool exact = false;  // every value its own candidate (XGBoost's exact method) instead of histograms
  // How least-squares trees grow, for gradient boosting (Friedman) in place of Newton boosting. Of `plan`
  // only learning_rate, subsample and seed are read then; of a share of the rows, as many are drawn in every
  // round as scikit-learn would draw.
  const GrowPlan* mean_tree = nullptr;
  std::size_t first_round = 0;
  std::size_t n_rounds = 100;

  const HeldOutRows* held_out = nullptr;
  Targets held_out_rows{};
  std::vector<double> held_out_raw{};

  std::size_t score_rows = 0;  // training rows that the train score looks at; 0: no train score
  std::size_t patience = 0;    // rounds without improvement before the end; 0: never
  double tolerance = 0;        // what counts as one
  std::function<bool(const RoundReport&)> after_round{};  // true: stop

  OwnGradients gradients{};  // instead of the objective's
  // Instead of the objective's loss on held-out rows: from their scores.
  std::function<double(const std::vector<double>& raw)> metric{};
  bool keep_partial = false;  // what was done when the user stopped the work
  // Rows of other processes, each of which calls boost() for its share of them: all get the same trees. Only
  // for histograms, and for losses whose leaves need sums of rows alone. Held-out rows are the same
  // everywhere.
  RowExchange* others = nullptr;

  std::size_t n_all_rows() const { return others == nullptr ? data.n_rows : others->n_rows(); }
};

struct BoostedTrees {
  Forest forest;
  std::vector<double> gradient;  // of every node of the forest
  std::size_t n_rounds = 0;      // done in this call
  std::size_t best_round = 0;    // of those, counted from 1; 0: the start was best or nothing was watched
  std::vector<double> train_score, validation_score;  // before the first round and after each
  // Of the rows that a round did not draw, after it; the first is that of the first round's, before it. Only
  // of least-squares trees that do not see all rows.
  std::vector<double> oob_score;
  std::vector<double> least_gain;          // γ of every tree; none of least squares
  double chance_gain = 0;                  // of the plan, times what it says of the columns
  std::vector<double> gain, count, cover;  // by feature
  std::vector<double> raw;                 // the scores of the rows at the end
  bool was_stopped = false;
};

BoostedTrees boost(BoostTask task, Team& team);

}  // namespace treewright
