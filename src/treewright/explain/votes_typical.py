"""Which tree's way is the most typical of a forest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.explain.votes_paths import RowPaths

__all__ = ["most_typical", "similarities"]

NEAREST_SHARE = 0.25  # of the trees, where answers are numbers and hardly any two are the same


def similarities(paths: RowPaths, n_trees: int, n_features: int) -> NDArray[np.float64]:
    """Return how much the features that each tree tests are those that all trees test.

    With p the share of trees that test a feature: the sum of p over the features of the tree, divided by the
    number of these plus the sum of p over the others. 1 when all trees test the same features.
    """
    trees, features = paths.tested
    shares = np.bincount(features, minlength=n_features) / n_trees
    common = np.bincount(trees, weights=shares[features], minlength=n_trees)
    own = np.bincount(trees, minlength=n_trees)
    whole = own + (shares.sum() - common)
    similarity: NDArray[np.float64] = np.divide(common, whole, out=np.ones(n_trees), where=whole > 0)
    return similarity


def most_typical(
    similarity: NDArray[np.float64],
    values: NDArray[np.float64],
    prediction: NDArray[np.float64],
    answer: int | None,
) -> int:
    """Return the tree whose way is most typical.

    Parameters
    ----------
    similarity : ndarray of shape (n_trees,)
        From `similarities`.
    values : ndarray of shape (n_trees, n_outputs)
        What each tree answers.
    prediction : ndarray of shape (n_outputs,)
        What the forest answers.
    answer : int or None
        Position of the predicted class; None for numbers.
    """
    if answer is None:
        distance = np.abs(values[:, 0] - prediction[0])
        n_near = max(1, int(NEAREST_SHARE * len(values)))
        allowed = distance <= np.sort(distance)[n_near - 1]
    else:
        allowed = values.argmax(axis=1) == answer
        if not allowed.any():  # a class may have the largest mean without being the first choice of any tree
            allowed[:] = True
    return int(np.argmax(np.where(allowed, similarity, -1.0)))
