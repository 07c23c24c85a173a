"""RunningVotes: what the trees of an AdaBoost say together after each round, and how good it is."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.boosting._record import SCORE_ROWS
from treewright.boosting._rows import BoostRows
from treewright.boosting._scoreboard import Scoreboard
from treewright.boosting.metrics import Metric
from treewright.model import Tree
from treewright.model.weighted import class_votes, decision_probabilities, weighted_medians

__all__ = ["RoundScore", "RoundScores", "RunningVotes"]

Floats = NDArray[np.float64]


class RoundScore(NamedTuple):
    """Scores after a round: of training rows, and what early stopping goes by; NaN where nobody asked.

    `validation` has a list for each set of validation rows, with a number for each metric.
    """

    train: float
    watched: float
    validation: list[list[float]] | None


class RunningVotes:
    """The answers of the trees so far, each with its weight.

    Parameters
    ----------
    n_classes : int or None
        Number of classes; None for numbers.
    real : bool
        Whether the probabilities of classes count and not the most probable class alone (SAMME.R).
    """

    def __init__(self, n_classes: int | None, real: bool) -> None:
        self._n_classes = n_classes
        self._real = real
        self._votes: Floats | None = None
        self._answers: list[Floats] = []
        self._tree_weights: list[float] = []

    def __len__(self) -> int:
        return len(self._tree_weights)

    def add(self, values: Floats, weight: float) -> None:
        """Take in the answers of one more tree."""
        self._tree_weights.append(weight)
        if self._n_classes is None:
            self._answers.append(values[:, 0])
            return
        votes = class_votes(values, weight, self._real)
        self._votes = votes if self._votes is None else self._votes + votes

    def scores(self) -> Floats:
        """Return the votes for each class by the trees' weights or, in one column, numbers."""
        if self._n_classes is None:
            medians = weighted_medians(np.stack(self._answers, axis=1), np.array(self._tree_weights))
            return medians[:, np.newaxis]
        assert self._votes is not None, "a tree has voted"
        return self._votes / sum(self._tree_weights)


class RoundScores:
    """Scores of training and validation rows after each round, where somebody asks for them.

    Medians of many trees take longer than growing one, so that a fit that nobody watches goes without.

    Parameters
    ----------
    owner : WeightBooster
        The estimator.
    given : BoostRows
        The rows.
    metrics : tuple of Metric
        What validation rows are scored by.
    n_threads : int
        Threads to use.
    """

    def __init__(self, owner: Any, given: BoostRows, metrics: tuple[Metric, ...], n_threads: int) -> None:
        rows, held_out = given.rows, given.held_out
        self._n_codes = rows.schema.n_codes
        self._n_threads = n_threads
        self._n_classes = rows.n_classes
        self._train: RunningVotes | None = None
        self._validation: RunningVotes | None = None
        self._board: Scoreboard | None = None
        self._sample: NDArray[np.intp] | slice = slice(None)
        real = getattr(owner, "algorithm", None) == "SAMME.R"
        if held_out is not None or owner.early_stopping or owner.callbacks:
            if rows.n_rows > SCORE_ROWS:
                drawn = np.random.RandomState(0).choice(rows.n_rows, SCORE_ROWS, replace=False)
                self._sample = np.sort(drawn)
            self._weights = None if rows.weights is None else rows.weights[self._sample]
            self._target = rows.target[self._sample]
            self._train = RunningVotes(rows.n_classes, real)
        if held_out is not None:
            self._matrix = held_out.matrix
            self._validation = RunningVotes(rows.n_classes, real)
            answers = _numbers if rows.n_classes is None else decision_probabilities
            self._board = Scoreboard(metrics, held_out, rows.classes, answers, self._loss)

    def _loss(self, target: NDArray[Any], scores: Floats, weights: Floats | None) -> float:
        """Return the share of wrong classes or the mean squared error."""
        if self._n_classes is None:
            return float(np.average((target - scores[:, 0]) ** 2, weights=weights))
        return float(np.average(scores.argmax(axis=1) != target, weights=weights))

    def add(self, tree: Tree, values: Floats, weight: float) -> None:
        """Take in a tree, what it says about the training rows, and its weight."""
        if self._train is not None:
            self._train.add(values[self._sample], weight)
        if self._validation is not None:
            predictor = _core.Predictor([tree.to_arrays()], self._n_codes)
            self._validation.add(predictor.values(self._matrix, self._n_threads), weight)

    def now(self) -> RoundScore:
        """Return the scores of training and validation rows."""
        if self._train is None or not len(self._train):
            return RoundScore(math.nan, math.nan, None)
        train = self._loss(self._target, self._train.scores(), self._weights)
        if self._validation is None or self._board is None:
            return RoundScore(train, train, None)
        watched = self._board(self._validation.scores())
        return RoundScore(train, watched, self._board.last)


def _numbers(scores: Floats) -> Floats:
    return scores
