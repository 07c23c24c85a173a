// Mean losses that the loop over rounds writes down.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/histogram/row_exchange.h"
#include "objective/objective.h"

namespace treewright {

double mean_loss(const Objective& objective, const Targets& rows, const std::vector<double>& raw);

// The loss of training rows, in two steps: numbers of this process, and the score from those of all.
class TrainScore {
 public:
  virtual ~TrainScore() = default;
  // Looks at the scores of the rows and returns what other processes, where there are some, must complete.
  virtual std::span<double> look_at(const std::vector<double>& raw) = 0;
  virtual double score() = 0;
};

// Of some rows, because looking at all of them after each round would cost as much as growing the tree: at
// most `most`, drawn without replacement, the same in every round; all rows when there are no more.
class SampleScore final : public TrainScore {
 public:
  // `others`: holds the rows of other processes, or is null; some rows of all are drawn.
  SampleScore(const Objective& objective, const Targets& rows, std::size_t most, RowExchange* others);
  std::span<double> look_at(const std::vector<double>& raw) override;
  double score() override;

 private:
  const Objective& objective_;
  std::size_t n_rows_;
  std::vector<std::size_t> rows_;    // of this process
  std::size_t first_ = 0;            // place of the first of them among those of all processes
  std::vector<double> y_, weights_;  // of all processes
  std::vector<double> raw_;
};

// Of all rows, all of which are here. Parts are added in their order, whoever worked them out.
class WholeScore final : public TrainScore {
 public:
  WholeScore(const Objective& objective, const Targets& rows, Team& team);
  std::span<double> look_at(const std::vector<double>& raw) override;
  double score() override { return score_; }

 private:
  const Objective& objective_;
  Targets rows_;
  Team& team_;
  double weight_;
  double score_ = 0;
};

// Of the rows whose flag is 0, those that a round did not draw; NaN where there are none.
double left_out_score(const Objective& objective, const Targets& rows, const std::vector<double>& raw,
                      std::span<const std::uint8_t> flags, Team& team);

}  // namespace treewright
