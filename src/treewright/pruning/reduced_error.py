"""Reduced-error pruning (Quinlan 1987): a split stays only if it lowers the error on rows kept aside."""

from __future__ import annotations

import numpy as np

from treewright.model import Tree
from treewright.model.edit import collapse
from treewright.pruning.held_out import HeldOut

__all__ = ["prune_by_reduced_error"]

# Errors this close to each other, as a part of the root's, are equal.
ROUNDING = 1e-12


def prune_by_reduced_error(held_out: HeldOut) -> Tree:
    """Return the smallest subtree with the fewest errors (the least squared error) on held-out rows.

    From the leaves upwards, a node becomes a leaf when that does not raise the error; so does every node that
    no held-out row reaches.

    Parameters
    ----------
    held_out : HeldOut
        The tree and the rows.
    """
    tree = held_out.tree
    if len(held_out.target) == 0 or (held_out.weights is not None and not held_out.weights.sum() > 0):
        raise ValueError("Reduced-error pruning needs at least one held-out row of positive weight.")
    as_leaf, stopped = (column.tolist() for column in held_out.node_errors())
    first_child, n_children = tree.first_child.tolist(), tree.n_children.tolist()
    best = list(as_leaf)
    collapses = np.zeros(tree.node_count, dtype=np.bool_)
    rounding = ROUNDING * abs(as_leaf[0])
    for node in range(tree.node_count - 1, -1, -1):
        if n_children[node] == 0:
            continue
        below = stopped[node] + sum(best[first_child[node] : first_child[node] + n_children[node]])
        if as_leaf[node] <= below + rounding:
            collapses[node] = True
        else:
            best[node] = below
    return collapse(tree, collapses)
