"""Labels, features, weights and counts, checked and brought into one form."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Missing", "SplitCounts", "class_counts", "split_counts", "weighted", "x_log_x"]

Missing = Literal["value", "fraction", "omit"]
Floats = NDArray[np.float64]


class SplitCounts(NamedTuple):
    """A split as weights.

    Attributes
    ----------
    table : ndarray of shape (n_branches, n_classes)
        Weight of each class in each branch.
    unknown : float
        Weight of the rows whose branch is not known.
    """

    table: Floats
    unknown: float


def weighted(values: ArrayLike, sample_weight: ArrayLike | None) -> tuple[NDArray[Any], Floats]:
    """Return values and weights as arrays of the same length, or say what is wrong with them."""
    array = np.asarray(values)
    weights = np.ones(len(array)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if array.ndim != 1 or weights.shape != array.shape:
        raise ValueError(
            f"Expected 1-D values and one weight for each; got {array.shape} and {weights.shape}."
        )
    if not weights.sum() > 0 or (weights < 0).any():
        raise ValueError("Weights must not be negative and their sum must be positive.")
    return array, weights


def class_counts(
    labels: ArrayLike | None, sample_weight: ArrayLike | None, counts: ArrayLike | None
) -> Floats:
    """Return the weight of each class."""
    if counts is not None:
        if labels is not None or sample_weight is not None:
            raise ValueError("Pass labels (with weights) or counts, not both.")
        return _checked(counts, 1)
    if labels is None:
        raise ValueError("Pass labels or counts.")
    array, weights = weighted(labels, sample_weight)
    if _is_missing(array).any():
        raise ValueError("A label is missing; drop such rows first.")
    totals: Floats = np.bincount(np.unique(array, return_inverse=True)[1], weights).astype(np.float64)
    return totals


def split_counts(
    labels: ArrayLike | None,
    feature: ArrayLike | None,
    sample_weight: ArrayLike | None,
    counts: ArrayLike | None,
    missing: Missing,
) -> SplitCounts:
    """Return the weight of each class in each branch."""
    if missing not in ("value", "fraction", "omit"):
        raise ValueError(f"missing must be 'value', 'fraction' or 'omit', got {missing!r}.")
    if counts is not None:
        if labels is not None or feature is not None or sample_weight is not None:
            raise ValueError("Pass labels and feature (with weights) or counts, not both.")
        return SplitCounts(_checked(counts, 2), 0.0)
    if labels is None or feature is None:
        raise ValueError("Pass labels and feature, or counts.")
    array, weights = weighted(labels, sample_weight)
    values = np.asarray(feature)
    if values.shape != array.shape:
        raise ValueError(f"Expected one value per label; got arrays of {values.shape} and {array.shape}.")
    if _is_missing(array).any():
        raise ValueError("A label is missing; drop such rows first.")
    absent = _is_missing(values)
    code = np.zeros(len(values), dtype=np.intp)
    known_codes = np.unique(values[~absent], return_inverse=True)[1]
    code[~absent] = known_codes
    n_branches = int(known_codes.max()) + 1 if len(known_codes) else 0
    if missing == "value" and absent.any():
        code[absent] = n_branches
        n_branches += 1
        absent = np.zeros_like(absent)
    label = np.unique(array, return_inverse=True)[1]
    table = np.zeros((n_branches, int(label.max()) + 1))
    np.add.at(table, (code[~absent], label[~absent]), weights[~absent])
    unknown = float(weights[absent].sum()) if missing == "fraction" else 0.0
    if not table.sum() > 0:
        raise ValueError("Every value of the feature is missing.")
    return SplitCounts(table[table.sum(axis=1) > 0], unknown)


def x_log_x(amounts: Floats, base: float) -> Floats:
    """Return x · log x to a base, 0 where x is 0."""
    if not base > 1:
        raise ValueError(f"base must be larger than 1, got {base}.")
    result = np.zeros_like(amounts)
    np.log2(amounts, out=result, where=amounts > 0)
    if base != 2:
        result /= math.log2(base)
    return amounts * result


def _checked(counts: ArrayLike, n_dimensions: int) -> Floats:
    array = np.asarray(counts, dtype=float)
    if array.ndim != n_dimensions:
        shape = "one count per class" if n_dimensions == 1 else "one row of class counts per branch"
        raise ValueError(f"counts must be {shape}; got an array of shape {array.shape}.")
    if (array < 0).any() or not array.sum() > 0:
        raise ValueError("Counts must not be negative and their sum must be positive.")
    return array


def _is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=np.bool_)
    # pandas' NA is named, not imported: it needs no pandas here.
    return np.array(
        [v is None or type(v).__name__ == "NAType" or v != v for v in values.tolist()], dtype=bool
    )
