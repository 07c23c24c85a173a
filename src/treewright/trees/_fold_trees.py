"""FoldTrees: grows the tree of each fold as a separate fit would, and sends the rows held out down."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treewright.data import read_table
from treewright.pruning import HeldOut, land
from treewright.trees._grown import Grown

if TYPE_CHECKING:
    from treewright.trees._base import SingleTree

__all__ = ["FoldTrees", "held_out_rows", "integer_seed"]


def integer_seed(random_state: Any) -> int:
    """Return the seed itself if it is one, otherwise a number drawn from it."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def held_out_rows(
    grown: Grown,
    matrix: NDArray[Any],
    target: NDArray[Any],
    weights: NDArray[np.float64] | None,
    n_threads: int,
) -> HeldOut:
    """Send rows that the tree has not seen down; the target is in the columns of its values."""
    return HeldOut(
        grown.tree,
        land(grown.tree, matrix, n_threads),
        target,
        weights,
        classes=grown.classes is not None,
        class_order=grown.tie_order,
    )


class FoldTrees:
    """Called with the places of train and test among the rows of the full tree.

    Parameters
    ----------
    estimator : SingleTree
        With the parameters of the fit.
    changed : dict
        Parameters that the trees of folds have instead: those of pruning.
    seed : int
        Seed of every fold's tree.
    grown : Grown
        The full tree.
    X, y, sample_weight : object
        What fit was given.
    """

    def __init__(
        self,
        estimator: SingleTree,
        changed: dict[str, Any],
        seed: int,
        grown: Grown,
        X: Any,
        y: Any,
        sample_weight: Any,
    ) -> None:
        # Folds run side by side, so each of them has one thread.
        self._learner = estimator._changed(**changed, n_candidates=0, n_jobs=1, random_state=seed)
        self._full = grown
        self._data = (X, y, sample_weight)

    def __call__(self, train: NDArray[np.int64], test: NDArray[np.int64]) -> HeldOut:
        """Return the fold's tree with its test rows."""
        X, full = self._data[0], self._full
        rows, test_rows = (part if full.rows is None else full.rows[part] for part in (train, test))
        learner = self._learner_for(train)
        fold = learner._grow(*self._data, rows=rows, warn=False)
        table = read_table(X, estimator_name=type(learner).__name__, schema=fold.schema)
        target = full.target[test]
        if full.classes is not None:
            target = fold.columns_of(full.classes, target)
        weights = None if full.weights is None else full.weights[test]
        return held_out_rows(fold, table.take(test_rows).to_matrix(), target, weights, 1)

    def _learner_for(self, train: NDArray[np.int64]) -> SingleTree:
        """Return the learner without weights of classes that none of these rows has."""
        if self._full.classes is None:
            return self._learner
        weights, priors = (getattr(self._learner, name, None) for name in ("class_weight", "priors"))
        present = np.bincount(self._full.target[train], minlength=len(self._full.classes)) > 0
        if present.all() or not (isinstance(weights, Mapping) or priors is not None):
            return self._learner
        labels = self._full.classes[present].tolist()
        changed: dict[str, Any] = {}
        if isinstance(weights, Mapping):
            changed["class_weight"] = {label: weights.get(label, 1.0) for label in labels}
        if priors is not None:
            shares = (
                [priors[label] for label in labels]
                if isinstance(priors, Mapping)
                else np.asarray(priors)[present].tolist()
            )
            changed["priors"] = [share / sum(shares) for share in shares]
        return self._learner._changed(**changed)
