"""Shapley values of an estimator's rows, a batch after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from treewright.data import read_table
from treewright.explain.prediction import check_one_row
from treewright.explain.shap import (
    ShapReport,
    WorkedShapReport,
    checked_output,
    class_codes,
    counts_rows,
    explain_shap,
    game_of,
    is_bent,
    prepare_background,
    read_offset,
    shap_values,
)

__all__ = ["ShapQuestion", "checked_size", "shap_batches", "worked_shap"]


def checked_size(batch_size: Any) -> int:
    """Return the rows of a batch; ValueError unless it is a whole number."""
    is_whole = isinstance(batch_size, Integral) and not isinstance(batch_size, bool)
    if not is_whole or batch_size < 1:
        raise ValueError(f"batch_size must be a whole number of at least 1, got {batch_size!r}.")
    return int(batch_size)


@dataclass(frozen=True)
class ShapQuestion:
    """What is asked about every row.

    Attributes
    ----------
    interactions : bool
        Whether pairs of features are looked at, too.
    background : object
        Rows that stand for what is not known; None: the training rows on their ways through the trees.
    output : {"raw", "probability", "log_loss"}
        What is explained.
    offset : array-like or None
        Raw scores of the rows.
    feature_names : sequence of str or None
        Names to show.
    """

    interactions: bool
    background: Any
    output: Any
    offset: Any
    feature_names: Sequence[str] | None


def shap_batches(
    estimator: Any, X: Any, y: Any, batch_size: int | None, asked: ShapQuestion
) -> Iterator[ShapReport]:
    """Return reports about so many rows each; None: about all of them.

    Parameters
    ----------
    estimator : Estimator
        The fitted estimator.
    X : object
        The rows.
    y : array-like or None
        Their classes, for ``output="log_loss"``.
    batch_size : int or None
        Rows of a report.
    asked : ShapQuestion
        What is asked about every row.
    """
    if "model_" not in estimator.__dict__:
        check_is_fitted(estimator)
    model, owner = estimator.model_, type(estimator).__name__
    table = read_table(X, estimator_name=owner, schema=model.schema)
    game, notes, n_rows = game_of(model, estimator._node_values), estimator._shap_notes(), table.n_rows
    background, offset = asked.background, asked.offset
    output = checked_output(model, game, asked.output, background is not None, y is not None, bool(notes))
    if asked.interactions and is_bent(game, output):
        raise ValueError("Interactions are defined for sums of trees: use output='raw'.")
    if offset is not None and model.aggregation != "sum":
        raise ValueError(f"{owner} has no raw score to add an offset to: leave it out.")
    offsets = None if offset is None else read_offset(offset, n_rows, game.n_outputs)
    codes = class_codes(model, y, n_rows) if output == "log_loss" else None
    n_threads = 1 if n_rows < 2 and background is None else int(effective_n_jobs(estimator.n_jobs))
    prepared = None
    if background is not None:
        if hasattr(background, "__len__") and not hasattr(background, "nnz") and not len(background):
            raise ValueError("background has no rows: pass some, e.g. 100 rows of the training data.")
        others = read_table(background, estimator_name=owner, schema=model.schema).to_matrix()
        prepared = prepare_background(game, others, n_threads)
    size = n_rows if batch_size is None else batch_size
    for begin in range(0, n_rows, size):
        rows = slice(begin, min(begin + size, n_rows))
        batch = table if size >= n_rows else table.take(np.arange(n_rows)[rows])
        yield shap_values(
            model,
            game,
            batch.to_matrix(),
            n_threads,
            interactions=asked.interactions,
            background=prepared,
            output=output,
            codes=None if codes is None else codes[rows],
            offset=None if offsets is None else offsets[rows],
            sums_to_one=estimator._sums_to_one,
            notes=notes,
            feature_names=asked.feature_names,
            X=X,
        )


def worked_shap(
    estimator: Any, X: Any, tree: int | None, label: Any, feature_names: Sequence[str] | None
) -> WorkedShapReport:
    """Return the arithmetic of the Shapley values of one row and one tree.

    Parameters
    ----------
    estimator : Estimator
        The fitted estimator.
    X : object
        The row.
    tree : int or None
        Number of the tree; None: the only one.
    label : object
        Which class; None: the one that the tree finds most probable.
    feature_names : sequence of str or None
        Names to show.
    """
    model, matrix, _ = estimator._encode(X)
    check_one_row(matrix)
    number = model.tree_number(tree)
    own = estimator._node_values() if model.aggregation in ("one", "mean") else None
    values = np.asarray(model.trees[number].to_arrays()["value"] if own is None else own[number], np.float64)
    column, name = 0, None
    if values.shape[1] > 1:
        labels = [] if model.classes is None else model.classes.tolist()
        if label is not None and label not in labels:
            raise ValueError(f"label={label!r} is none of the classes of the fit: {labels}.")
        answer = values[model.apply(matrix)[0, number]]
        column = int(answer.argmax()) if label is None else labels.index(label)
        name = str(labels[column])
    elif label is not None:
        raise ValueError(
            "The leaves of this tree hold one number and not one for each class: leave label out."
        )
    meaning = "probability" if name is not None else "score" if model.aggregation == "sum" else "prediction"
    return explain_shap(
        model,
        matrix,
        values,
        meaning=meaning,
        by_rows=model.aggregation == "sum" and counts_rows(model),
        tree=number,
        column=column,
        label=name,
        feature_names=feature_names,
        X=X,
    )
