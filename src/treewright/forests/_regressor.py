"""What forests that predict a number add to the base: the mean, and quantiles of the leaves' rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import InvalidParameterError

from treewright.data import check_poisson_target, check_squared_error_target
from treewright.forests import _state
from treewright.forests._classifier import warn_of_unanswered
from treewright.forests._forest import BaseForest
from treewright.forests._out_of_bag import score_of
from treewright.forests._quantiles import Quantiles
from treewright.forests._rows import TrainingRows
from treewright.model import Model
from treewright.trees import CARTRegressor
from treewright.trees._base import SingleTree

__all__ = ["ForestRegressor"]


class ForestRegressor(RegressorMixin, BaseForest):
    """Base of the forests that predict a number."""

    _task: ClassVar[str] = "regression"
    _tree_class: ClassVar[type[SingleTree]] = CARTRegressor

    oob_prediction_: NDArray[np.float64]
    _quantiles_: Quantiles

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
        shares = np.asarray(q, dtype=np.float64)
        if shares.ndim > 1 or not shares.size or not np.all((shares >= 0) & (shares <= 1)):
            raise ValueError(f"q must be a number from 0 to 1, or several of them. Got {q!r}.")
        model, matrix, n_threads = self._encode(X)
        if _state.LEAF_ROWS not in model.arrays:
            raise ValueError(
                f"This {type(self).__name__} does not know which rows its leaves have: fit it with "
                "quantiles=True."
            )
        found = self._quantiles_(matrix, np.atleast_1d(shares), n_threads)
        return found if shares.ndim else found[:, 0]

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
        if not isinstance(coverage, float | int | np.number) or not 0 < coverage < 1:
            raise ValueError(f"coverage must be a number between 0 and 1. Got {coverage!r}.")
        return self.predict_quantiles(X, ((1 - coverage) / 2, (1 + coverage) / 2))

    def _validate_params(self) -> None:
        if getattr(self, "criterion", None) == "friedman_mse":
            raise InvalidParameterError(
                f"The 'criterion' parameter of {type(self).__name__} does not know 'friedman_mse': it always "
                "chose the same splits as 'squared_error'. Use criterion='squared_error'."
            )
        super()._validate_params()

    def _read(self, X: Any, y: Any, sample_weight: Any, earlier: Model | None) -> TrainingRows:
        rows = super()._read(X, y, sample_weight, earlier)
        criterion = self._tree_params().get("criterion")
        if criterion == "poisson":
            check_poisson_target(rows.target)
        elif criterion == "squared_error":
            check_squared_error_target(rows.target, rows.weights)
        return rows

    def _out_of_bag_facts(
        self, values: NDArray[np.float64], rows: TrainingRows
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        warn_of_unanswered(np.isfinite(values[:, 0]))
        metric = self.oob_score if callable(self.oob_score) else None
        whole = values
        if rows.kept is not None:
            whole = np.full((rows.n_rows_read, 1), np.nan)
            whole[rows.kept] = values
        return {"oob_score": score_of(values, rows.target, False, metric)}, {_state.OOB: whole}

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        self._quantiles_ = Quantiles(model, self._bags_[0])
        if _state.OOB in model.arrays:
            self.oob_prediction_ = model.arrays[_state.OOB][:, 0]
        else:
            self.__dict__.pop("oob_prediction_", None)
