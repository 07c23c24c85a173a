"""What boosters answer, for classes and for numbers, after all rounds and after each of them.

A booster says what its rounds add up to (`_scores`, `_staged_scores`) and what that means (`_answers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright.boosting._error_bands import ErrorBands
from treewright.fitting.classes import ClassAnswers
from treewright.fitting.estimator import in_batches
from treewright.fitting.intervals import IntervalAnswers, shares_of
from treewright.model import Model
from treewright.model.facts import BoosterFacts

__all__ = ["BoostedClassAnswers", "BoostedNumberAnswers", "last_round"]

Floats = NDArray[np.float64]


class BoostedClassAnswers(ClassAnswers):
    """Mixin: the answers of boosters that predict a class."""

    # What the rounds add up to: a score of each class, or that of the second. All rounds or the first ones,
    # and after each of them.
    _scores: Callable[..., Floats]
    _staged_scores: Callable[[Any], Iterator[Floats]]
    # The probabilities that scores stand for.
    _answers: Callable[[Floats], Floats]

    @in_batches
    def predict(self, X: Any, *, n_rounds: int | None = None) -> NDArray[Any]:
        """Return the most probable class of each row; the first one when several are.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        n_rounds : int, optional
            Answer as after so many rounds; by default all rounds count.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            Labels of the type that y had.
        """
        return self._labels(self._scores(X, n_rounds))

    @in_batches
    def predict_proba(self, X: Any, *, n_rounds: int | None = None) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        n_rounds : int, optional
            Answer as after so many rounds; by default all rounds count.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        return self._answers(self._scores(X, n_rounds))

    @in_batches
    def predict_log_proba(self, X: Any, *, n_rounds: int | None = None) -> Floats:
        """Return the natural logarithm of the probability of each class.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        n_rounds : int, optional
            Answer as after so many rounds; by default all rounds count.

        Returns
        -------
        logarithms : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, n_rounds=n_rounds))

    @in_batches
    def decision_function(self, X: Any, *, n_rounds: int | None = None) -> Floats:
        """Return the scores that the trees of all rounds add up to.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        n_rounds : int, optional
            Answer as after so many rounds; by default all rounds count.

        Returns
        -------
        scores : ndarray of shape (n_rows,), or (n_rows, n_classes) for more than two classes
            Of the second class, against the first, or of each.
        """
        return _decision(self._scores(X, n_rounds))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Return `score`, the share of rows whose class is right, after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their classes.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights.

        Yields
        ------
        score : float
            As `score` returns it.
        """
        from sklearn.metrics import accuracy_score  # noqa: PLC0415 - heavy, rarely needed

        for labels in self.staged_predict(X):
            yield float(accuracy_score(y, labels, sample_weight=sample_weight))

    def _class_probabilities(self, X: Any) -> Floats:
        return self.predict_proba(X)

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


class BoostedNumberAnswers(IntervalAnswers, RegressorMixin):
    """Mixin: the answers of boosters that predict a number."""

    model_: Model
    # What the rounds add up to: numbers, in one column. All rounds or the first ones,
    # and after each of them.
    _scores: Callable[..., Floats]
    _staged_scores: Callable[[Any], Iterator[Floats]]
    # The numbers that scores stand for.
    _answers: Callable[[Floats], Floats]

    @in_batches
    def predict(self, X: Any, *, n_rounds: int | None = None) -> Floats:
        """Return the predicted number of each row.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        n_rounds : int, optional
            Answer as after so many rounds; by default all rounds count.

        Returns
        -------
        values : ndarray of shape (n_rows,)
            The numbers; e to the raw score for the losses poisson, gamma and tweedie.
        """
        return self._answers(self._scores(X, n_rounds))[:, 0]

    def predict_quantiles(self, X: Any, q: Any = (0.05, 0.5, 0.95)) -> Floats:
        """Return quantiles of the target for each row; needs ``quantiles=True``.

        The answer of the row plus quantiles of the errors that boosters of the same settings made on training
        rows that they had not seen and that had similar answers (conformal prediction by bands of answers).
        Intervals between two quantiles hold the share of new rows that they say, as long as those are drawn
        like the training rows.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        q : float or sequence of float, default=(0.05, 0.5, 0.95)
            Shares from 0 to 1.

        Returns
        -------
        quantiles : ndarray of shape (n_rows, n_q), or (n_rows,) when q is one number
            Numbers, at least 0 for the losses poisson, gamma and tweedie.
        """
        shares = shares_of(q)
        check_is_fitted(self, "model_")
        bands = ErrorBands.from_arrays(self.model_.arrays)
        if bands is None:
            raise ValueError(
                f"This {type(self).__name__} does not know how large its errors are: fit it with "
                "quantiles=True."
            )
        found = bands.quantiles(self.predict(X), np.atleast_1d(shares))
        if BoosterFacts.of(self.model_).link == "log":
            found = np.maximum(found, 0.0)
        return found if shares.ndim else found[:, 0]

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Return `score`, the coefficient of determination R², after each round.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights.

        Yields
        ------
        score : float
            As `score` returns it.
        """
        from sklearn.metrics import r2_score  # noqa: PLC0415 - heavy, rarely needed

        for values in self.staged_predict(X):
            yield float(r2_score(y, values, sample_weight=sample_weight))

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


def last_round(n_rounds: Any, n_iter: int) -> int:
    """Return how many rounds shall answer; ValueError unless there are so many.

    Parameters
    ----------
    n_rounds : int or None
        What the user passed; None: all.
    n_iter : int
        Rounds of the model.
    """
    if n_rounds is None:
        return n_iter
    if isinstance(n_rounds, bool) or not isinstance(n_rounds, Integral):
        raise TypeError(f"n_rounds must be a number of rounds or None. Got {n_rounds!r}.")
    if not 1 <= int(n_rounds) <= n_iter:
        raise ValueError(f"n_rounds={n_rounds} must be from 1 to {n_iter}, the rounds of the model.")
    return int(n_rounds)


def _decision(scores: Floats) -> Floats:
    """Return one score for two classes, or one for each of several."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
