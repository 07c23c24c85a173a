"""IntervalAnswers: an interval for the target of each row, out of quantiles that an estimator predicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["IntervalAnswers", "interval_shares", "shares_of"]


class IntervalAnswers:
    """Mixin: intervals of estimators that predict quantiles of the target."""

    predict_quantiles: Callable[..., NDArray[np.float64]]

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Return an interval for the target of each row, with the same chance on both sides of it.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        coverage : float, default=0.9
            The share of rows whose target the intervals should hold.

        Returns
        -------
        intervals : ndarray of shape (n_rows, 2)
            Lower and upper end: the quantiles (1 - coverage) / 2 and (1 + coverage) / 2.
        """
        return self.predict_quantiles(X, interval_shares(coverage))


def interval_shares(coverage: Any) -> tuple[float, float]:
    """Return the shares of an interval's ends; ValueError unless the coverage is between 0 and 1.

    Parameters
    ----------
    coverage : float
        What the user passed.
    """
    if not isinstance(coverage, float | int | np.number) or not 0 < coverage < 1:
        raise ValueError(f"coverage must be a number between 0 and 1. Got {coverage!r}.")
    return (1 - coverage) / 2, (1 + coverage) / 2


def shares_of(q: Any) -> NDArray[np.float64]:
    """Return one share or several as an array; ValueError unless all are from 0 to 1.

    Parameters
    ----------
    q : float or sequence of float
        What the user passed.
    """
    shares = np.asarray(q, dtype=np.float64)
    if shares.ndim > 1 or not shares.size or not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError(f"q must be a number from 0 to 1, or several of them. Got {q!r}.")
    return shares
