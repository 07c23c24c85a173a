"""The measures behind the trees, to be called by hand: they take labels, feature values and weights.

Logarithms are base 2 and 0 · log 0 = 0. Every function returns a plain float.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "conditional_entropy",
    "entropy",
    "gain_ratio",
    "gini",
    "impurity_after",
    "information_gain",
    "intrinsic_value",
    "squared_error",
]

Measure = Callable[[ArrayLike, ArrayLike | None], float]


def _weights_of(
    values: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    array = np.asarray(values)
    weights = np.ones(len(array)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if array.ndim != 1 or weights.shape != array.shape:
        raise ValueError(
            f"Expected 1-D values and one weight for each; got {array.shape} and {weights.shape}."
        )
    if not weights.sum() > 0 or (weights < 0).any():
        raise ValueError("Weights must not be negative and their sum must be positive.")
    return array, weights


def _shares(values: ArrayLike, sample_weight: ArrayLike | None) -> NDArray[np.float64]:
    array, weights = _weights_of(values, sample_weight)
    totals = np.bincount(np.unique(array, return_inverse=True)[1], weights)
    return np.asarray(totals[totals > 0] / weights.sum())


def entropy(labels: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the entropy H = −Σ p·log2 p of the labels, in bits.

    Examples
    --------
    >>> from treewright.datasets import load_tennis
    >>> from treewright.measures import entropy
    >>> round(entropy(load_tennis().y), 4)
    0.9403
    """
    shares = _shares(labels, sample_weight)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def gini(labels: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the Gini index 1 − Σ p² of the labels.

    Examples
    --------
    >>> from treewright.measures import gini
    >>> round(gini(["yes"] * 9 + ["no"] * 5), 4)
    0.4592
    """
    return float(1.0 - np.square(_shares(labels, sample_weight)).sum())


def squared_error(y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the total squared error Σ w·(y − mean)² of one leaf that holds these numbers.

    Examples
    --------
    >>> from treewright.measures import squared_error
    >>> squared_error([1.0, 2.0, 3.0])
    2.0
    """
    array, weights = _weights_of(y, sample_weight)
    mean = np.average(array, weights=weights)
    return float((weights * np.square(array - mean)).sum())


def impurity_after(
    labels: ArrayLike,
    branches: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    measure: Measure = gini,
) -> float:
    """Return Σ |D_i|/|D| · measure(D_i), the measure after a split into branches.

    Parameters
    ----------
    labels : array-like
        The label of each row.
    branches : array-like
        The branch of each row: values of a feature, or the outcome of a test.
    sample_weight : array-like, optional
        The weight of each row.
    measure : callable, default=gini
        `gini` or `entropy`.

    Examples
    --------
    >>> from treewright.datasets import load_cricket
    >>> from treewright.measures import impurity_after
    >>> cricket = load_cricket()
    >>> round(impurity_after(cricket.y, cricket.X[:, 0]), 4)
    0.41
    """
    array, weights = _weights_of(labels, sample_weight)
    _, branch = np.unique(np.asarray(branches), return_inverse=True)
    total = 0.0
    for i in range(int(branch.max()) + 1):
        inside = branch == i
        if weights[inside].sum() > 0:
            total += weights[inside].sum() * measure(array[inside], weights[inside])
    return float(total / weights.sum())


def conditional_entropy(
    labels: ArrayLike, feature: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return H(D|A), the entropy that is left when the feature's value is known, in bits."""
    return impurity_after(labels, feature, sample_weight, measure=entropy)


def information_gain(labels: ArrayLike, feature: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return g(D, A) = H(D) − H(D|A), the mutual information of label and feature, in bits.

    Examples
    --------
    >>> from treewright.datasets import load_tennis
    >>> from treewright.measures import information_gain
    >>> tennis = load_tennis()
    >>> [round(information_gain(tennis.y, column), 4) for column in tennis.X.T]
    [0.2467, 0.0292, 0.1518, 0.0481]
    """
    return entropy(labels, sample_weight) - conditional_entropy(labels, feature, sample_weight)


def intrinsic_value(feature: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the split information of a feature: the entropy of its own values, in bits."""
    return entropy(feature, sample_weight)


def gain_ratio(labels: ArrayLike, feature: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return information gain divided by intrinsic value; 0 when the feature has one value only.

    Examples
    --------
    >>> from treewright.datasets import load_loans
    >>> from treewright.measures import gain_ratio
    >>> loans = load_loans()
    >>> [round(gain_ratio(loans.y, column), 4) for column in loans.X.T]
    [0.0524, 0.3524, 0.4325, 0.2319]
    """
    information = intrinsic_value(feature, sample_weight)
    return information_gain(labels, feature, sample_weight) / information if information > 0 else 0.0
