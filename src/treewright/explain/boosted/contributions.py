"""What features add to the raw scores of a row: how each test on its way moves the mean of the tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.explain.votes_paths import forest_branches
from treewright.model.forest import Forest
from treewright.model.forest_arrays import FOREST_LEAF

__all__ = ["Changes", "follow_changes", "node_means"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Changes:
    """The way of a row through all trees.

    Attributes
    ----------
    leaves, rows : ndarray of int64 of shape (n_trees,)
        Where it ends, and the training rows there.
    steps : ndarray of shape (n_trees,)
        What each tree adds.
    average : ndarray of shape (n_trees,)
        What each tree adds on average, at its root.
    trees, features : ndarray of int64 of shape (n_tests,)
        Every test on the way: in which tree, of which feature.
    changes : ndarray of shape (n_tests,)
        By how much the test moves the mean. A tree's average and its changes add up to its step.
    """

    leaves: Ints
    rows: Ints
    steps: Floats
    average: Floats
    trees: Ints
    features: Ints
    changes: Floats


def node_means(forest: Forest) -> Floats:
    """Return the mean step of the training rows below every node, by the weight (or H) of the nodes.

    Parameters
    ----------
    forest : Forest
        Trees of numbers.
    """
    arrays = forest.arrays
    inner = arrays["feature"] != FOREST_LEAF
    means: Floats = np.where(inner, 0.0, arrays["number"])
    weight = arrays["weight"].astype(np.float64)
    left = np.repeat(arrays["begin"][:-1], forest.node_counts) + arrays["child"]
    level = arrays["begin"][:-1][inner[arrays["begin"][:-1]]]
    levels = []
    while len(level):
        levels.append(level)
        below = np.concatenate([left[level], left[level] + 1])
        level = below[inner[below]]
    for nodes in reversed(levels):
        first, second = left[nodes], left[nodes] + 1
        total = weight[first] + weight[second]
        share = np.divide(weight[first], total, out=np.full(len(nodes), 0.5), where=total > 0)
        means[nodes] = share * means[first] + (1.0 - share) * means[second]
    return means


def follow_changes(forest: Forest, row: Floats) -> Changes:
    """Send a row down all trees of a booster.

    Parameters
    ----------
    forest : Forest
        Trees of numbers.
    row : ndarray of shape (n_features,)
        The row as the model reads it.
    """
    arrays, means = forest.arrays, node_means(forest)
    begin = arrays["begin"][:-1]
    at = begin.copy()
    walking = np.flatnonzero(arrays["feature"][at] != FOREST_LEAF)
    trees, features, changes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    while len(walking):
        here = at[walking]
        feature = arrays["feature"][here].astype(np.int64)
        branch = forest_branches(forest, here, row[feature])
        at[walking] = begin[walking] + arrays["child"][here] + branch
        trees.append(walking)
        features.append(feature)
        changes.append(means[at[walking]] - means[here])
        walking = walking[arrays["feature"][at[walking]] != FOREST_LEAF]
    return Changes(
        at - begin,
        arrays["rows"][at].astype(np.int64),
        arrays["number"][at].astype(np.float64),
        means[begin],
        np.concatenate(trees),
        np.concatenate(features),
        np.concatenate(changes),
    )
