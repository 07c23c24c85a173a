"""Sums over the answering nodes of every subtree of a nested sequence, in one sweep over the nodes.

A nested sequence is one number per node, its key: in the subtree of a probe value, a row is answered by the
first node on its way whose key is not above the probe. So each node answers for one interval of probes, from
its own key up to its parent's, and no subtree needs to be made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model import Tree
from treewright.model.tree import parent_ids

__all__ = ["answer_intervals", "depth_keys", "sweep"]


def answer_intervals(
    tree: Tree, key: NDArray[np.float64], probes: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each node the first probe for which it answers and the first one for which it is gone.

    Parameters
    ----------
    tree : Tree
        The tree.
    key : ndarray of shape (node_count,)
        Not larger than the parent's; those of leaves are not looked at.
    probes : ndarray of shape (n_probes,)
        Ascending.
    """
    parent = parent_ids(tree.to_arrays())
    begin = np.where(tree.n_children == 0, 0, np.searchsorted(probes, key, side="left"))
    end = np.searchsorted(probes, key, side="left")[parent]
    end[0] = len(probes)
    # A node that goes together with its parent never answers.
    return np.minimum(begin, end).astype(np.int64), end.astype(np.int64)


def sweep(
    tree: Tree,
    key: NDArray[np.float64],
    probes: NDArray[np.float64],
    passing: NDArray[np.float64],
    stopped: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return for each probe the sum over the nodes that answer.

    Parameters
    ----------
    tree, key, probes
        As in `answer_intervals`.
    passing : ndarray of shape (node_count, n_columns)
        What a node contributes when it answers for all rows that come to it.
    stopped : ndarray of shape (node_count, n_columns), optional
        What it contributes while it is still split, for rows that stop at it all the same.

    Returns
    -------
    sums : ndarray of shape (n_probes, n_columns)
        The sums.
    """
    begin, end = answer_intervals(tree, key, probes)
    changes = np.zeros((len(probes) + 1, passing.shape[1]))
    for places, sign in ((begin, 1.0), (end, -1.0)):
        _add(changes, places, passing, sign)
    if stopped is not None:
        _add(changes, np.zeros_like(begin), stopped, 1.0)
        _add(changes, begin, stopped, -1.0)
    return np.cumsum(changes[:-1], axis=0)


def _add(
    changes: NDArray[np.float64], places: NDArray[np.int64], amounts: NDArray[np.float64], sign: float
) -> None:
    for column in range(amounts.shape[1]):
        changes[:, column] += sign * np.bincount(places, amounts[:, column], minlength=len(changes))


def depth_keys(tree: Tree) -> NDArray[np.float64]:
    """Return keys whose subtree of the probe -d is the tree cut at depth d."""
    return -tree.node_depths.astype(np.float64)
