"""Measures of a split: what is left of a leaf's measure when the branch of each row is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treewright.measures.counts import Missing, SplitCounts, split_counts, weighted, x_log_x
from treewright.measures.leaf import absolute_error, entropy, gini, poisson_deviance, squared_error

__all__ = [
    "conditional_entropy",
    "decrease",
    "gain_ratio",
    "gini_of_split",
    "impurity_after",
    "information_gain",
    "intrinsic_value",
]

TOTALS: tuple[Callable[..., float], ...] = (absolute_error, poisson_deviance, squared_error)


def conditional_entropy(
    labels: ArrayLike | None = None,
    feature: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    base: float = 2,
    missing: Missing = "value",
) -> float:
    """Return H(D|A) = Σ |D_i|/|D| · H(D_i), the entropy that is left when the feature's value is known.

    Parameters
    ----------
    labels : array-like, optional
        The label of each row.
    feature : array-like, optional
        The value of each row: a category, or the outcome of a test.
    sample_weight : array-like, optional
        The weight of each row.
    counts : array-like of shape (n_branches, n_classes), optional
        The weight of each class in each branch, instead of rows.
    base : float, default=2
        Base of the logarithm.
    missing : {"value", "fraction", "omit"}, default="value"
        A missing value of the feature is a value of its own (ID3), or the row is left out.

    Examples
    --------
    >>> from treewright.measures import conditional_entropy
    >>> round(conditional_entropy(counts=[[2, 8], [13, 7]]), 4)
    0.8634
    """
    return _conditional(split_counts(labels, feature, sample_weight, counts, missing), base)


def information_gain(
    labels: ArrayLike | None = None,
    feature: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    base: float = 2,
    missing: Missing = "value",
) -> float:
    """Return g(D, A) = H(D) − H(D|A), the mutual information of label and feature.

    Parameters
    ----------
    labels, feature, sample_weight, counts, base
        As for `conditional_entropy`.
    missing : {"value", "fraction", "omit"}, default="value"
        A missing value is a value of its own (ID3); "fraction": the gain of the other rows counts by their
        share of the weight (C4.5); "omit": the row is left out.

    Examples
    --------
    >>> from treewright.datasets import load_tennis
    >>> from treewright.measures import information_gain
    >>> tennis = load_tennis()
    >>> [round(information_gain(tennis.y, column), 4) for column in tennis.X.T]
    [0.2467, 0.0292, 0.1518, 0.0481]

    A threshold is a test with two outcomes:

    >>> import numpy as np
    >>> humidity = np.array([85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80])
    >>> round(information_gain(tennis.y, humidity <= 80), 4)
    0.1022
    """
    return _gain(split_counts(labels, feature, sample_weight, counts, missing), base)


def intrinsic_value(
    feature: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    base: float = 2,
) -> float:
    """Return the split information of a feature: the entropy of its own values.

    A missing value counts as one more value, as in C4.5.

    Parameters
    ----------
    feature : array-like, optional
        The value of each row.
    sample_weight : array-like, optional
        The weight of each row.
    counts : array-like, optional
        The weight of each branch, or of each class in each branch, instead of rows.
    base : float, default=2
        Base of the logarithm.

    Examples
    --------
    >>> from treewright.datasets import load_tennis
    >>> from treewright.measures import intrinsic_value
    >>> [round(intrinsic_value(column), 4) for column in load_tennis().X.T]
    [1.5774, 1.5567, 1.0, 0.9852]
    """
    if counts is not None:
        table = np.asarray(counts, dtype=float)
        return entropy(counts=table.sum(axis=1) if table.ndim == 2 else table, base=base)
    if feature is None:
        raise ValueError("Pass a feature or counts.")
    values, weights = weighted(feature, sample_weight)
    return _intrinsic(split_counts(np.zeros(len(values)), values, weights, None, "value"), base)


def gain_ratio(
    labels: ArrayLike | None = None,
    feature: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    missing: Missing = "value",
) -> float:
    """Return information gain divided by intrinsic value; 0 when the feature has one value only.

    Parameters
    ----------
    labels, feature, sample_weight, counts
        As for `conditional_entropy`.
    missing : {"value", "fraction", "omit"}, default="value"
        As for `information_gain`; with "fraction" missing rows are one more branch of the intrinsic value
        (C4.5).

    Examples
    --------
    >>> from treewright.datasets import load_loans
    >>> from treewright.measures import gain_ratio
    >>> loans = load_loans()
    >>> [round(gain_ratio(loans.y, column), 4) for column in loans.X.T]
    [0.0524, 0.3524, 0.4325, 0.2319]
    """
    split = split_counts(labels, feature, sample_weight, counts, missing)
    information = _intrinsic(split, 2)
    return _gain(split, 2) / information if information > 0 else 0.0


def gini_of_split(
    labels: ArrayLike | None = None,
    feature: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    missing: Missing = "value",
) -> float:
    """Return Σ |D_i|/|D| · Gini(D_i), the Gini index after a split.

    Parameters
    ----------
    labels, feature, sample_weight, counts, missing
        As for `conditional_entropy`.

    Examples
    --------
    >>> from treewright.measures import gini_of_split
    >>> round(gini_of_split(counts=[[2, 8], [13, 7]]), 4)
    0.41
    """
    table = split_counts(labels, feature, sample_weight, counts, missing).table
    weights = table.sum(axis=1)
    return float(sum(w * gini(counts=row) for w, row in zip(weights, table, strict=True)) / weights.sum())


def impurity_after(
    labels: ArrayLike,
    branches: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    measure: Callable[..., float] = gini,
) -> float:
    """Return what a measure is after a split into branches.

    For `gini`, `entropy` and your own measures that is Σ |D_i|/|D| · measure(D_i); `squared_error`,
    `absolute_error` and `poisson_deviance` are totals and are added up.

    Parameters
    ----------
    labels : array-like
        The label or number of each row.
    branches : array-like
        The branch of each row: values of a feature, or the outcome of a test.
    sample_weight : array-like, optional
        The weight of each row.
    measure : callable, default=gini
        Takes labels and weights.

    Examples
    --------
    >>> from treewright.datasets import load_cricket
    >>> from treewright.measures import impurity_after
    >>> cricket = load_cricket()
    >>> round(impurity_after(cricket.y, cricket.X[:, 0]), 4)
    0.41
    """
    array, weights = weighted(labels, sample_weight)
    _, branch = np.unique(np.asarray(branches), return_inverse=True)
    total = 0.0
    for i in range(int(branch.max()) + 1):
        inside = branch == i
        weight = float(weights[inside].sum())
        if weight > 0:
            total += (1.0 if measure in TOTALS else weight) * measure(array[inside], weights[inside])
    return float(total if measure in TOTALS else total / weights.sum())


def decrease(
    labels: ArrayLike,
    branches: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    measure: Callable[..., float] = gini,
) -> float:
    """Return a measure before a split minus the measure after it.

    Parameters
    ----------
    labels, branches, sample_weight, measure
        As for `impurity_after`.

    Examples
    --------
    >>> from treewright.datasets import load_loans
    >>> from treewright.measures import decrease
    >>> loans = load_loans()
    >>> round(decrease(loans.y, loans.X[:, 2]), 4)
    0.2133
    """
    before: Any = measure(np.asarray(labels), sample_weight)
    return float(before) - impurity_after(labels, branches, sample_weight, measure=measure)


def _conditional(split: SplitCounts, base: float) -> float:
    table = split.table
    weights = table.sum(axis=1)
    return float((x_log_x(weights, base).sum() - x_log_x(table, base).sum()) / weights.sum())


def _gain(split: SplitCounts, base: float) -> float:
    known = float(split.table.sum())
    gain = entropy(counts=split.table.sum(axis=0), base=base) - _conditional(split, base)
    return known / (known + split.unknown) * gain


def _intrinsic(split: SplitCounts, base: float) -> float:
    weights = [*split.table.sum(axis=1), *([split.unknown] if split.unknown > 0 else [])]
    return entropy(counts=weights, base=base)
