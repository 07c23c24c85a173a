"""Pruning by the loss C_α(T) = Σ N_t·H_t + α·|T| for one given α: a single pass from the leaves upwards."""

from __future__ import annotations

import numpy as np

from treewright.model import Tree
from treewright.model.edit import collapse
from treewright.pruning.path import SAME_ALPHA, check_alpha
from treewright.pruning.risk import total_risk

__all__ = ["leaves_as_grown", "prune_by_loss"]

# A loss this much lower, as a part of the root's, is rounding.
ROUNDING = 1e-14


def prune_by_loss(tree: Tree, alpha_total: float, risk: str = "impurity") -> Tree:
    """Return the smallest subtree of least loss.

    A node collapses when the loss does not rise. Since the loss is a sum over leaves, the best below each
    child is the best below the node, so the result is the optimum over all subtrees.

    Parameters
    ----------
    tree : Tree
        Any tree.
    alpha_total : float
        Price of a leaf in units of the total loss: N times the `ccp_alpha` of scikit-learn.
    risk : {"impurity", "misclassification", "entropy", "gini"}
        H: the loss per unit of weight.
    """
    own = total_risk(tree, risk).tolist()
    # Any price above the loss of the root gives the root alone.
    price = min(check_alpha(alpha_total, "alpha_total"), abs(own[0]) + 1.0)
    first_child, n_children = tree.first_child.tolist(), tree.n_children.tolist()
    best, leaves = list(own), [1] * tree.node_count
    collapses = np.zeros(tree.node_count, dtype=np.bool_)
    rounding = ROUNDING * abs(own[0])
    for node in range(tree.node_count - 1, -1, -1):
        if n_children[node] == 0:
            continue
        first, end = first_child[node], first_child[node] + n_children[node]
        below, n_below = sum(best[first:end]), sum(leaves[first:end])
        if own[node] - below <= price * (1 + SAME_ALPHA) * (n_below - 1) + rounding:
            collapses[node] = True
        else:
            best[node], leaves[node] = below, n_below
    return collapse(tree, collapses)


def leaves_as_grown(grown: Tree, kept: Tree) -> list[int]:
    """Return for each node of a pruned tree how many leaves were below it in the tree as grown.

    Parameters
    ----------
    grown : Tree
        The larger tree.
    kept : Tree
        The same with some nodes collapsed.
    """
    first, count = grown.first_child.tolist(), grown.n_children.tolist()
    leaves = [1] * grown.node_count
    for node in range(grown.node_count - 1, -1, -1):
        if count[node]:
            leaves[node] = sum(leaves[first[node] : first[node] + count[node]])
    same = [0] * kept.node_count
    for node, (child, n_children) in enumerate(zip(kept.first_child, kept.n_children, strict=True)):
        for branch in range(int(n_children)):
            same[int(child) + branch] = first[same[node]] + branch
    return [leaves[node] for node in same]
