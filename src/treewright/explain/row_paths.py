"""The way of one row through every tree: which features are tested, where it ends, what each tree says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.arrays import KIND_LEAF
from treewright.model.forest import Forest
from treewright.model.forest_arrays import FOREST_LEAF
from treewright.model.model import Model

__all__ = ["RowPaths", "follow_row", "forest_branches"]


@dataclass(frozen=True, eq=False)
class RowPaths:
    """What happens to a row in each tree.

    Attributes
    ----------
    leaves : ndarray of int64 of shape (n_trees,)
        Where it ends.
    rows : ndarray of int64 of shape (n_trees,)
        Training rows there.
    values : ndarray of float64 of shape (n_trees, n_outputs)
        What each tree answers.
    trees, features : ndarray of int64 of shape (n_tests,)
        Every test on the way: in which tree, of which feature.
    """

    leaves: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    trees: NDArray[np.int64]
    features: NDArray[np.int64]

    @property
    def tested(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same tests, each feature once per tree: (trees, features), ordered by tree."""
        pairs = np.unique(np.column_stack([self.trees, self.features]), axis=0)
        return pairs[:, 0], pairs[:, 1]


def follow_row(model: Model, row: NDArray[np.float64]) -> RowPaths:
    """Send a row, as the model reads it, down all trees of a model."""
    if isinstance(model.trees, Forest):
        return _through_forest(model.trees, row)
    return _through_trees(model, row)


def _through_forest(forest: Forest, row: NDArray[np.float64]) -> RowPaths:
    """Walk all trees at once, level by level: unpacking them would take longer than the report may."""
    arrays = forest.arrays
    begin = arrays["begin"][:-1]
    at = begin.copy()
    walking = np.flatnonzero(arrays["feature"][at] != FOREST_LEAF)
    trees, features = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    while len(walking):
        here = at[walking]
        feature = arrays["feature"][here].astype(np.int64)
        trees.append(walking)
        features.append(feature)
        branch = forest_branches(forest, here, row[feature])
        at[walking] = begin[walking] + arrays["child"][here] + branch
        walking = walking[arrays["feature"][at[walking]] != FOREST_LEAF]
    values = (
        arrays["distributions"][arrays["child"][at]]
        if forest.has_classes
        else arrays["number"][at][:, np.newaxis]
    )
    rows = arrays["rows"][at].astype(np.int64)
    return RowPaths(at - begin, rows, values, np.concatenate(trees), np.concatenate(features))


def forest_branches(forest: Forest, nodes: NDArray[np.int64], x: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the branch that each of the nodes takes for its value of x."""
    found = _core.forest_branches(dict(forest.arrays), nodes, x)
    return found.astype(np.int64)


def _through_trees(model: Model, row: NDArray[np.float64]) -> RowPaths:
    matrix = np.ascontiguousarray(row[np.newaxis])
    leaves, rows, values = [], [], []
    trees, features = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for number, tree in enumerate(model.trees):
        alone = _core.Predictor([tree.to_arrays()], model.schema.n_codes)
        leaf = int(alone.apply(matrix)[0, 0])
        leaves.append(leaf)
        rows.append(int(tree.n_node_samples[leaf]))
        values.append(alone.values(matrix)[0])
        passed = alone.decision_path(matrix)[1]
        inner = passed[tree.kind[passed] != KIND_LEAF]
        features.append(tree.feature[inner])
        trees.append(np.full(len(inner), number, dtype=np.int64))
    return RowPaths(
        np.array(leaves, dtype=np.int64),
        np.array(rows, dtype=np.int64),
        np.array(values),
        np.concatenate(trees),
        np.concatenate(features),
    )
