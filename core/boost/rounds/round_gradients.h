// RoundGradients: the derivatives of all rows and outputs at the scores that a round starts from, in the form
// that the trees of a method want.
//
// Rows are taken in blocks of any size. An objective whose rows depend on each other in groups (ranking:
// queries) needs blocks that end where groups end; gradient_blocks() is the one place that cuts them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/rounds/precision.h"
#include "objective/objective.h"

namespace treewright {

// The user's own derivatives: fills gradients and hessians of all rows and outputs from the scores.
using OwnGradients = std::function<void(const std::vector<double>& raw, double* gradient, double* hessian)>;

// Tables of no more rows can afford fine ticks, and gradients in double precision.
inline constexpr std::size_t kFewRows = 16'384;

// Whether trees are grown by wide ticks. For very many rows packed ones would be too coarse, below 128 for
// the largest gradient.
inline constexpr bool has_wide_ticks(std::size_t n_rows) {
  constexpr std::size_t kManyRows = std::size_t{1} << 24;
  return n_rows <= kFewRows || n_rows > kManyRows;
}

inline constexpr std::size_t kGradientBlock = 4096;

// Calls body(begin, end) for blocks of rows, in parallel.
template <class Body>
void gradient_blocks(std::size_t n_rows, std::size_t work, Team& team, Body&& body) {
  const std::size_t n_blocks = (n_rows + kGradientBlock - 1) / kGradientBlock;
  team.parallel_for(n_blocks, work, [&](std::size_t block, int) {
    body(block * kGradientBlock, std::min(n_rows, (block + 1) * kGradientBlock));
  });
}

class RoundGradients {
 public:
  virtual ~RoundGradients() = default;
  virtual void find(const std::vector<double>& raw, Team& team) = 0;
  // All rows; which of them the round sees is not known here.
  virtual Gradients of_output(std::size_t output) const = 0;
  // Of all outputs, output by output, for drawing rows by their size; empty where that is not done.
  virtual std::span<const float> gradient() const { return {}; }
};

// For Newton trees: times the weight of the row, in single precision. With weights in double precision too;
// for few rows anyway, which then equal weighted ones.
class NewtonGradients final : public RoundGradients {
 public:
  // `n_all_rows`: with those of other processes.
  NewtonGradients(const Targets& rows, std::size_t n_all_rows, Objective& objective, OwnGradients own,
                  const Precision& precision);

  void find(const std::vector<double>& raw, Team& team) override;
  Gradients of_output(std::size_t output) const override;
  std::span<const float> gradient() const override { return gradient_; }

 private:
  void find_single(const std::vector<double>& raw, Team& team);
  void find_whole(const std::vector<double>& raw, Team& team);

  Targets rows_;
  Objective& objective_;
  OwnGradients own_;
  const Precision& precision_;
  std::size_t n_, n_all_, outputs_;
  std::vector<float> gradient_, hessian_;
  std::vector<double> whole_gradient_, whole_hessian_;
  std::vector<double> own_gradient_, own_hessian_;
};

// For least-squares trees: in double precision, without weights, which are the trees' business.
class PlainGradients final : public RoundGradients {
 public:
  PlainGradients(const Targets& rows, Objective& objective, OwnGradients own);

  void find(const std::vector<double>& raw, Team& team) override;
  Gradients of_output(std::size_t output) const override;

 private:
  Targets rows_;
  Objective& objective_;
  OwnGradients own_;
  std::size_t n_, outputs_;
  std::vector<double> gradient_;
  std::vector<double> hessian_;  // of the user's derivatives only
};

}  // namespace treewright
