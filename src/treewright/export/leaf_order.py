"""The leaves of a tree in the order in which they are read on paper, for all of them at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model.node import TreeView

__all__ = ["leaf_places"]


def leaf_places(view: TreeView) -> NDArray[np.int64]:
    """Return the place of each leaf among all leaves, from 0, in the order of the branches.

    Inner nodes have that of the first leaf below them. A few passes over arrays, level by level: nothing is
    done for a single node, so a million of them take no time.

    Parameters
    ----------
    view : TreeView
        The tree.
    """
    tree, parents = view.tree, view.parents
    depths = tree.node_depths
    order = np.argsort(depths, kind="stable")  # by level, in a level by number: siblings stay together
    ends = np.cumsum(np.bincount(depths))
    levels = np.split(order, ends[:-1])
    leaves = (tree.n_children == 0).astype(np.int64)
    for level in reversed(levels[1:]):
        np.add.at(leaves, parents[level], leaves[level])
    places = np.zeros(len(view), dtype=np.int64)
    first_child = np.asarray(tree.first_child, dtype=np.int64)
    for level in levels[1:]:
        before = np.cumsum(leaves[level]) - leaves[level]
        of_first = before[np.searchsorted(level, first_child[parents[level]])]
        places[level] = places[parents[level]] + before - of_first
    return places
