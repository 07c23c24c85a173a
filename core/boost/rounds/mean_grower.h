// MeanGrower: least-squares trees of gradient boosting (Friedman 2001, 2002), which answer with the mean of
// the negative gradients. Weights of rows are weights of the tree. With a price of leaves every tree is
// pruned. Of derivatives that the user gave, leaves take the Newton step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "boost/boost_grower.h"
#include "data/dataset.h"
#include "grow/plan.h"

namespace treewright {

class MeanGrower final : public BoostGrower {
 public:
  MeanGrower(const Dataset& data, std::span<const double> weights, const GrowPlan& plan, std::uint64_t seed,
             std::size_t outputs, Team& team);

  BoostedTree grow(const Gradients& gradients, std::uint64_t round, std::size_t output) override;
  void add_step(std::span<const double> values, double* raw) override;
  LeafRows rows_by_leaf() const override;

 private:
  void choose_rows(const Gradients& gradients);
  void find_leaves(Tree& tree);
  void take_newton_steps(Tree& tree, std::span<const double> hessian) const;

  const Dataset& data_;
  std::span<const double> weights_;
  GrowPlan plan_;
  std::uint64_t seed_;
  std::size_t outputs_;
  Team& team_;
  std::vector<double> target_;  // the negative gradients
  std::vector<RowId> rows_;     // that the round sees
  Gradients gradients_;
  std::vector<NodeId> leaf_;  // of every row in the tree grown last
  std::size_t n_nodes_ = 1;   // of that tree
};

}  // namespace treewright
