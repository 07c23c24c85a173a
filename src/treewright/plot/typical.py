"""typical_tree: the tree of an ensemble that behaves most like all of them together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.export.source import model_of
from treewright.model.encoded import encoded_rows
from treewright.model.model import Model

__all__ = ["TypicalTree", "typical_tree"]

MOST_ROWS = 2000  # a choice among trees does not become better by more

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TypicalTree:
    """The tree that is nearest to its ensemble.

    Attributes
    ----------
    tree : int
        Its number.
    distance : float
        How far it is from the ensemble.
    distances : ndarray of shape (n_trees,)
        The same for all trees.
    words : str
        How it was chosen.
    """

    tree: int
    distance: float
    distances: Floats
    words: str

    def __index__(self) -> int:
        """Return its number, so that it can be passed as ``tree=``."""
        return self.tree

    def __str__(self) -> str:
        return self.words


def typical_tree(estimator: Any, X: Any) -> TypicalTree:
    """Return the tree of an ensemble that behaves most like the ensemble on given rows.

    In a forest and in AdaBoost every tree answers by itself: the typical tree is the one whose answers are
    nearest to those of the ensemble, by the root of the mean squared difference of probabilities (of
    numbers: of predictions). In a gradient booster a tree answers only a part: the typical tree is the one
    whose steps follow the raw score best, the distance being the share of the raw score's variance that a
    straight line through the tree's steps leaves unexplained.

    Parameters
    ----------
    estimator : estimator or Model
        A fitted forest or booster, or its ``model_``.
    X : DataFrame or array-like
        Rows to compare on, best those of `fit` or others like them. Of more than 2000 rows every n-th is
        looked at.

    Returns
    -------
    TypicalTree
        Can be passed as ``tree=`` to `plot_tree`, `export_svg` and all others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import RandomForestClassifier, export_text, typical_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> typical = typical_tree(forest, X)
    >>> typical.distances.shape, bool(typical.distance == typical.distances.min())
    ((20,), True)
    >>> text = export_text(forest, tree=typical)
    """
    model = model_of(estimator, "typical_tree")
    matrix = encoded_rows(model, X)
    if not len(matrix):
        raise ValueError("X has no rows: the trees are compared by what they say about rows.")
    matrix = np.ascontiguousarray(matrix[:: -(-len(matrix) // MOST_ROWS)])
    n_trees = len(model.trees)
    if model.aggregation == "sum":
        distances = _from_scores(model, matrix)
        how = "whose steps follow the raw score best: a line through them leaves {:.1%} of its variance"
    else:
        distances = _from_answers(model, matrix)
        what = "predictions" if model.classes is None else "probabilities"
        how = f"whose {what} are nearest to the ensemble's, {{:.4g}} apart (root of the mean square)"
    best = int(np.argmin(distances))
    words = f"Tree {best} of {n_trees}, {how.format(float(distances[best]))}, on {len(matrix)} rows."
    return TypicalTree(best, float(distances[best]), distances, words)


def _from_answers(model: Model, matrix: NDArray[Any]) -> Floats:
    whole = model.values(matrix)
    return np.array(
        [
            float(np.sqrt(np.mean((model.alone(tree).mean_values(matrix) - whole) ** 2)))
            for tree in range(len(model.trees))
        ]
    )


def _from_scores(model: Model, matrix: NDArray[Any]) -> Floats:
    raw = model.raw_scores(matrix)
    n_outputs = raw.shape[1]
    distances = np.ones(len(model.trees))
    for tree in range(len(model.trees)):
        steps = model.alone(tree).mean_values(matrix)[:, 0]
        score = raw[:, tree % n_outputs]
        both = float(np.var(steps)) * float(np.var(score))
        if both > 0:
            covariance = float(np.mean((steps - steps.mean()) * (score - score.mean())))
            # A tree that goes against the score explains nothing of it.
            distances[tree] = max(0.0, 1.0 - max(covariance, 0.0) ** 2 / both)
    return distances
