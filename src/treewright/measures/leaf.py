"""Measures of one leaf: how mixed its labels are, how far its numbers lie apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from treewright.measures.counts import class_counts, weighted, x_log_x

__all__ = ["absolute_error", "entropy", "gini", "poisson_deviance", "squared_error"]


def entropy(
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    base: float = 2,
) -> float:
    """Return the entropy H = −Σ p·log p of labels.

    Parameters
    ----------
    labels : array-like, optional
        The label of each row.
    sample_weight : array-like, optional
        The weight of each row.
    counts : array-like, optional
        The weight of each class, instead of labels.
    base : float, default=2
        Base of the logarithm: 2 for bits, ``math.e`` for nats.

    Examples
    --------
    >>> from treewright.datasets import load_tennis
    >>> from treewright.measures import entropy
    >>> round(entropy(load_tennis().y), 4), round(entropy(counts=[9, 5]), 4)
    (0.9403, 0.9403)
    >>> import math
    >>> round(entropy(counts=[9, 5], base=math.e), 4)
    0.6518
    """
    amounts = class_counts(labels, sample_weight, counts)
    shares = amounts / amounts.sum()
    return max(0.0, float(-x_log_x(shares, base).sum()))


def gini(
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
) -> float:
    """Return the Gini index Σ p·(1 − p) = 1 − Σ p² of labels.

    Parameters
    ----------
    labels : array-like, optional
        The label of each row.
    sample_weight : array-like, optional
        The weight of each row.
    counts : array-like, optional
        The weight of each class, instead of labels.

    Examples
    --------
    >>> from treewright.measures import gini
    >>> round(gini(["yes"] * 9 + ["no"] * 5), 4), round(gini(counts=[2, 8]), 4)
    (0.4592, 0.32)
    """
    amounts = class_counts(labels, sample_weight, counts)
    return float(1.0 - np.square(amounts / amounts.sum()).sum())


def squared_error(y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the total squared error Σ w·(y − mean)² of one leaf that holds these numbers.

    Parameters
    ----------
    y : array-like
        The numbers.
    sample_weight : array-like, optional
        The weight of each.

    Examples
    --------
    The two sides of the best cut, 6.5, of ten numbers:

    >>> from treewright.measures import squared_error
    >>> y = [5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05]
    >>> round(squared_error(y[:6]) + squared_error(y[6:]), 4)
    1.93
    """
    array, weights = weighted(y, sample_weight)
    mean = np.average(array, weights=weights)
    return float((weights * np.square(array - mean)).sum())


def absolute_error(y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the total absolute error Σ w·|y − median| of one leaf that holds these numbers.

    Parameters
    ----------
    y : array-like
        The numbers.
    sample_weight : array-like, optional
        The weight of each.

    Examples
    --------
    >>> from treewright.measures import absolute_error
    >>> absolute_error([1.0, 2.0, 6.0])
    5.0
    """
    array, weights = weighted(y, sample_weight)
    order = np.argsort(array, kind="stable")
    running = np.cumsum(weights[order])
    median = array[order[np.searchsorted(running, 0.5 * running[-1] * (1 - 1e-12))]]
    return float((weights * np.abs(array - median)).sum())


def poisson_deviance(y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return half the Poisson deviance Σ w·(y·ln(y/mean) − y + mean) of one leaf that holds these counts.

    Parameters
    ----------
    y : array-like
        The counts, not negative.
    sample_weight : array-like, optional
        The weight of each.

    Examples
    --------
    >>> from treewright.measures import poisson_deviance
    >>> round(poisson_deviance([0.0, 1.0, 2.0]), 4)
    1.3863
    """
    array, weights = weighted(y, sample_weight)
    numbers = array.astype(float)
    if (numbers < 0).any() or not (weights * numbers).sum() > 0:
        raise ValueError("Poisson deviance needs numbers that are not negative, and not all of them 0.")
    mean = np.average(numbers, weights=weights)
    logs = np.zeros_like(numbers)
    np.log(numbers / mean, out=logs, where=numbers > 0)
    return float((weights * (numbers * logs - numbers + mean)).sum())
