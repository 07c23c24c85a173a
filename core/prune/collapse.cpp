#include "prune/collapse.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "prune/class_tree.h"
#include "prune/node_edit.h"
#include "tree/canonical.h"
#include "tree/check.h"
#include "tree/walk.h"

namespace treewright {

Tree collapse(Tree tree, std::span<const Code> n_codes) {
  constexpr double kTolerance = 1e-3;
  check_tree(tree, n_codes);
  check_distributions(tree);
  std::vector<double> errors(tree.size(),
                             0.0);  // of the leaves below each node, before anything is taken back
  for (std::size_t node = tree.size(); node-- > 0;) {
    const double as_leaf = training_errors(tree, node);
    if (tree.kind[node] == NodeKind::kLeaf) {
      errors[node] = as_leaf;
      continue;
    }
    for_each_child(tree, node, [&](std::size_t child, std::uint32_t) { errors[node] += errors[child]; });
    if (errors[node] >= as_leaf - kTolerance) become_leaf(tree, node);
  }
  if (!tree.surrogate_begin.empty()) drop_surrogates_of_leaves(tree);
  return canonical(std::move(tree));
}

}  // namespace treewright
