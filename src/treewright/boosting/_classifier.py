"""What boosters that predict a class add to the base."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright.boosting._booster import BaseBooster
from treewright.model import Model
from treewright.model.link import probabilities

__all__ = ["BoostedClassifier"]


class BoostedClassifier(ClassifierMixin, BaseBooster):
    """Base of the boosters that predict a class."""

    _task: ClassVar[str] = "classification"

    classes_: NDArray[Any]
    class_order_: NDArray[Any]
    n_classes_: int

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the raw scores: the start and the trees of all rounds added up.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_rows,), or (n_rows, n_classes) for more than two classes
            Of the second class, or of each.
        """
        return _scores(self._raw(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            Labels of the type that y had.
        """
        return self._labels(self._raw(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
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
        return self._values(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
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

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
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
        return (_scores(raw) for raw in self._staged_raw(X))

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
        return (self._labels(raw) for raw in self._staged_raw(X))

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
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
        return (probabilities(raw, self.model_.facts["link"]) for raw in self._staged_raw(X))

    def _labels(self, raw: NDArray[np.float64]) -> NDArray[Any]:
        best = (raw[:, 0] > 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def _adopt(self, model: Model) -> None:
        if model.classes is None or model.class_order is None:
            raise ValueError("a classifier needs a model with classes")
        super()._adopt(model)
        self.classes_ = model.classes
        self.class_order_ = model.class_order
        self.n_classes_ = len(model.classes)


def _scores(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    return raw[:, 0] if raw.shape[1] == 1 else raw
