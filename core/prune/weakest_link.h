// weakest_links: minimal cost-complexity pruning (Breiman et al. 1984) in one pass from the leaves to the
// root.
//
// The cost of the best subtree under a node, as a function of the price α of a leaf, is concave and piecewise
// linear: each collapse below is a bend. A node collapses where the line "risk of the node + α" meets that
// function, and every bend to the right of that point disappears. With mergeable heaps of bends the whole
// sequence takes O(n log n) for any shape of tree; walking to the root after each collapse would be quadratic
// in a deep one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "tree/tree.h"

namespace treewright {

// The links of a tree: what a pass over its nodes needs, without the tests. Parents stand before children.
struct Links {
  std::span<const NodeId> first_child;
  std::span<const std::uint32_t> n_children;

  std::size_t size() const { return n_children.size(); }
};

struct WeakestLinks {
  // Per node: the price from which on it is no longer split, because it or a node above has collapsed. Never
  // larger than the price of the node above; 0 for a leaf.
  std::vector<double> alpha;

  // The collapses in the order of their prices, of several at one price the first on paper first. Prices that
  // differ by rounding only are equal.
  std::vector<NodeId> step_node;
  std::vector<double> step_alpha;
  std::vector<double> step_risk;          // by how much the risk of the tree rises
  std::vector<std::int64_t> step_leaves;  // how many leaves fewer there are
};

// `risk` is that of each node as a leaf.
WeakestLinks weakest_links(const Links& links, std::span<const double> risk);

// Prunes one tree at one price of a leaf, for forests and boosters, which need none of the paths: keeps the
// smallest subtree of least risk + price * leaves, risk being the loss per unit of the root's weight. Of the
// arrays only what belongs to the nodes that stay is left. The tree is one that was just grown.
void prune_at_price(Tree& tree, double price);

}  // namespace treewright
