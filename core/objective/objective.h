// Objective: what a booster makes small, as a function of the raw scores of the rows. One virtual call serves
// thousands of rows; the loops inside know their formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace treewright {

struct ObjectiveParams {
  std::string_view name = "squared_error";
  std::size_t n_classes = 2;  // of a loss of several classes
  double quantile = 0.5;      // quantile: the level; Huber: the share of residuals that count as squared
  double power = 1.5;         // Tweedie: the power of the variance, between 1 and 2
};

// The rows to fit. Weights may be empty: every row counts once.
struct Targets {
  std::span<const double> y;
  std::span<const double> weights;

  std::size_t size() const { return y.size(); }
  double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

// Raw scores and gradients of several outputs stand output by output: those of output k begin at k * n_rows.
class Objective {
 public:
  virtual ~Objective() = default;

  // Raw scores, and trees per round.
  virtual std::size_t outputs() const { return 1; }

  // Whether every hessian is the weight of its row.
  virtual bool hessian_is_weight() const { return false; }

  // Whether leaves take the value that leaf_value gives, because a Newton step says nothing useful.
  virtual bool renews_leaves() const { return false; }

  // Throws std::invalid_argument, with the row and its value, for a target outside of the objective's range.
  virtual void check(const Targets& rows) const = 0;

  // The constant raw scores of least loss, one per output. `offset` may be empty, or holds a raw score for
  // each row and output to start from.
  virtual std::vector<double> start(const Targets& rows, std::span<const double> offset) const = 0;

  // Called before the gradients of each round with the scores of all rows (Huber's scale depends on them).
  virtual void begin_round(const Targets&, const double*) {}

  // First and second derivatives, times the weight, of rows begin ... end - 1 by the scores of each output.
  // `raw` has the scores of all rows; the results are written as if for these rows alone: those of output k
  // begin at k * (end - begin). Second derivatives are positive or 0.
  virtual void gradients(const Targets& rows, const double* raw, std::size_t begin, std::size_t end,
                         float* gradient, float* hessian) const = 0;
  virtual void gradients(const Targets& rows, const double* raw, std::size_t begin, std::size_t end,
                         double* gradient, double* hessian) const = 0;

  // Sum over rows begin ... end - 1 of weight times loss.
  virtual double total(const Targets& rows, const double* raw, std::size_t begin, std::size_t end) const = 0;

  // The step of least loss for the rows of a leaf in the tree of one output: exact where there is a formula,
  // one Newton step elsewhere (Friedman 2001).
  virtual double leaf_value(const Targets& rows, const double* raw, std::size_t output,
                            std::span<const RowId> leaf) const = 0;
};

// What an objective's answers are.
enum class AnswerKind : std::uint8_t {
  kNumber,
  kTwoClasses,     // y is 0 or 1
  kSeveralClasses  // y is the number of the class
};

// What is known of an objective by its name.
struct ObjectiveEntry {
  std::string_view name;
  AnswerKind answer;
  std::string_view link;       // from raw scores to answers: identity, log, logit, half_logit or softmax
  double score_factor;         // times the mean loss: the score that people know
  std::string_view parameter;  // of ObjectiveParams that it reads: quantile, power; or none
  std::string_view of_several_classes;  // the objective that takes the place of one of two classes; or none
  std::unique_ptr<Objective> (*make)(const ObjectiveParams& params);
};

// All objectives, in a fixed order: the table in objective.cpp.
std::span<const ObjectiveEntry> objectives();

// Throws std::invalid_argument for an unknown name and for parameters without a meaning.
const ObjectiveEntry& objective_entry(std::string_view name);
std::unique_ptr<Objective> make_objective(const ObjectiveParams& params);

// −G / H, or no step where H says nothing.
inline double newton_step(double gradient, double hessian) {
  constexpr double kLeast = 1e-150;  // probabilities of exactly 0 and 1: no step makes the loss smaller
  return hessian < kLeast ? 0.0 : -gradient / hessian;
}

}  // namespace treewright
