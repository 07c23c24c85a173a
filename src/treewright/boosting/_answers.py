"""What boosters answer, for classes and for numbers, after all rounds and after each of them.

A booster says what its rounds add up to (`_scores`, `_staged_scores`) and what that means (`_answers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.fitting.classes import ClassAnswers

__all__ = ["BoostedClassAnswers", "BoostedNumberAnswers"]

Floats = NDArray[np.float64]


class BoostedClassAnswers(ClassAnswers):
    """Mixin: the answers of boosters that predict a class."""

    # What the rounds add up to: a score of each class, or one, that of the second class; all, or after each.
    _scores: Callable[..., Floats]
    _staged_scores: Callable[[Any], Iterator[Floats]]
    # The probabilities that scores stand for.
    _answers: Callable[[Floats], Floats]

    def decision_function(self, X: Any) -> Floats:
        """Return the scores that the trees of all rounds add up to.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_rows,), or (n_rows, n_classes) for more than two classes
            Of the second class, against the first, or of each.
        """
        return _decision(self._scores(X))

    def _class_probabilities(self, X: Any) -> Floats:
        return self._answers(self._scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Return `decision_function` after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        scores : ndarray
            As `decision_function` returns them.
        """
        return (_decision(scores) for scores in self._staged_scores(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Return `predict` after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        labels : ndarray of shape (n_rows,)
            As `predict` returns them.
        """
        return (self._labels(scores) for scores in self._staged_scores(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Return `predict_proba` after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        probabilities : ndarray of shape (n_rows, n_classes)
            As `predict_proba` returns them.
        """
        return (self._answers(scores) for scores in self._staged_scores(X))

    def _class_scores(self, X: Any) -> Floats:
        return self._scores(X)

    def _chosen_classes(self, scores: Floats) -> NDArray[np.intp]:
        if scores.shape[1] == 1 and len(self.classes_) == 2:
            return (scores[:, 0] > 0).astype(np.intp)
        return super()._chosen_classes(scores)


class BoostedNumberAnswers(RegressorMixin):
    """Mixin: the answers of boosters that predict a number."""

    # What the rounds add up to, in one column; all of them, or after each.
    _scores: Callable[..., Floats]
    _staged_scores: Callable[[Any], Iterator[Floats]]
    # The numbers that scores stand for.
    _answers: Callable[[Floats], Floats]

    def predict(self, X: Any) -> Floats:
        """Return the predicted number of each row.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        values : ndarray of shape (n_rows,)
            The numbers; e to the raw score for the losses poisson, gamma and tweedie.
        """
        return self._answers(self._scores(X))[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Return `predict` after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Yields
        ------
        values : ndarray of shape (n_rows,)
            As `predict` returns them.
        """
        return (self._answers(scores)[:, 0].copy() for scores in self._staged_scores(X))


def _decision(scores: Floats) -> Floats:
    """Return one score for two classes, or one for each of several."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
