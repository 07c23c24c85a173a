"""What boosters that predict a number add to the base."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.boosting._booster import BaseBooster
from treewright.model.link import answers

__all__ = ["BoostedRegressor"]


class BoostedRegressor(RegressorMixin, BaseBooster):
    """Base of the boosters that predict a number."""

    _task: ClassVar[str] = "regression"

    def predict(self, X: Any) -> NDArray[np.float64]:
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
        return self._values(X)[:, 0]

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
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
        return (answers(raw, self.model_.facts["link"])[:, 0].copy() for raw in self._staged_raw(X))
