"""The arrays of scikit-learn's trees, one after the other, as `PeerTrees`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.imported.assembly import PeerTrees
from treewright.program.floats import at_most_single

__all__ = ["joined_trees", "numbers_of", "shares_of"]

Floats = NDArray[np.float64]


def shares_of(tree: Any, n_classes: int, classes: NDArray[np.intp] | None = None) -> Floats:
    """Return the class shares of every node.

    Parameters
    ----------
    tree : sklearn.tree._tree.Tree
        The tree.
    n_classes : int
        Classes of the ensemble.
    classes : ndarray of int, optional
        Which of them the tree knows; by default all.
    """
    values = np.asarray(tree.value, dtype=np.float64)[:, 0, :]
    whole = values.sum(axis=1, keepdims=True)
    if (np.abs(whole - 1.0) > 1e-6).any():  # before scikit-learn 1.3 values were weights of classes
        values = np.divide(values, whole, out=np.full_like(values, 1.0 / values.shape[1]), where=whole > 0)
    if classes is None:
        return values
    shares = np.zeros((len(values), n_classes))
    shares[:, classes] = values
    return shares


def numbers_of(tree: Any) -> Floats:
    """Return the number of every node."""
    return np.asarray(tree.value, dtype=np.float64)[:, 0, 0]


def joined_trees(
    trees: Sequence[Any], values: Sequence[Floats], features: Sequence[NDArray[np.intp]] | None = None
) -> PeerTrees:
    """Return the trees as one.

    Parameters
    ----------
    trees : sequence of sklearn.tree._tree.Tree
        The trees.
    values : sequence of ndarray
        The answers of their nodes.
    features : sequence of ndarray of int, optional
        Which columns of the table each tree has seen; by default all.
    """

    def joined(name: str, dtype: Any) -> NDArray[Any]:
        return np.concatenate([np.asarray(getattr(tree, name)).astype(dtype) for tree in trees])

    sizes = [int(tree.node_count) for tree in trees]
    feature = joined("feature", np.int64)
    if features is not None:
        begin = np.concatenate([[0], np.cumsum(sizes)])
        for number, own in enumerate(features):
            part = feature[begin[number] : begin[number + 1]]
            part[part >= 0] = np.asarray(own)[part[part >= 0]]
    left = joined("children_left", np.int64)
    # Trees of before scikit-learn 1.3 take no missing values.
    goes_left = [getattr(tree, "missing_go_to_left", None) for tree in trees]
    missing_right = np.concatenate(
        [
            np.zeros(n, np.bool_) if one is None else np.asarray(one)[:n] == 0
            for n, one in zip(sizes, goes_left, strict=True)
        ]
    )
    return PeerTrees(
        begin=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        left=left,
        right=joined("children_right", np.int64),
        feature=feature,
        threshold=at_most_single(joined("threshold", np.float64)),
        missing_right=missing_right,
        value=np.concatenate(list(values)),
        weight=joined("weighted_n_node_samples", np.float64),
        rows=joined("n_node_samples", np.int64),
        number=np.concatenate([np.arange(n) for n in sizes]),
        gain=np.concatenate([_gains(tree) for tree in trees]),
    )


def _gains(tree: Any) -> Floats:
    """Return what each test takes off the weighted impurity."""
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    loss = np.asarray(tree.impurity, np.float64) * np.asarray(tree.weighted_n_node_samples, np.float64)
    return np.where(left >= 0, np.maximum(loss - loss[left] - loss[right], 0.0), 0.0)
