// ChanceGain: γ where the plan lets chance decide it: how much dividing rows by chance would gain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/boost_plan.h"
#include "data/dataset.h"

namespace treewright {

class ChanceGain {
 public:
  ChanceGain(const BoostPlan& plan, const Dataset& data, std::span<const double> weights)
      : weights_(weights), times_(plan.chance_gain * (1 + std::log(columns_asked(plan, data)))) {}

  // Of the plan, times what it says of the columns.
  double times() const { return times_; }

  double of(const Gradients& gradients, Team& team) const {
    return times_ > 0 ? times_ * gain_of_chance(gradients, team) : 0.0;
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

  // Two parts that chance makes of rows whose gradients have the mean 0 gain Σg²/Σh on average, however large
  // they are. A row of weight 2 counts as two rows.
  double gain_of_chance(const Gradients& gradients, Team& team) const {
    constexpr std::size_t kBlock = 65536;
    const std::size_t n = gradients.gradient.size(), n_blocks = (n + kBlock - 1) / kBlock;
    std::vector<double> squares(n_blocks), hessians(n_blocks);
    team.parallel_for(n_blocks, n * 2, [&](std::size_t block, int) {
      const std::size_t begin = block * kBlock, end = std::min(n, begin + kBlock);
      double square = 0, hessian = 0;
      for (std::size_t row = begin; row < end; ++row) {
        const double g = static_cast<double>(gradients.gradient[row]);
        square += weights_.empty() ? g * g : g * g / weights_[row];
        hessian += static_cast<double>(gradients.hessian[row]);
      }
      squares[block] = square;
      hessians[block] = hessian;
    });
    const double hessian = std::accumulate(hessians.begin(), hessians.end(), 0.0);
    return hessian > 0 ? std::accumulate(squares.begin(), squares.end(), 0.0) / hessian : 0.0;
  }

  std::span<const double> weights_;
  double times_;
};

}  // namespace treewright
