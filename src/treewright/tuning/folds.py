"""Folds: rows of any table divided several times, and how well an estimator predicts what it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_consistent_length

__all__ = ["Fold", "Score", "make_folds", "score_of"]

#: A fitted estimator and a fold → its score on the rows held out; more is better.
Score: TypeAlias = Callable[[Any, "Fold"], float]
LEAST = np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to learn from and rows to be judged by, with targets and weights."""

    X: Any
    y: Any
    weights: NDArray[Any] | None
    X_out: Any
    y_out: Any
    weights_out: NDArray[Any] | None

    def fit(self, estimator: Any) -> None:
        """Fit on the rows to learn from."""
        if self.weights is None:
            estimator.fit(self.X, self.y)
        else:
            estimator.fit(self.X, self.y, sample_weight=self.weights)


def make_folds(X: Any, y: Any, weights: Any, *, n_folds: int, is_classes: bool, seed: int) -> list[Fold]:
    """Divide rows into folds, classes in equal shares where possible.

    Parameters
    ----------
    X, y, weights : object
        The rows, as `fit` takes them.
    n_folds : int
        How many.
    is_classes : bool
        Whether targets are classes.
    seed : int
        Of the order of the rows.
    """
    check_consistent_length(X, y, weights)
    labels = np.asarray(y)
    n_rows = len(labels)
    if n_rows < 2 * n_folds:
        raise ValueError(
            f"{n_folds} folds need at least {2 * n_folds} rows, X has {n_rows}: pass a smaller cv."
        )
    splitter: Any = KFold(n_folds, shuffle=True, random_state=seed)
    parts = splitter.split(np.zeros(n_rows))
    if is_classes:
        _, codes, counts = np.unique(labels.astype(str), return_inverse=True, return_counts=True)
        if counts.min() >= n_folds:
            splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
            parts = splitter.split(np.zeros(n_rows), codes)
    given = None if weights is None else np.asarray(weights, dtype=np.float64)
    return [
        Fold(
            _taken(X, learned),
            _taken(y, learned),
            None if given is None else given[learned],
            _taken(X, held_out),
            _taken(y, held_out),
            None if given is None else given[held_out],
        )
        for learned, held_out in parts
    ]


def _taken(values: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table or some values of a column, in the kind that they have."""
    native = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series):
        return native[rows].to_native()
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    if isinstance(values, np.ndarray):
        return values[rows]
    return [values[row] for row in rows]


def score_of(scoring: Any, *, is_classes: bool) -> tuple[str, Score]:
    """Return the name of a score and what computes it; more is better.

    Parameters
    ----------
    scoring : str, callable or None
        A scorer of scikit-learn or its name; None: minus the log loss, or minus the root of the mean squared
        error.
    is_classes : bool
        Whether targets are classes.
    """
    if scoring is None:
        return ("log loss", _log_loss) if is_classes else ("RMSE", _root_mean_square)
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    if not callable(scorer):
        raise TypeError(f"scoring must be the name of a scorer, a scorer or None. Got {scoring!r:.80}.")

    def score(estimator: Any, fold: Fold) -> float:
        if fold.weights_out is None:
            return float(scorer(estimator, fold.X_out, fold.y_out))
        return float(scorer(estimator, fold.X_out, fold.y_out, sample_weight=fold.weights_out))

    return scoring if isinstance(scoring, str) else "score", score


def _log_loss(estimator: Any, fold: Fold) -> float:
    shares = estimator.predict_proba(fold.X_out)
    place = {label: number for number, label in enumerate(estimator.classes_.tolist())}
    truth = np.asarray(fold.y_out)
    labels = truth.tolist() if truth.dtype.kind != "O" else list(truth)
    # A class that only rows held out have was given no chance at all.
    given = np.array(
        [shares[row, place[label]] if label in place else 0.0 for row, label in enumerate(labels)]
    )
    return float(np.average(np.log(np.clip(given, LEAST, 1.0)), weights=fold.weights_out))


def _root_mean_square(estimator: Any, fold: Fold) -> float:
    errors = estimator.predict(fold.X_out) - np.asarray(fold.y_out, dtype=np.float64)
    return -float(np.sqrt(np.average(errors**2, weights=fold.weights_out)))
