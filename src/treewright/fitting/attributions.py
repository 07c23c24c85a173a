"""Shapley values of an estimator's rows, a batch after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from treewright.data import read_table
from treewright.explain.shap import ShapReport, read_offset, shap_values

if TYPE_CHECKING:
    from treewright.fitting.estimator import Estimator

__all__ = ["checked_size", "shap_batches"]


def checked_size(batch_size: Any) -> int:
    """Return the rows of a batch; ValueError unless it is a whole number."""
    is_whole = isinstance(batch_size, Integral) and not isinstance(batch_size, bool)
    if not is_whole or batch_size < 1:
        raise ValueError(f"batch_size must be a whole number of at least 1, got {batch_size!r}.")
    return int(batch_size)


def shap_batches(
    estimator: Estimator,
    X: Any,
    batch_size: int | None,
    interactions: bool,
    offset: Any,
    feature_names: Sequence[str] | None,
) -> Iterator[ShapReport]:
    """Return reports about so many rows each; None: about all of them.

    Parameters
    ----------
    estimator : Estimator
        The fitted estimator.
    X : object
        The rows.
    batch_size : int or None
        Rows of a report.
    interactions : bool
        Whether pairs of features are looked at, too.
    offset : array-like or None
        Raw scores of the rows.
    feature_names : sequence of str or None
        Names to show.
    """
    if "model_" not in estimator.__dict__:
        check_is_fitted(estimator)
    model = estimator.model_
    table = read_table(X, estimator_name=type(estimator).__name__, schema=model.schema)
    game = estimator._game()
    if offset is not None and model.aggregation != "sum":
        raise ValueError(f"{type(estimator).__name__} has no raw score to add an offset to: leave it out.")
    n_rows = table.n_rows
    offsets = None if offset is None else read_offset(offset, n_rows, game.n_outputs)
    size = n_rows if batch_size is None else batch_size
    n_threads = 1 if n_rows < 2 else int(effective_n_jobs(estimator.n_jobs))
    for begin in range(0, n_rows, size):
        end = min(begin + size, n_rows)
        batch = table if size >= n_rows else table.take(np.arange(begin, end))
        yield shap_values(
            model,
            game,
            batch.to_matrix(),
            n_threads,
            interactions=interactions,
            offset=None if offsets is None else offsets[begin:end],
            sums_to_one=estimator._sums_to_one,
            notes=estimator._shap_notes(),
            feature_names=feature_names,
            X=X,
        )
