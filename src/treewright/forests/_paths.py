"""Paths: where rows go in the trees of a forest, as methods of the estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from treewright.model import Forest, Model
from treewright.model.forest_arrays import FOREST_LEAF

if TYPE_CHECKING:
    from treewright.forests._forest import BaseForest

__all__ = ["Paths"]


class Paths:
    """Mixin: leaves and ways of rows."""

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each row falls into, in each tree.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        leaves : ndarray of shape (n_rows, n_estimators)
            Node ids in the tree of each of `estimators_`.
        """
        model, matrix, n_threads = cast("BaseForest", self)._encode(X)
        return model.apply(matrix, n_threads).astype(np.int64)

    def decision_path(self, X: Any) -> tuple[csr_matrix, NDArray[np.int64]]:
        """Return the nodes that each row passes, in all trees.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        indicator : csr_matrix of shape (n_rows, n_nodes)
            1 where the row passes the node.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The columns from ``n_nodes_ptr[i]`` to before ``n_nodes_ptr[i + 1]`` belong to tree i.
        """
        model, matrix, n_threads = cast("BaseForest", self)._encode(X)
        if isinstance(model.trees, Forest):
            return _forest_paths(model.trees, model.apply(matrix, n_threads))
        return _tree_paths(model, matrix)


def _forest_paths(forest: Forest, leaves: NDArray[np.int32]) -> tuple[csr_matrix, NDArray[np.int64]]:
    """Walk from the leaves up to the roots, all rows and trees at once."""
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


def _tree_paths(model: Model, matrix: NDArray[Any]) -> tuple[csr_matrix, NDArray[np.int64]]:
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
