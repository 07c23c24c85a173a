#include "prune/pessimistic.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "base/memory.h"
#include "prune/class_tree.h"
#include "prune/leaf_rule.h"
#include "prune/pruner.h"
#include "prune/stale_candidates.h"
#include "tree/canonical.h"
#include "tree/check.h"

namespace treewright {

namespace {

void check_rows(const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                std::span<const double> weights) {
  if (data.n_rows == 0) throw std::invalid_argument("Pruning needs at least one row.");
  if (n_classes < 1) throw std::invalid_argument("There must be at least one class.");
  if (labels.size() != data.n_rows) throw std::invalid_argument("There must be one label per row.");
  if (!weights.empty() && weights.size() != data.n_rows) {
    throw std::invalid_argument("There must be one weight per row.");
  }
  for (const std::int32_t label : labels) {
    if (label < 0 || label >= n_classes) throw std::invalid_argument("A label is not one of the classes.");
  }
  for (const double weight : weights) {
    if (!(weight > 0) || std::isinf(weight)) throw std::invalid_argument("Weights must be positive numbers.");
  }
}

}  // namespace

Tree prune_pessimistic(Tree tree, const Dataset& data, std::span<const std::int32_t> labels, int n_classes,
                       std::span<const double> weights, const PessimisticPlan& plan, Team& team) {
  constexpr std::size_t kManyRows = 50'000;
  if (data.n_rows >= kManyRows) release_freed_memory();  // what growing left
  check_rows(data, labels, n_classes, weights);
  check_tree(tree, category_counts(data));
  if (tree.outputs != n_classes) {
    throw std::invalid_argument("The tree has another number of classes than the labels.");
  }
  if (!tree.surrogate_feature.empty()) {
    if (plan.raising) {
      throw std::invalid_argument("A tree with surrogate splits can only be pruned without subtree raising.");
    }
    return prune_by_leaf_rule(std::move(tree), plan.program, plan.confidence);
  }
  const StaleCandidates candidates(tree);
  Pruner(tree, data, labels, static_cast<std::size_t>(n_classes), weights, plan, team).run();
  candidates.forget(tree);
  return canonical(std::move(tree));
}

}  // namespace treewright
