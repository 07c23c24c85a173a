"""WeightRounds: the weights of AdaBoost's training rows, from round to round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.fitting.rows import TrainingRows
from treewright.model import Tree
from treewright.warn_at_caller import warn_at_caller

__all__ = ["Verdict", "WeightRounds"]

Floats = NDArray[np.float64]


class Verdict(NamedTuple):
    """What a round makes of its tree: its error and weight, and the rows' next weights (None: the end)."""

    error: float
    weight: float
    next_weights: Floats | None
    keep: bool = True


class WeightRounds:
    """Goes from round to round: a tree is judged, and the rows get the weights of the next round.

    The trees may be new or those of a model: the rounds that grew them are gone through again.

    Parameters
    ----------
    owner : WeightBooster
        Judges the trees.
    rows : TrainingRows
        The rows; their table is read and stays.
    n_threads : int
        Threads to use.

    Attributes
    ----------
    weights : ndarray of float64
        Weights of the rows in the coming round.
    is_over : bool
        Whether the last tree was such that no round can follow.
    """

    def __init__(self, owner: Any, rows: TrainingRows, n_threads: int) -> None:
        self._owner = owner
        self._target = rows.target
        self._n_codes = rows.schema.n_codes
        self._n_threads = n_threads
        self._matrix = rows.whole_table.to_matrix()
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        self.weights = _never_zero(weights / weights.sum())
        self.is_over = False

    def judge(self, tree: Tree, is_first: bool = False, error: float | None = None) -> tuple[Floats, Verdict]:
        """Return what a tree says about the rows, and what is made of it; then the next round has come.

        Parameters
        ----------
        tree : Tree
            The tree of the round.
        is_first : bool, default=False
            Whether there is no other tree, so that this one has to do.
        error : float, optional
            The error that the tree had in an earlier fit, which made its weight.
        """
        values = _core.Predictor([tree.to_arrays()], self._n_codes).values(self._matrix, self._n_threads)
        verdict = self._owner._verdict(values, self._target, self.weights, is_first, error)
        following = verdict.next_weights
        total = 0.0 if following is None else float(following.sum())
        if following is None or not np.isfinite(total) or total <= 0:
            self.is_over = True
            if error is None and not np.isfinite(total):
                warn_at_caller(
                    "Sample weights have reached infinite values, so no round can follow. Try a lower "
                    "learning_rate."
                )
        else:
            self.weights = _never_zero(following / total)
        return values, verdict


def _never_zero(weights: Floats) -> Floats:
    """Return the weights; those that have all but vanished stay numbers."""
    return np.maximum(weights, np.finfo(np.float64).eps)
