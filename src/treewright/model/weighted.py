"""Trees that vote with weights (AdaBoost): from the leaves of a row to one answer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.arrays import EVERY_BRANCH, KIND_LEAF
from treewright.model.tree import Tree

__all__ = ["WeightedTrees", "class_votes", "decision_probabilities", "weighted_medians"]

Floats = NDArray[np.float64]
SMALL_WORK = 1_000_000  # numbers that may be gathered at once


class WeightedTrees:
    """What all trees say, each with its weight.

    Parameters
    ----------
    trees : sequence of Tree
        The trees.
    weights : ndarray of float64
        The weight of each.
    n_codes : ndarray of uint32
        Number of categories of each feature, 0 for a numeric one.
    real : bool
        Whether the probabilities of classes count and not the most probable class alone (SAMME.R).
    """

    def __init__(
        self, trees: Sequence[Tree], weights: Floats, n_codes: NDArray[np.uint32], real: bool = False
    ) -> None:
        arrays = [tree.to_arrays() for tree in trees]
        self._weights = weights
        self._real = real
        self._values = [np.asarray(tree["value"], dtype=np.float64) for tree in arrays]
        self._n_classes = self._values[0].shape[1]
        self._predictor = _core.Predictor(arrays, n_codes)
        # Trees that share a row among branches answer with a mixture, which no leaf holds.
        self._mixed = [
            _core.Predictor([tree], n_codes)
            if ((tree["missing"] == EVERY_BRANCH) & (tree["kind"] != KIND_LEAF)).any()
            else None
            for tree in arrays
        ]
        sizes = [len(values) for values in self._values]
        self._first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

    def __len__(self) -> int:
        return len(self._values)

    # --- classes
    # --------------------------------------------------------------------------------------------------

    def decisions(self, matrix: NDArray[Any], n_threads: int) -> Iterator[Floats]:
        """Return the sum of the votes after each tree, divided by their weight; a column per class."""
        total = np.zeros((len(matrix), self._n_classes))
        weight = 0.0
        for number, values in enumerate(self._answers(matrix, n_threads)):
            total = total + class_votes(values, float(self._weights[number]), self._real)
            weight += float(self._weights[number])
            yield total / (weight or 1.0)  # the first trees may have no vote

    def decision(self, matrix: NDArray[Any], n_threads: int, last: int | None = None) -> Floats:
        """Return the sum of the votes of trees up to `last`, divided by their weight; a column per class."""
        if len(matrix) * len(self) * self._n_classes > SMALL_WORK or any(self._mixed):
            *_, found = itertools.islice(self.decisions(matrix, n_threads), last)
            return found
        pairs = zip(self._values[:last], self._weights[:last], strict=True)
        votes = [class_votes(values, float(weight), self._real) for values, weight in pairs]
        leaves = self._predictor.apply(matrix, n_threads)[:, :last]
        total: Floats = np.concatenate(votes)[leaves + self._first[:last]].sum(axis=1)
        total /= self._weights[:last].sum() or 1.0
        return total

    # --- numbers
    # --------------------------------------------------------------------------------------------------

    def medians(self, matrix: NDArray[Any], n_threads: int, last: int | None = None) -> Floats:
        """Return the weighted median of the answers of the trees up to `last`."""
        answers = np.stack([v[:, 0] for v in self._answers(matrix, n_threads)], axis=1)[:, :last]
        return weighted_medians(answers, self._weights[: answers.shape[1]])

    def _answers(self, matrix: NDArray[Any], n_threads: int) -> Iterator[Floats]:
        leaves = self._predictor.apply(matrix, n_threads)
        for number, values in enumerate(self._values):
            mixed = self._mixed[number]
            yield values[leaves[:, number]] if mixed is None else mixed.values(matrix, n_threads)


def class_votes(values: Floats, weight: float, real: bool) -> Floats:
    """Return what the distributions of classes that a tree answers with count.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_classes)
        The distributions.
    weight : float
        The weight of the tree.
    real : bool
        Whether the probabilities count and not the most probable class alone (SAMME.R).
    """
    others = max(1, values.shape[1] - 1)
    if real:
        logs = np.log(np.maximum(values, np.finfo(np.float64).eps))
        counted: Floats = weight * others * (logs - logs.mean(axis=1, keepdims=True))
        return counted
    chosen = np.full(values.shape, -weight / others)
    chosen[np.arange(len(values)), values.argmax(axis=1)] = weight
    return chosen


def weighted_medians(answers: Floats, weights: Floats) -> Floats:
    """Return the median of each row of answers by their weights.

    Parameters
    ----------
    answers : ndarray of shape (n_rows, n_trees)
        What the trees say.
    weights : ndarray of shape (n_trees,)
        The weight of each tree.
    """
    order = np.argsort(answers, axis=1, kind="stable")
    so_far = np.cumsum(weights[order], axis=1)
    middle = (so_far >= 0.5 * so_far[:, -1:]).argmax(axis=1)
    rows = np.arange(len(answers))
    median: Floats = answers[rows, order[rows, middle]]
    return median


def decision_probabilities(decision: Floats) -> Floats:
    """Return the probability of each class: the softmax of the decision, divided by the classes but one.

    Parameters
    ----------
    decision : ndarray of shape (n_rows, n_classes)
        As `WeightedTrees.decision` returns it.
    """
    powers: Floats = np.exp(decision / max(1, decision.shape[1] - 1))
    powers /= powers.sum(axis=1, keepdims=True)
    return powers
