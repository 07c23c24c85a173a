// ChanceGain: γ where the plan lets chance decide it: how much dividing rows by chance would gain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/boost_plan.h"
#include "boost/histogram/row_blocks.h"
#include "boost/histogram/row_exchange.h"
#include "data/dataset.h"

namespace treewright {

class ChanceGain {
 public:
  // `others`: holds the rows of other processes, or is null.
  ChanceGain(const BoostPlan& plan, const Dataset& data, std::span<const double> weights, RowExchange* others)
      : weights_(weights),
        others_(others),
        times_(plan.chance_gain * (1 + std::log(columns_asked(plan, data)))) {}

  // Of the plan, times what it says of the columns.
  double times() const { return times_; }

  double of(const Gradients& gradients, Team& team) const { return of(block_sums(gradients, team)); }

  // What γ is worked out from: two numbers for each block of the rows of all processes, those of this one
  // filled in. None where chance decides nothing.
  std::vector<double> block_sums(const Gradients& gradients, Team& team) const {
    if (!(times_ > 0)) return {};
    const std::size_t n = gradients.gradient.size(), n_all = others_ == nullptr ? n : others_->n_rows();
    const std::size_t block_rows = RowBlocks::rows_per_block(n_all);
    const std::size_t n_blocks = (n + block_rows - 1) / block_rows;
    const std::size_t n_all_blocks = (n_all + block_rows - 1) / block_rows;
    const std::size_t first = others_ == nullptr ? 0 : others_->first_row() / block_rows;
    std::vector<double> sums(2 * n_all_blocks, 0.0);
    team.parallel_for(n_blocks, n * 2, [&](std::size_t block, int) {
      const std::size_t begin = block * block_rows, end = std::min(n, begin + block_rows);
      double square = 0, hessian = 0;
      for (std::size_t row = begin; row < end; ++row) {
        const double g = static_cast<double>(gradients.gradient[row]);
        square += weights_.empty() ? g * g : g * g / weights_[row];
        hessian += static_cast<double>(gradients.hessian[row]);
      }
      sums[2 * (first + block)] = square;
      sums[2 * (first + block) + 1] = hessian;
    });
    return sums;
  }

  // Two parts that chance makes of rows whose gradients have the mean 0 gain Σg²/Σh on average, however large
  // they are. A row of weight 2 counts as two rows.
  double of(std::span<const double> block_sums) const {
    double square = 0, hessian = 0;
    for (std::size_t i = 0; i < block_sums.size(); i += 2) {
      square += block_sums[i];
      hessian += block_sums[i + 1];
    }
    return hessian > 0 ? times_ * (square / hessian) : 0.0;
  }

 private:
  // How many columns a node asks, without those that have one value only. The largest of k gains by chance
  // grows with the logarithm of k.
  static double columns_asked(const BoostPlan& plan, const Dataset& data) {
    double asked = static_cast<double>(data.columns.size());
    const double all = std::max(asked, 1.0);
    for (const std::int64_t drawn :
         {plan.max_features_tree, plan.max_features_level, plan.max_features_node}) {
      if (drawn > 0) asked = std::min(asked, static_cast<double>(drawn));
    }
    const auto varied = std::count_if(data.columns.begin(), data.columns.end(), [](const Column& column) {
      return column.n_codes + (column.has_missing ? 1U : 0U) > 1;
    });
    return std::max(1.0, asked * static_cast<double>(varied) / all);
  }

  std::span<const double> weights_;
  RowExchange* others_;
  double times_;
};

}  // namespace treewright
