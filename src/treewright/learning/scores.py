"""How well a model predicts: scores of rows that are given, or of folds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.model_selection import KFold, StratifiedKFold

from treewright.learning.table import LearningTable

__all__ = ["cross_validated", "folds", "measured"]


def measured(estimator: Any, table: LearningTable, wanted: Sequence[str] = ()) -> dict[str, float]:
    """Return name → score: those asked for, or the usual ones of the task."""
    if wanted:
        return {name: _scorer(name)(estimator, table) for name in wanted}
    if table.task == "regression":
        found = np.asarray(estimator.predict(table.X), dtype=np.float64)
        return {
            "rmse": float(np.sqrt(metrics.mean_squared_error(table.y, found, sample_weight=table.weights))),
            "mae": float(metrics.mean_absolute_error(table.y, found, sample_weight=table.weights)),
            "r2": float(metrics.r2_score(table.y, found, sample_weight=table.weights)),
        }
    classes = estimator.classes_
    y = _as_labels(table.y, classes)
    scores = {
        "accuracy": float(metrics.accuracy_score(y, estimator.predict(table.X), sample_weight=table.weights))
    }
    probability = estimator.predict_proba(table.X)
    known = np.isin(y, classes)
    if known.all():
        scores["log_loss"] = float(
            metrics.log_loss(y, probability, labels=classes, sample_weight=table.weights)
        )
        if len(classes) == 2 and len(np.unique(y)) == 2:
            scores["roc_auc"] = float(
                metrics.roc_auc_score(y == classes[1], probability[:, 1], sample_weight=table.weights)
            )
    return scores


def _as_labels(y: Any, classes: Any) -> Any:
    """Return the labels in the type of the classes: a file holds the text of what may have been numbers."""
    if classes.dtype.kind in "iufb" and y.dtype.kind == "O":
        return np.array([label if isinstance(label, bool | int | float) else str(label) for label in y])
    if classes.dtype.kind in "UTO" and y.dtype.kind in "if":
        return np.array([f"{label:g}" for label in y.tolist()], dtype=object)
    return y.astype(str) if classes.dtype.kind in "UT" and y.dtype.kind == "O" else y


def _scorer(name: str) -> Callable[[Any, LearningTable], float]:
    scorer = metrics.get_scorer(name)

    def score(estimator: Any, table: LearningTable) -> float:
        y = table.y if table.task == "regression" else _as_labels(table.y, estimator.classes_)
        return float(scorer(estimator, table.X, y))

    return score


def cross_validated(
    make: Callable[[], Any],
    table: LearningTable,
    n_folds: int,
    watch: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """Return the mean and the standard error of the usual scores over folds, and the time of a fit.

    Parameters
    ----------
    make : callable
        Returns an estimator that is not fitted.
    table : LearningTable
        The rows.
    n_folds : int
        How many folds.
    watch : callable
        Told how many folds are done, before each of them.
    """
    scores: dict[str, list[float]] = {}
    seconds = []
    for done, (train, test) in enumerate(folds(table, n_folds)):
        watch(done)
        estimator = make()
        part, rest = table.take(train), table.take(test)
        begin = time.perf_counter()
        estimator.fit(part.X, part.target_column(), part.weights)
        seconds.append(time.perf_counter() - begin)
        for name, value in measured(estimator, rest).items():
            scores.setdefault(name, []).append(value)
    found: dict[str, Any] = {
        name: {"mean": float(np.mean(values)), "se": float(np.std(values, ddof=1) / np.sqrt(len(values)))}
        for name, values in scores.items()
    }
    return {"folds": n_folds, "scores": found, "fit_seconds": float(np.mean(seconds))}


def folds(table: LearningTable, n_folds: int) -> list[tuple[Any, Any]]:
    """Return the rows of every fold: shuffled by a fixed seed, classes in equal shares where possible."""
    n_rows = table.X.n_rows
    if n_rows < n_folds:
        raise ValueError(f"{n_folds} folds need at least as many rows; the table has {n_rows}.")
    rows = np.zeros(n_rows)
    if table.task == "classification":
        _, counts = np.unique(table.y.astype(str), return_counts=True)
        if counts.min() >= n_folds:
            splitter: Any = StratifiedKFold(n_folds, shuffle=True, random_state=0)
            return list(splitter.split(rows, table.y.astype(str)))
    splitter = KFold(n_folds, shuffle=True, random_state=0)
    return list(splitter.split(rows))
