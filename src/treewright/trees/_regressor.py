"""What single trees that predict a number add to the base."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright import _core
from treewright.data import (
    check_poisson_target,
    check_squared_error_target,
    encode_numbers,
    encode_weights,
)
from treewright.model import Tree
from treewright.trees._base import SingleTree
from treewright.trees._grown import Grown
from treewright.trees._pruning_plan import FitData
from treewright.trees._row_subset import row_subset
from treewright.trees._single_leaf import warn_if_single_leaf

__all__ = ["TreeRegressor"]


class TreeRegressor(RegressorMixin, SingleTree):
    """Base of the single trees that predict a number."""

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows. Missing values, text and categories are welcome.
        y : array-like of shape (n_rows,)
            The number to predict for each row.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row; rows of weight 0 are left out.
        groups : array-like of shape (n_rows,), optional
            Group of each row. Rows of one group stay together where pruning cross-validates or sets some
            aside.
        X_val, y_val : object, optional
            Rows to prune with, for ``prune="reduced_error"``; by default a part of the rows is set aside.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(FitData(X, y, sample_weight, groups, X_val, y_val))

    def _grow(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        rows: NDArray[np.intp] | None = None,
        warn: bool = True,
    ) -> Grown:
        table = self._read(X, rows)
        y, sample_weight = row_subset(y, rows), row_subset(sample_weight, rows)
        n_rows_read = table.n_rows
        target = encode_numbers(y, table.n_rows, estimator_name=type(self).__name__)
        weights = encode_weights(sample_weight, table.n_rows)
        if weights.keep is not None:
            table, target = table.take(weights.keep), target[weights.keep]
            rows = weights.keep if rows is None else rows[weights.keep]
        if self.criterion == "poisson":
            check_poisson_target(target)
        elif self.criterion == "squared_error":
            check_squared_error_target(target, weights.values)
        settings = self._settings(table, weights, None)
        n_threads = effective_n_jobs(self.n_jobs)
        dataset, schema = table.to_dataset(self.recipe.max_bins, n_threads), table.schema
        del table  # encoded: while the tree grows its columns only take up memory
        plan = self.recipe.plan(**settings)
        arrays = _core.grow_means(dataset, target, weights.values, plan, n_threads)
        if warn:
            warn_if_single_leaf(arrays, self, settings["min_rows_leaf"])
        tree = Tree(arrays, schema.n_codes)
        outputs = {"task": "regression"}
        return Grown(tree, tree.n_leaves, schema, outputs, target, n_rows_read, rows, weights.values)

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
