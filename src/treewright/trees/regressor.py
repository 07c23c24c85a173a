"""What single trees that predict a number add."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.criteria import check_target
from treewright.fitting.estimator import in_batches
from treewright.fitting.rows import TrainingRows
from treewright.trees.single_tree import SingleTree

__all__ = ["TreeRegressor"]


class TreeRegressor(RegressorMixin, SingleTree):
    """Base of the single trees that predict a number."""

    _task: ClassVar[str] = "regression"

    def _check_target(self, rows: TrainingRows) -> None:
        check_target(self.criterion, rows.target, rows.weights)

    @in_batches
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted number of each row.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        values : ndarray of shape (n_rows,)
            The value of the leaf each row falls into.
        """
        model, matrix, n_threads = self._encode(X)
        return model.values(matrix, n_threads)[:, 0]
