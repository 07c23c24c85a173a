"""What `fit` hands to the engine, for those who ask the engine again: reports and growing by hand."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import is_classifier

from treewright.data import Table, encode_labels, encode_numbers, encode_weights, read_table
from treewright.explain import Training
from treewright.model import Model
from treewright.trees._row_subset import row_subset

if TYPE_CHECKING:
    from treewright.trees._base import SingleTree
    from treewright.trees._classifier import TreeClassifier

__all__ = ["read_training"]

MANY_CELLS = 1_000_000
MOST_THREADS = 4


def read_training(
    estimator: SingleTree,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    model: Model | None = None,
    rows: NDArray[np.intp] | None = None,
) -> Training:
    """Read X, y and weights as the estimator's `fit` does.

    Parameters
    ----------
    estimator : SingleTree
        The estimator, with the parameters of its fit.
    X, y, sample_weight : object
        The rows.
    model : Model or None
        The model that was fitted on them, whose columns and classes they must have; None: they are learned.
    rows : ndarray of int or None
        Which of the rows to read; None: all.
    """
    name = type(estimator).__name__
    y, sample_weight = row_subset(y, rows), row_subset(sample_weight, rows)
    if model is None:
        table = estimator._read(X, rows)
    else:
        table = read_table(X, estimator_name=name, schema=model.schema)
        _check_categories(table)
    if is_classifier(estimator):
        return _class_training(cast("TreeClassifier", estimator), X, table, y, sample_weight, model, rows)
    target = encode_numbers(y, table.n_rows, estimator_name=name)
    weights = encode_weights(sample_weight, table.n_rows)
    if weights.keep is not None:
        table, target = table.take(weights.keep), target[weights.keep]
    return _training(
        estimator, table, target, None, weights.values, estimator._settings(table, weights, None)
    )


def _class_training(
    estimator: TreeClassifier,
    X: Any,
    table: Table,
    y: Any,
    sample_weight: Any,
    model: Model | None,
    rows: NDArray[np.intp] | None,
) -> Training:
    labels = encode_labels(y, table.n_rows, estimator_name=type(estimator).__name__)
    if model is not None and labels.classes.tolist() != _labels(model):
        raise ValueError(
            f"y has the classes {labels.classes.tolist()}, but fit had {_labels(model)}: pass the y of fit."
        )
    weights = encode_weights(
        sample_weight,
        table.n_rows,
        labels=labels,
        class_weight=estimator.class_weight,
        priors=estimator.priors,
    )
    order = estimator._class_codes(labels)
    codes = labels.codes if order is None else np.argsort(order).astype(np.int32)[labels.codes]
    if weights.keep is not None:
        if model is None:
            kept = weights.keep if rows is None else rows[weights.keep]
            table = estimator._kept(X, table, weights.keep, kept)
        else:
            table = table.take(weights.keep)
        codes = codes[weights.keep]
    if model is None:
        table = estimator._prepared(table)
    names = labels.classes if order is None else labels.classes[order]
    settings = estimator._settings(table, weights, len(names)) | estimator._class_settings(labels, codes)
    class_names = tuple(str(label) for label in names.tolist())
    return _training(estimator, table, codes, class_names, weights.values, settings)


def _training(
    estimator: SingleTree,
    table: Table,
    target: Any,
    class_names: tuple[str, ...] | None,
    weights: Any,
    settings: dict[str, Any],
) -> Training:
    known = "max_features" not in settings or isinstance(estimator.random_state, Integral)
    if not known:
        settings = {name: value for name, value in settings.items() if name not in ("max_features", "seed")}
    return Training(
        algorithm=type(estimator).__name__,
        params={name: getattr(estimator, name) for name in estimator._defaults},
        table=table,
        target=target,
        class_names=class_names,
        weights=weights,
        recipe=estimator.recipe,
        settings=settings,
        n_threads=_threads(estimator, table),
        draw_is_known=known,
    )


def _threads(estimator: SingleTree, table: Table) -> int:
    # Somebody waits for a report, and its numbers do not depend on threads: use them unless told otherwise.
    if estimator.n_jobs is not None or table.n_rows * len(table.schema.features) < MANY_CELLS:
        return int(effective_n_jobs(estimator.n_jobs))
    return min(MOST_THREADS, int(effective_n_jobs(-1)))


def _labels(model: Model) -> list[Any]:
    return [] if model.classes is None else model.classes.tolist()


def _check_categories(table: Table) -> None:
    if table.schema.all_numeric:
        return
    columns = table.columns
    for position, feature in enumerate(table.schema.features):
        if feature.kind != "numeric" and (np.asarray(columns[position]) > feature.n_codes).any():
            raise ValueError(
                f"Column {feature.name!r} has categories that fit did not see: pass the X of fit."
            )
