#include "prune/leaf_price.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "prune/node_edit.h"
#include "prune/weakest_link.h"
#include "tree/canonical.h"

namespace treewright {

void prune_at_price(Tree& tree, double price) {
  std::vector<double> risk(tree.size());
  for (std::size_t node = 0; node < risk.size(); ++node) risk[node] = tree.loss[node] / tree.weight[0];
  const WeakestLinks links = weakest_links({tree.first_child, tree.n_children}, risk);
  for (std::size_t node = 0; node < risk.size(); ++node) {
    if (tree.kind[node] != NodeKind::kLeaf && links.alpha[node] <= price) become_leaf(tree, node);
  }
  tree = canonical(std::move(tree));
}

}  // namespace treewright
