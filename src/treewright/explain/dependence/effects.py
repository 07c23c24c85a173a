"""Accumulated local effects (Apley and Zhu 2020): what small steps of a feature do to the rows near them.

Partial dependence asks about rows that there may not be, where features are correlated; steps between the
edges of a bin are only asked of the rows in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.data import Feature

__all__ = ["Answer", "LocalEffects", "bin_edges", "by_likeness", "known_rows", "local_effects"]

Floats = NDArray[np.float64]
Answer = Callable[[NDArray[Any]], Floats]
# Rows of a category whose likeness to others is measured; more say the same.
MOST_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class LocalEffects:
    """Effects of a feature.

    Attributes
    ----------
    numbers : ndarray of float
        The edges of the bins, or codes of categories in their order by likeness.
    effects : ndarray of shape (n_numbers, n_outputs)
        The accumulated effects; their mean over the rows is 0.
    n_missing : int
        Rows without a value, which are not counted.
    """

    numbers: Floats
    effects: Floats
    n_missing: int


def local_effects(
    feature: Feature,
    index: int,
    matrix: NDArray[Any],
    weights: Floats | None,
    features: tuple[Feature, ...],
    answer: Answer,
    n_bins: int,
) -> LocalEffects:
    """Return the accumulated local effects of a feature.

    Parameters
    ----------
    feature : Feature
        What the model knows of it.
    index : int
        Its column.
    matrix : ndarray of shape (n_rows, n_features)
        Encoded rows.
    weights : ndarray of float or None
        Their weights.
    features : tuple of Feature
        All features, by whose values categories are alike or not.
    answer : callable
        From encoded rows to answers of shape (n_rows, n_outputs).
    n_bins : int
        How many bins of about equal weight.
    """
    check_count("n_bins", n_bins, 1)
    known = known_rows(feature, matrix[:, index])
    n_missing = int(len(matrix) - np.count_nonzero(known))
    rows = np.array(matrix[known], order="C")
    if not len(rows):
        raise ValueError(f"No row has a value of {feature.name!r}, so steps of it have no effect to look at.")
    own = np.ones(len(rows)) if weights is None else weights[known]
    if feature.kind == "numeric":
        return LocalEffects(*_of_numbers(index, rows, own, answer, n_bins), n_missing)
    return LocalEffects(*_of_categories(index, rows, own, features, answer), n_missing)


def known_rows(feature: Feature, column: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which rows have a value, for categories one that fit knew."""
    known: NDArray[np.bool_] = ~np.isnan(column)
    return known if feature.kind == "numeric" else known & (column >= 1) & (column <= feature.n_codes)


