#include "prune/leaf_rule.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "prune/class_tree.h"
#include "prune/estimates.h"
#include "prune/node_edit.h"
#include "tree/canonical.h"
#include "tree/walk.h"

namespace treewright {

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

}  // namespace treewright
