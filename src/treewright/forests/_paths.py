"""Paths: the nodes that rows pass in the trees of a forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from treewright.model import Forest, Model
from treewright.model.forest_arrays import FOREST_LEAF

__all__ = ["forest_paths", "tree_paths"]


def forest_paths(forest: Forest, leaves: NDArray[np.int32]) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Return the nodes that rows pass, and where each tree begins; from the leaves up, all at once.

    Parameters
    ----------
    forest : Forest
        The trees.
    leaves : ndarray of shape (n_rows, n_trees)
        The leaf of each row in each tree.
    """
    arrays = forest.arrays
    begin = arrays["begin"]
    inner = np.flatnonzero(arrays["feature"] != FOREST_LEAF)
    tree_of = np.searchsorted(begin, inner, side="right") - 1
    first_child = arrays["child"][inner].astype(np.int64) + begin[tree_of]
    parent = np.full(forest.node_count, -1, dtype=np.int64)
    parent[first_child] = parent[first_child + 1] = inner
    node = (leaves.astype(np.int64) + begin[:-1]).ravel()
    row = np.repeat(np.arange(len(leaves)), len(forest))
    rows, nodes = [], []
    while len(node):
        rows.append(row)
        nodes.append(node)
        above = parent[node]
        row, node = row[above >= 0], above[above >= 0]
    all_rows, all_nodes = np.concatenate(rows), np.concatenate(nodes)
    indicator = csr_matrix(
        (np.ones(len(all_nodes), dtype=np.int64), (all_rows, all_nodes)),
        shape=(len(leaves), forest.node_count),
    )
    indicator.sort_indices()
    return indicator, np.array(begin)


def tree_paths(model: Model, matrix: NDArray[Any]) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Return the same for trees that are not a `Forest`, one after the other.

    Parameters
    ----------
    model : Model
        The trees.
    matrix : ndarray
        Encoded rows.
    """
    begin = np.cumsum([0, *(tree.node_count for tree in model.trees)])
    rows, nodes = [], []
    for tree, first in enumerate(begin[:-1].tolist()):
        indptr, indices = model.alone(tree).predictor.decision_path(matrix)
        rows.append(np.repeat(np.arange(len(matrix)), np.diff(indptr)))
        nodes.append(indices + first)
    all_rows, all_nodes = np.concatenate(rows), np.concatenate(nodes)
    indicator = csr_matrix(
        (np.ones(len(all_nodes), dtype=np.int64), (all_rows, all_nodes)), shape=(len(matrix), int(begin[-1]))
    )
    indicator.sort_indices()
    return indicator, begin.astype(np.int64)
