"""Rows for reduced-error pruning: those that the user passes, or a part of the training rows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from treewright.data import encode_labels, encode_numbers, read_table
from treewright.fitting.rows import TrainingRows
from treewright.pruning import HeldOut
from treewright.trees._folds import held_out_rows, integer_seed, model_selection, read_groups
from treewright.trees.growing import Grown

if TYPE_CHECKING:
    from treewright.trees.pruning_plan import FitData
    from treewright.trees.single_tree import SingleTree

__all__ = ["Aside", "divide", "rows_left", "send_down", "set_aside"]


class Aside(NamedTuple):
    """Rows that the tree is not grown on; `classes` are those of the codes in `target`.

    `facts` are what the model keeps of rows that were taken from those of the fit.
    """

    X: Any
    rows: NDArray[np.intp] | None
    target: NDArray[Any]
    classes: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    facts: Mapping[str, int | None] = MappingProxyType({})


def set_aside(estimator: SingleTree, data: FitData) -> tuple[NDArray[np.intp] | None, Aside]:
    """Return the rows to grow on (None: all) and the others."""
    if data.X_val is not None:
        return None, _read_aside(estimator, data)
    rows = estimator._read(data.X, data.y, data.sample_weight)
    groups = read_groups(data.groups, rows.n_rows_read)
    if rows.kept is not None and groups is not None:
        groups = groups[rows.kept]
    codes = None if rows.classes is None else rows.target
    seed = integer_seed(estimator.random_state)
    train, aside = divide(float(estimator.validation_fraction), codes, rows.n_rows, groups, seed)
    kept = np.arange(rows.n_rows) if rows.kept is None else rows.kept
    weights = None if rows.weights is None else rows.weights[aside]
    facts = {"aside_rows": len(aside), "aside_seed": seed if groups is None else None}
    return kept[train], Aside(data.X, kept[aside], rows.target[aside], rows.classes, weights, facts)


def rows_left(estimator: SingleTree, rows: TrainingRows, seed: int) -> NDArray[np.intp]:
    """Return those of X that a fit grew on, which set some aside by this seed.

    Parameters
    ----------
    estimator : SingleTree
        With the parameters of the fit.
    rows : TrainingRows
        All rows of the fit.
    seed : int
        As the model keeps it.
    """
    codes = None if rows.classes is None else rows.target
    train, _ = divide(float(estimator.validation_fraction), codes, rows.n_rows, None, seed)
    return train if rows.kept is None else rows.kept[train]


def divide(
    fraction: float, codes: NDArray[Any] | None, n_rows: int, groups: NDArray[Any] | None, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows to grow on and those to set aside: the same part of each class, and one row left of it.

    Parameters
    ----------
    fraction : float
        Part of the rows to set aside.
    codes : ndarray of int or None
        Class of each row; None for regression.
    n_rows : int
        Number of rows.
    groups : ndarray or None
        Group of each row: groups stay together, whatever the classes.
    seed : int
        What draws.
    """
    if groups is not None:
        if len(np.unique(groups)) < 2:
            raise ValueError("Setting rows aside needs at least two groups: pass X_val and y_val instead.")
        splitter = model_selection().GroupShuffleSplit(1, test_size=fraction, random_state=seed)
        train, test = next(splitter.split(np.zeros((n_rows, 1)), groups=groups))
        return np.sort(train), np.sort(test)
    shuffled = np.random.RandomState(seed).permutation(n_rows)
    parts = (
        [shuffled]
        if codes is None
        else [shuffled[codes[shuffled] == code] for code in range(int(codes.max()) + 1)]
    )
    taken = [part[: min(len(part) - 1, round(fraction * len(part)))] for part in parts if len(part)]
    aside = np.sort(np.concatenate(taken))
    if len(aside) == 0:
        raise ValueError(
            f"validation_fraction={fraction!r} sets none of {n_rows} rows aside: pass a larger one, or X_val "
            "and y_val."
        )
    return np.setdiff1d(np.arange(n_rows), aside), aside


def send_down(grown: Grown, aside: Aside, owner: str, n_jobs: int | None) -> HeldOut:
    """Send the rows down the tree."""
    table = read_table(aside.X, estimator_name=owner, schema=grown.rows.schema)
    if aside.rows is not None:
        table = table.take(aside.rows)
    elif table.n_rows != len(aside.target):
        raise ValueError(
            "X_val and y_val have inconsistent numbers of samples: "
            f"{table.n_rows} rows and {len(aside.target)} targets."
        )
    target = aside.target
    if aside.classes is not None:
        target = grown.columns_of(aside.classes, target)
    return held_out_rows(grown, table.to_matrix(), target, aside.weights, effective_n_jobs(n_jobs))


def _read_aside(estimator: SingleTree, data: FitData) -> Aside:
    """Read the X_val and y_val of the user."""
    owner, y = type(estimator).__name__, data.y_val
    n_rows = len(np.asarray(y)) if not hasattr(y, "__len__") else len(y)
    if estimator._task == "regression":
        return Aside(data.X_val, None, encode_numbers(y, n_rows, estimator_name=owner), None, None)
    labels = encode_labels(y, n_rows, estimator_name=owner)
    weights = None
    if estimator.class_weight is not None or estimator.priors is not None:
        # Without the weights of single rows, which say nothing about these rows.
        factors = _class_factors(estimator._read(data.X, data.y))
        weights = np.array([factors.get(label, 1.0) for label in labels.classes.tolist()])[labels.codes]
    return Aside(data.X_val, None, labels.codes, labels.classes, weights)


def _class_factors(rows: TrainingRows) -> dict[Any, float]:
    """Return what `class_weight` and `priors` make a row of each class weigh."""
    assert rows.classes is not None, "asked for classes only"
    factors = np.zeros(len(rows.classes))
    factors[rows.target] = 1.0 if rows.weights is None else rows.weights  # equal within a class
    return dict(zip(rows.classes.tolist(), factors.tolist(), strict=True))
