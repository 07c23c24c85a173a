"""Out of bag: every row predicted by the trees that did not see it, as good as a held-out test set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.forests._bags import Bags
from treewright.forests._members import Members
from treewright.model import Forest, Model

__all__ = ["OutOfBag", "score_of"]

Floats = NDArray[np.float64]


class OutOfBag:
    """Predictions for the training rows by the trees that did not see them.

    Parameters
    ----------
    model : Model
        The trees.
    members : Members
        The same trees as estimators.
    bags : sequence of Bags
        How the rows of the trees were drawn; trees that others rows were drawn for do not count.
    data : Dataset or ndarray
        The rows: as codes for a `Forest`, otherwise as a matrix.
    votes : bool
        Whether each tree votes for one class.
    n_threads : int
        Threads to use.
    """

    def __init__(
        self,
        model: Model,
        members: Members,
        bags: Sequence[Bags],
        data: Any,
        votes: bool,
        n_threads: int,
    ) -> None:
        self._model = model
        self._members = members
        self._bags = bags
        self._data = data
        self._votes = votes
        self._n_threads = n_threads

    @property
    def n_rows(self) -> int:
        """Number of rows of positive weight."""
        return self._bags[-1].n_kept

    def sums(self, first: int, last: int) -> tuple[Floats, NDArray[np.int64]]:
        """Return the sum of the answers of some trees for each row, and how many trees answered."""
        total = np.zeros((self.n_rows, self._model.n_outputs))
        answered = np.zeros(self.n_rows, dtype=np.int64)
        for bags in self._bags:
            begin, end = max(first, bags.first), min(last, bags.last)
            if begin < end:
                some, count = self._of_bags(bags, begin, end)
                total += some
                answered += count
        return total, answered

    def values(self) -> Floats:
        """Return the mean answer for each row; NaN for a row that is in all bags."""
        return mean_answers(*self.sums(0, len(self._model.trees)))

    def _of_bags(self, bags: Bags, first: int, last: int) -> tuple[Floats, NDArray[Any]]:
        if isinstance(self._model.trees, Forest):
            return _core.oob_values(
                self._model.predictor, self._data, bags.rule, first, last, self._votes, self._n_threads
            )
        total = np.zeros((self.n_rows, self._model.n_outputs))
        answered = np.zeros(self.n_rows, dtype=np.int64)
        for tree in range(first, last):
            outside = bags.counts(tree) == 0
            if outside.any():
                matrix = np.ascontiguousarray(self._data[outside])
                total[outside] += self._members.answers(tree, matrix, self._votes, self._n_threads)
                answered += outside
        return total, answered

    def permutation(self, target: NDArray[Any], n_repeats: int, seed: int) -> Floats:
        """Return how much worse each tree becomes on its rows when a feature is shuffled among them.

        Parameters
        ----------
        target : ndarray
            Class codes or numbers.
        n_repeats : int
            How often each feature is shuffled.
        seed : int
            What shuffles.

        Returns
        -------
        ndarray of shape (n_trees, n_features)
            Decrease of the accuracy, or increase of the mean squared error; mean over the repeats.
        """
        if isinstance(self._model.trees, Forest):
            rule = self._bags[0].rule
            found = _core.oob_permutation(
                self._model.predictor, self._data, rule, target, n_repeats, seed, self._n_threads
            )
            mean: Floats = found.mean(axis=2)
            return mean
        return np.array(
            [self._shuffled(tree, target, n_repeats, seed) for tree in range(len(self._model.trees))]
        )

    def _shuffled(self, tree: int, target: NDArray[Any], n_repeats: int, seed: int) -> Floats:
        outside = self._bags[0].counts(tree) == 0
        if not outside.any():
            return np.full(self._model.n_features, np.nan)
        worse = np.zeros(self._model.n_features)
        generator = np.random.default_rng([seed, tree])
        matrix, known = np.array(self._data[outside]), target[outside]
        before = self._loss(tree, matrix, known)
        for feature in range(self._model.n_features):
            column = matrix[:, feature].copy()
            for _ in range(n_repeats):
                matrix[:, feature] = generator.permutation(column)
                worse[feature] += (self._loss(tree, matrix, known) - before) / n_repeats
            matrix[:, feature] = column
        return worse

    def _loss(self, tree: int, matrix: NDArray[Any], target: NDArray[Any]) -> float:
        found = self._members.answers(tree, matrix, True, self._n_threads)
        if self._model.classes is None:
            return float(np.mean((found[:, 0] - target) ** 2))
        return 1.0 - float(np.mean(found.argmax(axis=1) == target))


def mean_answers(total: Floats, answered: NDArray[np.int64]) -> Floats:
    """Return the mean of the answers; NaN where there was none."""
    values: Floats = np.divide(
        total, answered[:, np.newaxis], out=np.full_like(total, np.nan), where=answered[:, np.newaxis] > 0
    )
    return values


def score_of(values: Floats, target: NDArray[Any], is_class: bool, metric: Any = None) -> float:
    """Return accuracy or R² (or another metric) over the rows that have an answer; NaN when none has.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_outputs)
        What was predicted.
    target : ndarray
        Class codes or numbers.
    is_class : bool
        Whether they are classes.
    metric : callable or None
        What to compute instead: ``metric(y_true, y_pred)``.
    """
    known = np.isfinite(values[:, 0])
    if not known.any():
        return float("nan")
    truth = target[known]
    found = values[known].argmax(axis=1) if is_class else values[known, 0]
    if metric is not None:
        return float(metric(truth, found))
    if is_class:
        return float(np.mean(found == truth))
    squares = float(np.sum((truth - found) ** 2))
    spread = float(np.sum((truth - truth.mean()) ** 2))
    if spread == 0.0:
        return 1.0 if squares == 0.0 else 0.0
    return 1.0 - squares / spread
