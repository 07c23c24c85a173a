// RoundLoop: the one loop over rounds: gradients at the scores, a tree for every output, the trees' steps
// onto the scores, again. What tells one method of boosting from another stands in BoostMethod.
//
// All trees of a round start from the same scores: gradients are found once, before the first tree, and a
// leaf that is renewed looks at the scores from before the round, whatever trees of other outputs have added
// since.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/rounds/chance_gain.h"
#include "boost/rounds/drawn_rows.h"
#include "boost/rounds/precision.h"
#include "boost/rounds/round_gradients.h"
#include "boost/rounds/rounds.h"
#include "boost/rounds/scores.h"
#include "boost/rounds/shared_round.h"
#include "tree/forest.h"

namespace treewright {

struct BoostMethod {
  std::unique_ptr<Precision> precision;
  std::function<std::unique_ptr<BoostGrower>()> make_grower;
  std::unique_ptr<RoundGradients> gradients;
  DrawnRows drawn;
  std::unique_ptr<TrainScore> train_score;
  std::optional<ChanceGain> chance_gain;  // γ is known of every tree
  bool renews_leaves = false;             // leaves take the value that the objective gives
  bool scores_left_out = false;           // rows that a round did not draw have a score
  std::size_t side_by_side = 0;           // work of a tree, where each thread grows trees of its own
};

class RoundLoop {
 public:
  RoundLoop(BoostTask task, BoostMethod method, Team& team);

  BoostedTrees run();

 private:
  bool is_told_to_stop();
  void prepare(std::size_t round);
  void one_round(std::size_t round);
  Gradients gradients_of(std::size_t output) const;
  BoostedTree grow(std::size_t round, std::size_t output, BoostGrower& grower);
  BoostGrower& grower_of(std::size_t worker);
  double chance_gain(const Gradients& gradients, std::size_t output) const;
  void renew_leaves(Tree& tree, std::size_t output, const BoostGrower& grower) const;
  void keep(const BoostedTree& grown);

  void record_scores(std::size_t done);
  double train_score(std::size_t done);
  void record_left_out();
  double watched() const;
  RoundReport report() const;

  BoostTask task_;
  BoostMethod method_;
  Team& team_;
  std::size_t n_, outputs_;
  ForestBuilder builder_;
  std::vector<std::unique_ptr<BoostGrower>> growers_;  // one for all threads, or one for each
  std::vector<double> before_round_;  // scores, where renewed leaves of several outputs need them
  std::vector<double> least_gain_;    // of the trees of this round
  SharedRound shared_;                // of this round, where there are other processes
  bool is_prepared_ = false;          // the round that comes next
  bool others_watch_ = false;         // some process is told to stop or not after every round
  BoostedTrees grown_;
};

}  // namespace treewright
