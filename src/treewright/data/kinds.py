"""The parameter `categorical_features`: which rule decides the kind of each column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np

from treewright.data.column import Array

# dtype: whatever the column's own type says · nominal: categories without order, whatever the type
# ordered: numbers, or the declared order of an ordered categorical · number: numbers only
Rule: TypeAlias = Literal["dtype", "nominal", "ordered", "number"]


def column_rules(categorical_features: Any, names: Array | None, n_features: int) -> list[Rule]:
    """Return one rule per column.

    Parameters
    ----------
    categorical_features : "from_dtype", None, or array-like of bool, int or str
        The user's choice.
    names : ndarray of str or None
        Column names of the table.
    n_features : int
        Number of columns.
    """
    if categorical_features is None:
        return ["number"] * n_features
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(
                'categorical_features must be "from_dtype", None, or a list of column names, column '
                "positions or "
                f"booleans. Got {categorical_features!r} instead."
            )
        return ["dtype"] * n_features
    rules: list[Rule] = ["ordered"] * n_features
    for position in listed_columns(categorical_features, names, n_features):
        rules[position] = "nominal"
    return rules


def listed_columns(
    chosen: Any, names: Array | None, n_features: int, parameter: str = "categorical_features"
) -> Iterable[int]:
    """Return the positions of columns that a parameter lists by name, by position or as a mask.

    Parameters
    ----------
    chosen : array-like of bool, int or str
        The user's choice.
    names : ndarray of str or None
        Column names of the table.
    n_features : int
        Number of columns.
    parameter : str, default="categorical_features"
        Name of the parameter, for messages.
    """
    array = np.asarray(chosen)
    if array.size == 0:
        return []
    kind = array.dtype.kind
    if array.ndim != 1 or kind not in "biuUO":
        raise ValueError(f"{parameter} must be an array-like of bool, int or str, got: {array.dtype.name}.")
    if kind == "O" and not all(isinstance(item, str) for item in array):
        types = ", ".join(sorted({type(item).__name__ for item in array}))
        raise ValueError(f"{parameter} must be an array-like of bool, int or str, got: {types}.")
    if kind in "UO":
        return _named_positions(array, names, parameter)
    if kind == "b":
        if array.shape != (n_features,):
            raise ValueError(
                f"{parameter} set as a boolean mask must have shape (n_features,), "
                f"got: {array.shape} for {n_features} features"
            )
        return np.flatnonzero(array).tolist()
    if array.max() >= n_features or array.min() < 0:
        wrong = next(position for position in array.tolist() if not 0 <= position < n_features)
        raise ValueError(
            f"{parameter} set as integer indices must be in [0, n_features - 1], "
            f"got: {wrong} for {n_features} features"
        )
    return array.tolist()  # type: ignore[no-any-return]


def _named_positions(chosen: Array, names: Array | None, parameter: str) -> list[int]:
    if names is None:
        raise ValueError(
            f"{parameter} should be passed as an array of integers or as a boolean mask when the "
            "model is fitted on data without feature names."
        )
    position = {name: i for i, name in enumerate(names.tolist())}
    for name in chosen.tolist():
        if name not in position:
            raise ValueError(
                f"{parameter} has an item value {name!r} which is not a valid feature name of the "
                f"training data. Observed feature names: {names.tolist()}"
            )
    return [position[name] for name in chosen.tolist()]
