"""ClassAnswers: labels and probabilities, as every classifier answers with them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import InvalidOperation
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright.fitting.estimator import in_batches

__all__ = ["ClassAnswers", "choice_of"]

Floats = NDArray[np.float64]


class ClassAnswers(ClassifierMixin):
    """Mixin: an estimator that predicts one of the classes that y had.

    An algorithm says how probable the classes are (`_class_probabilities`). Where its prediction does not
    follow from that alone, it also says what is compared (`_class_scores`) and how (`_chosen_classes`).
    """

    _task: ClassVar[str] = "classification"

    # The model's, as `Estimator` has taken them over.
    classes_: NDArray[Any]
    # How probable the classes are.
    _class_probabilities: Callable[[Any], Floats]

    @in_batches
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; the first one when several are.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            Labels of the type that y had.
        """
        return self._labels(self._class_scores(X))

    @in_batches
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        return self._class_probabilities(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class is predicted right.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Their classes.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        accuracy : float
            From 0 to 1.
        """
        try:
            return float(super().score(X, y, sample_weight))
        except InvalidOperation as error:  # scikit-learn sorts the labels
            raise ValueError("y holds a value that is not a number: a signalling NaN.") from error

    @in_batches
    def predict_log_proba(self, X: Any) -> Floats:
        """Return the natural logarithm of the probability of each class.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        logarithms : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _class_scores(self, X: Any) -> Floats:
        """Return what the prediction compares."""
        return self.predict_proba(X)

    def _chosen_classes(self, scores: Floats) -> NDArray[np.intp]:
        """Return the position in `classes_` that each row of scores stands for."""
        return np.asarray(scores.argmax(axis=1), dtype=np.intp)

    def _labels(self, scores: Floats) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[self._chosen_classes(scores)]
        return labels


def choice_of(estimator: Any) -> Callable[[Floats], NDArray[np.intp]]:
    """Return how an estimator chooses a class; who predicts numbers is never asked.

    Parameters
    ----------
    estimator : object
        Any estimator of the library.
    """
    return estimator._chosen_classes if isinstance(estimator, ClassAnswers) else _no_classes


def _no_classes(scores: Floats) -> NDArray[np.intp]:
    raise AssertionError("numbers have no classes to choose from")
