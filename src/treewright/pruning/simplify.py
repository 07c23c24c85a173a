"""Merging leaves side by side that predict the same: the picture shrinks, the predictions stay."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model import Tree
from treewright.model.edit import collapse
from treewright.pruning.risk import predicted_class

__all__ = ["merge_equal_leaves"]

# Means of the same numbers, added up in another order.
SAME_VALUE = 1e-12


def merge_equal_leaves(tree: Tree, *, classes: bool, class_order: NDArray[np.int64] | None = None) -> Tree:
    """Return the tree in which no node has only leaves below that predict the same as the node itself.

    Predicted classes and numbers of whole rows stay the same; class probabilities become those of the merged
    leaf, and a row that C4.5 shares among branches may get another mixture.

    Parameters
    ----------
    tree : Tree
        The tree.
    classes : bool
        Whether it predicts classes.
    class_order : ndarray of int, optional
        Columns of the classes in the order in which ties are broken.
    """
    values = tree.value[:, 0, :]
    if classes:
        answer = predicted_class(values, class_order).astype(np.float64)
        slack = 0.0
    else:
        answer = values[:, 0]
        slack = SAME_VALUE * float(np.abs(answer).max())
    low, high = answer.tolist(), answer.tolist()
    own = answer.tolist()
    first_child, n_children = tree.first_child.tolist(), tree.n_children.tolist()
    collapses = np.zeros(tree.node_count, dtype=np.bool_)
    for node in range(tree.node_count - 1, -1, -1):
        if n_children[node] == 0:
            continue
        below = slice(first_child[node], first_child[node] + n_children[node])
        # Lowest and highest of everything below, so that small differences cannot add up.
        low[node], high[node] = min(own[node], *low[below]), max(own[node], *high[below])
        collapses[node] = high[node] - low[node] <= slack
    return collapse(tree, collapses)
