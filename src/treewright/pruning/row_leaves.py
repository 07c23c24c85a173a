"""Where new rows end in a tree: at one node, or, for C4.5's missing values, in shares at several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model import Tree
from treewright.model.arrays import EVERY_BRANCH
from treewright.model.tree import parent_ids

__all__ = ["RowLeaves", "find_row_leaves"]

# Paths of shared rows are followed in blocks, so that they do not fill the memory.
BLOCK = 4096


@dataclass(frozen=True, eq=False)
class RowLeaves:
    """The nodes at which rows end.

    Attributes
    ----------
    node : ndarray of shape (n_rows,)
        Where each row ends: a leaf, or an inner node that has no branch for it. For a shared row, the node
        with its largest share.
    shared : ndarray of shape (n_shared,)
        Rows that more than one branch received.
    part_row : ndarray of shape (n_parts,)
        Position in `shared`, ascending.
    part_node : ndarray of shape (n_parts,)
        A node that the row passes or ends at, ascending for each row.
    part_share : ndarray of shape (n_parts,)
        How much of the row comes to the node.
    part_ends : ndarray of bool of shape (n_parts,)
        Whether that part ends there.
    """

    node: NDArray[np.int64]
    shared: NDArray[np.int64]
    part_row: NDArray[np.int64]
    part_node: NDArray[np.int64]
    part_share: NDArray[np.float64]
    part_ends: NDArray[np.bool_]

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Which rows end at one node."""
        whole = np.ones(len(self.node), dtype=np.bool_)
        whole[self.shared] = False
        return whole


def find_row_leaves(tree: Tree, matrix: NDArray[Any], n_threads: int = 1) -> RowLeaves:
    """Send rows down a tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    matrix : ndarray of shape (n_rows, n_features)
        Encoded rows: numbers, codes of categories, NaN for missing.
    n_threads : int, default=1
        Number of threads.
    """
    predictor = _core.Predictor([tree.to_arrays()], tree.n_codes)
    node = predictor.apply(matrix, n_threads)[:, 0].astype(np.int64)
    suspects = _rows_that_may_be_shared(tree, matrix)
    pieces = [
        _parts(tree, predictor, matrix, suspects[start : start + BLOCK])
        for start in range(0, len(suspects), BLOCK)
    ]
    none = np.zeros(0, dtype=np.int64)
    row, part_node, share, ends = (
        (np.concatenate(columns) for columns in zip(*pieces, strict=True))
        if pieces
        else (none, none, none.astype(np.float64), none.astype(np.bool_))
    )
    shared, part_row = np.unique(row, return_inverse=True)
    return RowLeaves(node, shared, part_row, part_node, share, ends)


def _rows_that_may_be_shared(tree: Tree, matrix: NDArray[Any]) -> NDArray[np.int64]:
    arrays = tree.to_arrays()
    # A word of a set of categories may look the same; then some rows are followed in vain.
    if not ((arrays["missing"] == EVERY_BRANCH).any() or (arrays["tables"] == EVERY_BRANCH).any()):
        return np.zeros(0, dtype=np.int64)
    unknown = np.isnan(matrix).any(axis=1)
    for feature in np.flatnonzero(tree.n_codes):
        unknown |= matrix[:, feature] > tree.n_codes[feature]
    return np.flatnonzero(unknown)


def _parts(
    tree: Tree, predictor: _core.Predictor, matrix: NDArray[Any], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return row, node, share and whether it ends there, for the rows that are shared."""
    indptr, nodes = predictor.decision_path(np.ascontiguousarray(matrix[rows]))
    row = np.repeat(np.arange(len(rows)), np.diff(indptr))
    place = row * tree.node_count + nodes  # ascending, since the nodes of each row are
    parent = parent_ids(tree.to_arrays())[nodes]
    above = np.where(
        parent < 0, np.arange(len(nodes)), np.searchsorted(place, row * tree.node_count + parent)
    )
    taken = np.bincount(above[parent >= 0], minlength=len(nodes))  # branches that each part goes down
    weight = tree.weighted_n_node_samples
    divided = (parent >= 0) & (taken[above] > 1)
    share = np.ones(len(nodes))
    share[divided] = weight[nodes[divided]] / weight[parent[divided]]
    while (above != indptr[row]).any():  # by doubling the distance that each part looks up
        share *= np.where(above != indptr[row], share[above], 1.0)
        above = above[above]
    kept = np.isin(row, row[divided])
    return rows[row[kept]], nodes[kept], share[kept], taken[kept] == 0
