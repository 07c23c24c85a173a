#include "prune/pessimistic.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "prune/class_tree.h"
#include "prune/estimates.h"
#include "prune/node_edit.h"
#include "prune/pruner.h"
#include "tree/canonical.h"
#include "tree/check.h"
#include "tree/tree.h"
#include "tree/walk.h"

namespace treewright {

namespace {

// StaleCandidates: forgets the candidates of nodes that pruning gave other rows. Below a raised test a node
// holds more rows than it was searched with.
class StaleCandidates {
 public:
  // Before pruning.
  explicit StaleCandidates(const Tree& tree) {
    if (tree.candidate_node.empty()) return;
    rows_ = tree.rows;
    weight_ = tree.weight;
  }

  // After pruning, while ids are still the same.
  void forget(Tree& tree) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tree.candidate_node.size(); ++i) {
      if (!is_fresh(tree, static_cast<std::size_t>(tree.candidate_node[i]))) continue;
      for_each_array(tree, [&](auto& array) { array[kept] = array[i]; });
      ++kept;
    }
    for_each_array(tree, [&](auto& array) { array.resize(kept); });
  }

 private:
  bool is_fresh(const Tree& tree, std::size_t node) const {
    // Pruning adds up shares of rows anew, in another precision.
    constexpr double kRounding = 1e-6;
    return tree.rows[node] == rows_[node] &&
           std::abs(tree.weight[node] - weight_[node]) <= kRounding * weight_[node];
  }

  template <class Visitor>
  static void for_each_array(Tree& tree, Visitor&& visit) {
    visit(tree.candidate_node);
    visit(tree.candidate_feature);
    visit(tree.candidate_kind);
    visit(tree.candidate_threshold);
    visit(tree.candidate_table);
    visit(tree.candidate_branches);
    visit(tree.candidate_tries);
    visit(tree.candidate_left);
    visit(tree.candidate_right);
    visit(tree.candidate_gain);
    visit(tree.candidate_split_info);
    visit(tree.candidate_least_gain);
  }

  std::vector<std::int64_t> rows_;
  std::vector<double> weight_;
};

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

// Without raising, from the arrays of the tree alone: no row moves, so every number of a node that stays is
// right already. Serves trees whose rows cannot be sent down again easily (surrogates).
Tree prune_by_leaf_rule(Tree tree, PruneProgram program, double confidence) {
  check_distributions(tree);
  const ErrorRule rule(program, confidence);
  std::vector<double> errors(tree.size(), 0.0);
  for (std::size_t node = tree.size(); node-- > 0;) {
    const double leaf = rule.of_leaf(tree.weight[node], training_errors(tree, node));
    double below = 0;
    for_each_child(tree, node, [&](std::size_t child, std::uint32_t) { below += errors[child]; });
    const bool keep =
        tree.kind[node] != NodeKind::kLeaf && !rule.at_most(leaf, below + ErrorRule::kPreference);
    if (!keep && tree.kind[node] != NodeKind::kLeaf) become_leaf(tree, node);
    errors[node] = keep ? below : leaf;
  }
  if (!tree.surrogate_begin.empty()) drop_surrogates_of_leaves(tree);
  return canonical(std::move(tree));
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
