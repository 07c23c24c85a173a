"""ForestNumberAnswers: the mean of the trees, and quantiles of the rows that share their leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright.fitting.estimator import in_batches
from treewright.fitting.intervals import interval_shares, shares_of
from treewright.forests import _record
from treewright.forests._interval_levels import IntervalLevels
from treewright.forests._quantiles import Quantiles
from treewright.model import Model

__all__ = ["ForestNumberAnswers"]


class ForestNumberAnswers(RegressorMixin):
    """Mixin: the answers of forests that predict a number."""

    _encode: Callable[[Any], Any]
    _values: Callable[[Any], NDArray[np.float64]]
    _quantiles_: Quantiles
    model_: Model

    @in_batches
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted number of each row: the mean of the trees.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        values : ndarray of shape (n_rows,)
            The numbers.
        """
        return self._values(X)[:, 0]

    def predict_quantiles(self, X: Any, q: Any = (0.05, 0.5, 0.95)) -> NDArray[np.float64]:
        """Return quantiles of the target for each row (Meinshausen 2006); needs ``quantiles=True``.

        The training rows that share a leaf with the row, over all trees, say how the target is distributed
        there: a quantile is the smallest of their targets that reaches the share q of their weight.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        q : float or sequence of float, default=(0.05, 0.5, 0.95)
            Shares from 0 to 1.

        Returns
        -------
        quantiles : ndarray of shape (n_rows, n_q), or (n_rows,) when q is one number
            Targets of training rows.
        """
        shares = shares_of(q)
        model, matrix, n_threads = self._encode(X)
        if _record.LEAF_ROWS not in model.arrays:
            raise ValueError(
                f"This {type(self).__name__} does not know which rows its leaves have: fit it with "
                "quantiles=True."
            )
        found = self._quantiles_(matrix, np.atleast_1d(shares), n_threads)
        return found if shares.ndim else found[:, 0]

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Return an interval for the target of each row, with the same chance on both sides of it.

        Its ends are quantiles (`predict_quantiles`). With ``bootstrap=True`` trees that did not see a
        training row say where its target lies in their prediction, and the ends are those quantiles between
        which the asked share of such targets lies (conformal prediction); otherwise they are the quantiles
        (1 - coverage) / 2 and (1 + coverage) / 2.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        coverage : float, default=0.9
            The share of rows whose target the intervals should hold.

        Returns
        -------
        intervals : ndarray of shape (n_rows, 2)
            Lower and upper end.
        """
        shares = np.array(interval_shares(coverage))
        check_is_fitted(self, "model_")
        levels = IntervalLevels.from_arrays(self.model_.arrays)
        return self.predict_quantiles(X, shares if levels is None else levels(shares))