def bin_edges(column: NDArray[Any], weights: Floats, n_bins: int) -> NDArray[Any]:
    """Return the distinct edges of bins of about equal weight.

    They are values of rows: the smallest with at least such a share of the weight at or below it.
    """
    order = np.argsort(column, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    at = np.searchsorted(share, np.arange(1, n_bins + 1) / n_bins - 1e-12)
    return np.unique(np.append(column[order[0]], column[order[np.minimum(at, len(order) - 1)]]))


def _at(answer: Answer, rows: NDArray[Any], index: int, values: NDArray[Any]) -> Floats:
    moved = rows.copy()
    moved[:, index] = values
    return answer(moved)


def _of_numbers(
    index: int, rows: NDArray[Any], weights: Floats, answer: Answer, n_bins: int
) -> tuple[Floats, Floats]:
    column = rows[:, index]
    edges = bin_edges(column, weights, n_bins)
    if len(edges) == 1:
        return edges.astype(np.float64), np.zeros((1, answer(rows[:1]).shape[1]))
    bins = np.clip(np.searchsorted(edges, column, side="left"), 1, len(edges) - 1)
    steps = _at(answer, rows, index, edges[bins]) - _at(answer, rows, index, edges[bins - 1])
    mean, weight = _means(bins - 1, steps, weights, len(edges) - 1)
    effects = np.concatenate([np.zeros((1, mean.shape[1])), np.cumsum(mean, axis=0)])
    middle = (effects[:-1] + effects[1:]) / 2
    centre: Floats = weight @ middle / weight.sum()
    return edges.astype(np.float64), effects - centre


def _of_categories(
    index: int, rows: NDArray[Any], weights: Floats, features: tuple[Feature, ...], answer: Answer
) -> tuple[Floats, Floats]:
    column = rows[:, index].astype(np.int64)
    codes = by_likeness(index, rows, weights, features, np.unique(column))
    place = {int(code): at for at, code in enumerate(codes)}
    at = np.array([place[int(code)] for code in column])
    now = answer(rows)
    if len(codes) == 1:
        return codes.astype(np.float64), np.zeros((1, now.shape[1]))
    # A step between two neighbours is asked of the rows of both.
    up, down = np.flatnonzero(at < len(codes) - 1), np.flatnonzero(at > 0)
    rise = _at(answer, rows[up], index, codes[at[up] + 1]) - now[up]
    fall = now[down] - _at(answer, rows[down], index, codes[at[down] - 1])
    steps = np.concatenate([rise, fall])
    own = np.concatenate([at[up], at[down] - 1])
    mean, _ = _means(own, steps, np.concatenate([weights[up], weights[down]]), len(codes) - 1)
    effects = np.concatenate([np.zeros((1, mean.shape[1])), np.cumsum(mean, axis=0)])
    share = np.bincount(at, weights, len(codes)) / weights.sum()
    centre: Floats = share @ effects
    return codes.astype(np.float64), effects - centre


def _means(bins: NDArray[Any], steps: Floats, weights: Floats, n_bins: int) -> tuple[Floats, Floats]:
    weight: Floats = np.bincount(bins, weights, n_bins).astype(np.float64)
    sums = np.stack([np.bincount(bins, weights * step, n_bins) for step in steps.T], axis=1)
    return np.divide(sums, weight[:, None], out=np.zeros_like(sums), where=weight[:, None] > 0), weight


def by_likeness(
    index: int, rows: NDArray[Any], weights: Floats, features: tuple[Feature, ...], codes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return categories so that neighbours are alike in the other features, as Apley and Zhu order them.

    The distance of two categories is the sum, over the other features, of the largest difference of their
    distribution functions, or for categories half the sum of differences; one dimension of classical scaling
    keeps these distances best.
    """
    if features[index].kind == "ordinal" or len(codes) < 3:
        return codes
    if len(rows) > MOST_ROWS:
        chosen = np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.intp)
        rows, weights = rows[chosen], weights[chosen]
    own = rows[:, index].astype(np.int64)
    distance = np.zeros((len(codes), len(codes)))
    for other, feature in enumerate(features):
        if other == index:
            continue
        values, at = np.unique(rows[:, other], return_inverse=True)
        if len(values) > 100 and feature.kind == "numeric":  # as fine as the eye
            values, at = values[:100], at * 100 // len(values)
        counts = np.stack([np.bincount(at[own == c], weights[own == c], len(values)) for c in codes])
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        if feature.kind == "numeric":
            shares = np.cumsum(shares, axis=1)
        for k in range(len(codes)):
            gaps = np.abs(shares - shares[k])
            distance[k] += gaps.max(axis=1) if feature.kind == "numeric" else gaps.sum(axis=1) / 2
    centred = distance**2
    centred = centred - centred.mean(axis=0) - centred.mean(axis=1)[:, None] + centred.mean()
    _, vectors = np.linalg.eigh(-centred / 2)
    first = vectors[:, -1]
    # Its sign is chance: the largest is positive.
    sign = np.sign(first[np.argmax(np.abs(first))])
    found: NDArray[np.int64] = codes[np.argsort(sign * first, kind="stable")]
    return found
