"""Rows for reduced-error pruning: those that the user passes, or a part of the training rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from treewright.data import encode_labels, encode_numbers, encode_weights, read_table
from treewright.pruning import HeldOut
from treewright.trees._fold_trees import held_out_rows
from treewright.trees._folds import model_selection
from treewright.trees._grown import Grown

__all__ = ["Aside", "divide", "send_down"]


class Aside(NamedTuple):
    """Rows that the tree is not grown on; `classes` are those of the codes in `target`."""

    X: Any
    rows: NDArray[np.intp] | None
    target: NDArray[Any]
    classes: NDArray[Any] | None
    weights: NDArray[np.float64] | None


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
    table = read_table(aside.X, estimator_name=owner, schema=grown.schema)
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


def read_aside(X: Any, y: Any, owner: str, factors: dict[Any, float] | None, *, is_classifier: bool) -> Aside:
    """Read the X_val and y_val of the user.

    Parameters
    ----------
    X, y : object
        The rows.
    owner : str
        Name of the estimator class, for messages.
    factors : dict or None
        Weight of each class; None: 1.
    is_classifier : bool
        Whether y holds classes.
    """
    n_rows = len(np.asarray(y)) if not hasattr(y, "__len__") else len(y)
    if not is_classifier:
        return Aside(X, None, encode_numbers(y, n_rows, estimator_name=owner), None, None)
    labels = encode_labels(y, n_rows, estimator_name=owner)
    weights = None
    if factors is not None:
        weights = np.array([factors.get(label, 1.0) for label in labels.classes.tolist()])[labels.codes]
    return Aside(X, None, labels.codes, labels.classes, weights)


def class_factors(labels: Any, class_weight: Any, priors: Any) -> dict[Any, float] | None:
    """Return what `class_weight` and `priors` make a row of each class weigh; None when nothing is set."""
    if class_weight is None and priors is None:
        return None
    weights = encode_weights(None, len(labels.codes), labels=labels, class_weight=class_weight, priors=priors)
    amounts = np.ones(len(labels.codes)) if weights.keep is None else np.zeros(len(labels.codes))
    amounts[slice(None) if weights.keep is None else weights.keep] = (
        1.0 if weights.values is None else weights.values
    )
    first = np.unique(labels.codes, return_index=True)[1]
    return dict(zip(labels.classes.tolist(), amounts[first].tolist(), strict=True))
