"""What forests that predict a class add to the base: probabilities, votes, calibration."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright.forests import _state
from treewright.forests._calibration import Calibration
from treewright.forests._forest import BaseForest
from treewright.forests._out_of_bag import score_of
from treewright.forests._rows import TrainingRows
from treewright.model import Model
from treewright.trees import CARTClassifier
from treewright.trees._base import SingleTree
from treewright.user_line import warn_user

__all__ = ["ForestClassifier", "warn_of_unanswered"]


class ForestClassifier(ClassifierMixin, BaseForest):
    """Base of the forests that predict a class."""

    _task: ClassVar[str] = "classification"
    _tree_class: ClassVar[type[SingleTree]] = CARTClassifier

    calibration_method: str

    classes_: NDArray[Any]
    class_order_: NDArray[Any]
    n_classes_: int
    oob_decision_function_: NDArray[np.float64]
    _calibration_: Calibration | None

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
        best = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class: mean or votes of the trees, calibrated if asked for.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        values = self._values(X)
        return values if self._calibration_ is None else self._calibration_(values)

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

    def _out_of_bag_facts(
        self, values: NDArray[np.float64], rows: TrainingRows
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        facts: dict[str, Any] = {}
        known = np.isfinite(values[:, 0])
        warn_of_unanswered(known)
        if self.calibrate and known.any():
            weights = None if rows.weights is None else rows.weights[known]
            learned = Calibration.learned(self.calibration_method, values[known], rows.target[known], weights)
            facts["calibration"] = learned.to_facts()
        if not self.oob_score:
            return facts, {}
        metric = self.oob_score if callable(self.oob_score) else None
        facts["oob_score"] = score_of(values, rows.target, True, metric)
        whole = values
        if rows.kept is not None:
            whole = np.full((rows.n_rows_read, values.shape[1]), np.nan)
            whole[rows.kept] = values
        return facts, {_state.OOB: whole}

    def _adopt(self, model: Model) -> None:
        if model.classes is None or model.class_order is None:
            raise ValueError("a classifier needs a model with classes")
        calibration = model.facts.get("calibration")
        self._calibration_ = (
            None if calibration is None else Calibration.from_facts(calibration, len(model.classes))
        )
        super()._adopt(model)
        self.classes_ = model.classes
        self.class_order_ = model.class_order
        self.n_classes_ = len(model.classes)
        if _state.OOB in model.arrays:
            self.oob_decision_function_ = model.arrays[_state.OOB]
        else:
            self.__dict__.pop("oob_decision_function_", None)


def warn_of_unanswered(known: NDArray[np.bool_]) -> None:
    """Warn when rows were in the bags of all trees."""
    if known.all():
        return
    warn_user(
        f"{int(np.count_nonzero(~known))} of {len(known)} rows are in the bag of every tree and do not have "
        "out-of-bag predictions (NaN). Grow more trees."
    )
