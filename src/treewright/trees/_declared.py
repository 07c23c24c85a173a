"""What ID3 and C4.5 add: classes and categories that y and X declare count, whether or not a row has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Labels, Table
from treewright.model import Model
from treewright.trees._classifier import TreeClassifier

__all__ = ["DeclaredTreeClassifier"]


class DeclaredTreeClassifier(TreeClassifier):
    """Base of the trees that know all classes and categories beforehand, as Quinlan's programs do.

    The declared order of the classes breaks ties, and a row of weight 0 declares nothing.
    """

    # For each class in declared order its position in `classes_`; None when both orders are the same.
    _tie_order_: NDArray[np.int32] | None

    def _class_codes(self, labels: Labels) -> NDArray[np.int32] | None:
        return _declared_order(labels.ranks) if labels.declared else None

    def _kept(self, X: Any, table: Table, places: NDArray[np.intp], rows: NDArray[np.intp]) -> Table:
        # Categories are collected from the rows again: the others may have had some of their own.
        return self._read(X, rows)

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        position = {label: place for place, label in enumerate(self.class_order_.tolist())}
        try:
            ranks = [position[label] for label in self.classes_.tolist()]
        except KeyError:
            raise ValueError("a class is not among the declared ones") from None
        self._tie_order_ = _declared_order(np.array(ranks, dtype=np.intp))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; the first of `class_order_` when several are.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            Labels of the type that y had.
        """
        model, matrix, n_threads = self._encode(X)
        values = self._compared(model.values(matrix, n_threads))
        order = self._tie_order_
        best = values.argmax(axis=1) if order is None else order[values[:, order].argmax(axis=1)]
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def _compared(self, values: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class sums in the precision in which the algorithm compares them."""
        return values


def _declared_order(ranks: NDArray[np.intp]) -> NDArray[np.int32] | None:
    order = np.argsort(ranks).astype(np.int32)
    return None if np.array_equal(order, np.arange(len(order))) else order
