"""RunningVotes: what the trees of an AdaBoost say together after each round, and how good it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.boosting._record import SCORE_ROWS
from treewright.boosting._rows import BoostRows
from treewright.boosting._watch import score_by
from treewright.model import Tree
from treewright.model.weighted import class_votes, decision_probabilities, weighted_medians

__all__ = ["RoundScores", "RunningVotes"]

Floats = NDArray[np.float64]


class RunningVotes:
    """The answers of the trees so far, each with its weight.

    Parameters
    ----------
    target : ndarray
        Positions of classes, or numbers.
    weights : ndarray of float64 or None
        Weight of each row; None: each counts 1.
    n_classes : int or None
        Number of classes; None for numbers.
    real : bool
        Whether the probabilities of classes count and not the most probable class alone (SAMME.R).
    scoring : "loss" or callable
        The share of wrong classes or the mean squared error; or the user's metric.
    """

    def __init__(
        self, target: NDArray[Any], weights: Floats | None, n_classes: int | None, real: bool, scoring: Any
    ) -> None:
        self._target = target
        self._weights = weights
        self._n_classes = n_classes
        self._real = real
        self._scoring = scoring
        self._votes: Floats | None = None
        self._answers: list[Floats] = []
        self._tree_weights: list[float] = []

    def add(self, values: Floats, weight: float) -> None:
        """Take in the answers of one more tree."""
        self._tree_weights.append(weight)
        if self._n_classes is None:
            self._answers.append(values[:, 0])
            return
        votes = class_votes(values, weight, self._real)
        self._votes = votes if self._votes is None else self._votes + votes

    def score(self) -> float:
        """Return the score of what the trees say together; NaN before the first one."""
        if not self._tree_weights:
            return math.nan
        if self._n_classes is None:
            answer = weighted_medians(np.stack(self._answers, axis=1), np.array(self._tree_weights))
            if not callable(self._scoring):
                return float(np.average((self._target - answer) ** 2, weights=self._weights))
            return score_by(self._scoring, self._target, answer[:, np.newaxis], self._weights)
        assert self._votes is not None, "a tree has voted"
        decision = self._votes / sum(self._tree_weights)
        if not callable(self._scoring):
            return float(np.average(decision.argmax(axis=1) != self._target, weights=self._weights))
        return score_by(self._scoring, self._target, decision_probabilities(decision), self._weights)


class RoundScores:
    """Scores of training and validation rows after each round, where somebody asks for them.

    Medians of many trees take longer than growing one, so that a fit that nobody watches goes without.

    Parameters
    ----------
    owner : WeightBooster
        The estimator.
    given : BoostRows
        The rows.
    n_threads : int
        Threads to use.
    """

    def __init__(self, owner: Any, given: BoostRows, n_threads: int) -> None:
        rows, held_out = given.rows, given.held_out
        self._n_codes = rows.schema.n_codes
        self._n_threads = n_threads
        self._train: RunningVotes | None = None
        self._validation: RunningVotes | None = None
        self._sample: NDArray[np.intp] | slice = slice(None)
        real = getattr(owner, "algorithm", None) == "SAMME.R"
        if held_out is not None or owner.early_stopping or owner.callbacks:
            if rows.n_rows > SCORE_ROWS:
                drawn = np.random.RandomState(0).choice(rows.n_rows, SCORE_ROWS, replace=False)
                self._sample = np.sort(drawn)
            weights = None if rows.weights is None else rows.weights[self._sample]
            self._train = RunningVotes(rows.target[self._sample], weights, rows.n_classes, real, "loss")
        if held_out is not None:
            self._matrix = held_out.matrix
            self._validation = RunningVotes(
                held_out.target, held_out.weights, rows.n_classes, real, owner.scoring
            )

    def add(self, tree: Tree, values: Floats, weight: float) -> None:
        """Take in a tree, what it says about the training rows, and its weight."""
        if self._train is not None:
            self._train.add(values[self._sample], weight)
        if self._validation is not None:
            predictor = _core.Predictor([tree.to_arrays()], self._n_codes)
            self._validation.add(predictor.values(self._matrix, self._n_threads), weight)

    def now(self) -> tuple[float, float]:
        """Return the scores of training and validation rows; NaN for those that nobody asked for."""
        return (
            math.nan if self._train is None else self._train.score(),
            math.nan if self._validation is None else self._validation.score(),
        )

    def watched(self, train: float, validation: float) -> float:
        """Return the score that early stopping goes by."""
        return train if self._validation is None else validation
