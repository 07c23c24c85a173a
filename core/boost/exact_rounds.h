// ExactRounds: the exact greedy method as the loop over rounds wants it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "boost/exact_grower.h"

namespace treewright {

class ExactRounds : public BoostGrower {
 public:
  ExactRounds(const Dataset& data, const BoostPlan& plan, Team& team) : grower_(data, plan, team) {}

  BoostedTree grow(const Gradients& gradients, std::uint64_t round, std::size_t output) override {
    BoostedTree grown = gradients.sample.empty()
                            ? grower_.grow(gradients.gradient, gradients.hessian, round, output)
                            : grow_on_sample(gradients, round, output);
    // Here a loss is half of what the method compares, as everywhere.
    for (double& loss : grown.tree.loss) loss /= 2;
    for (double& gain : grown.tree.gain) gain /= 2;
    leaf_ = std::move(grown.leaf);
    return grown;
  }

  void add_step(std::span<const double> values, double* raw) override {
    for (std::size_t row = 0; row < leaf_.size(); ++row) {
      raw[row] += values[static_cast<std::size_t>(leaf_[row])];
    }
  }

  std::vector<RowId> rows_of(NodeId leaf) const override {
    std::vector<RowId> rows;
    for (std::size_t row = 0; row < leaf_.size(); ++row) {
      const bool seen = sample_.empty() || sample_[row] != 0;
      if (leaf_[row] == leaf && seen) rows.push_back(static_cast<RowId>(row));
    }
    return rows;
  }

 private:
  BoostedTree grow_on_sample(const Gradients& gradients, std::uint64_t round, std::size_t output) {
    const std::size_t n = gradients.gradient.size();
    gradient_.assign(n, 0.0F);
    hessian_.assign(n, 0.0F);
    sample_.assign(gradients.sample.begin(), gradients.sample.end());
    for (std::size_t row = 0; row < n; ++row) {
      if (!gradients.sees(row)) continue;
      gradient_[row] = gradients.gradient[row] * gradients.times(row);
      hessian_[row] = gradients.hessian[row] * gradients.times(row);
    }
    return grower_.grow(gradient_, hessian_, round, output);
  }

  ExactGrower grower_;
  std::vector<NodeId> leaf_;
  std::vector<float> gradient_, hessian_;
  std::vector<std::uint8_t> sample_;
};

}  // namespace treewright
