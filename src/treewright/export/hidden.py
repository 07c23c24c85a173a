"""What an abridged text leaves out: which levels fit, and what is below a node that is not unfolded."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treewright.export.facts import NodeFacts, format_count
from treewright.model.node import Node, TreeView

__all__ = ["Hidden", "depth_that_fits"]


def depth_that_fits(node_depths: NDArray[np.int64], max_nodes: int) -> int:
    """Return the deepest level for which the levels down to it hold at most `max_nodes` nodes, 0 at least."""
    nodes_down_to = np.cumsum(np.bincount(node_depths))
    return max(0, int(np.searchsorted(nodes_down_to, max_nodes, side="right")) - 1)


class Hidden:
    """Sums over everything below a node, for all nodes of a tree at once.

    Parameters
    ----------
    view : TreeView
        The tree.
    facts : NodeFacts
        Says what an error is.
    """

    def __init__(self, view: TreeView, facts: NodeFacts) -> None:
        tree = view.tree
        self._facts = facts
        n = tree.node_count
        weight = tree.weighted_n_node_samples
        loss = tree.loss if facts.classes is None else weight * (1.0 - tree.value[:, 0, :].max(axis=1))
        below = [0] * n
        deepest = tree.node_depths.tolist()
        error = np.where(tree.n_children == 0, loss, 0.0).tolist()
        parents = view.parents.tolist()
        # Children have larger ids than their parent, so one pass from the end sums every subtree.
        for node in range(n - 1, 0, -1):
            parent = parents[node]
            below[parent] += below[node] + 1
            error[parent] += error[node]
            deepest[parent] = max(deepest[parent], deepest[node])
        self._below, self._deepest, self._error = below, deepest, error

    def describe(self, node: Node) -> str:
        """Say what is below a node, e.g. ``… 14 more nodes, depth 5, errors 3/41``."""
        error = self._error[node.id]
        words = f"… {self._below[node.id]} more nodes, depth {self._deepest[node.id]}"
        if math.isnan(error):  # a forest does not keep the loss of numbers
            return words
        if self._facts.classes is None:
            return f"{words}, loss {format_count(error)}"
        return f"{words}, errors {format_count(error)}/{format_count(node.weight)}"
