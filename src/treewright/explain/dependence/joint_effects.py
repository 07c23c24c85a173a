"""Accumulated local effects of two features together (Apley and Zhu 2020, second order).

A row is moved to the four corners of its cell: what a step of one feature does differs by a step of the
other. These differences are added up in both directions; what either feature does alone is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.argument import check_count
from treewright.data import Feature
from treewright.explain.dependence.effects import Answer, bin_edges, by_likeness, known_rows

__all__ = ["JointEffects", "joint_effects"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
MOST_CELLS = 40_000


@dataclass(frozen=True, eq=False)
class JointEffects:
    """Effects of two features.

    Attributes
    ----------
    numbers : pair of ndarray of float
        For each feature edges of bins, or codes of categories in their order by likeness.
    effects : ndarray of shape (n_numbers, n_numbers, n_outputs)
        What both do together beyond what each does alone.
    n_missing : int
        Rows that lack a value, which are not counted.
    n_empty : int
        Cells without a row, which are thought to be like the nearest cell that has some.
    n_cells : int
        All of them.
    """

    numbers: tuple[Floats, Floats]
    effects: Floats
    n_missing: int
    n_empty: int
    n_cells: int


@dataclass(frozen=True, eq=False)
class _Axis:
    """A feature's values and which steps between neighbours rows are asked about.

    A number is in a bin: one step between its edges, half of it at each of them. A category is a value
    itself and has a step to each neighbour.
    """

    index: int
    values: NDArray[Any]
    steps: tuple[tuple[Places, Places], ...]  # rows, and the step of each
    at: tuple[tuple[Places, float], ...]  # of every row a value, and how much of the row is there

    @property
    def n_steps(self) -> int:
        return len(self.values) - 1


def joint_effects(
    columns: tuple[int, int],
    matrix: NDArray[Any],
    weights: Floats | None,
    features: tuple[Feature, ...],
    answer: Answer,
    n_bins: int,
) -> JointEffects:
    """Return the accumulated local effects of two features together.

    Parameters
    ----------
    columns : pair of int
        Their columns.
    matrix : ndarray of shape (n_rows, n_features)
        Encoded rows.
    weights : ndarray of float or None
        Their weights.
    features : tuple of Feature
        All features, by whose values categories are alike or not.
    answer : callable
        From encoded rows to answers of shape (n_rows, n_outputs).
    n_bins : int
        How many bins of about equal weight each number has.
    """
    check_count("n_bins", n_bins, 1)
    known = np.logical_and(*(known_rows(features[column], matrix[:, column]) for column in columns))
    rows = np.array(matrix[known], order="C")
    if not len(rows):
        names = " and ".join(repr(features[column].name) for column in columns)
        raise ValueError(f"No row has values of both {names}, so steps of them have no effect to look at.")
    own = np.ones(len(rows)) if weights is None else weights[known]
    first, second = (_axis(column, rows, own, features, n_bins) for column in columns)
    n_cells = first.n_steps * second.n_steps
    if n_cells > MOST_CELLS:
        raise ValueError(
            f"{len(first.values)} and {len(second.values)} values make {n_cells} cells, more than "
            f"{MOST_CELLS}: ask for fewer bins, or for features with fewer categories."
        )
    numbers = (first.values.astype(np.float64), second.values.astype(np.float64))
    n_missing = int(len(matrix) - len(rows))
    if not n_cells:
        flat = np.zeros((len(numbers[0]), len(numbers[1]), answer(rows[:1]).shape[1]))
        return JointEffects(numbers, flat, n_missing, 0, 0)
    steps, n_empty = _steps(first, second, rows, own, answer)
    effects = np.zeros((len(numbers[0]), len(numbers[1]), steps.shape[2]))
    effects[1:, 1:] = steps.cumsum(axis=0).cumsum(axis=1)
    alone = (_alone(effects, first, second, own), _alone(effects.swapaxes(0, 1), second, first, own))
    effects -= alone[0][:, np.newaxis] + alone[1][np.newaxis]
    mass = np.zeros(effects.shape[:2])
    for places, share in first.at:
        for others, other_share in second.at:
            np.add.at(mass, (places, others), own * share * other_share)
    effects -= np.tensordot(mass, effects, axes=2) / mass.sum()
    return JointEffects(numbers, effects, n_missing, n_empty, n_cells)


def _axis(
    index: int, rows: NDArray[Any], weights: Floats, features: tuple[Feature, ...], n_bins: int
) -> _Axis:
    column, every = rows[:, index], np.arange(len(rows))
    if features[index].kind == "numeric":
        edges = bin_edges(column, weights, n_bins)
        upper = np.clip(np.searchsorted(edges, column, side="left"), 1, max(1, len(edges) - 1))
        return _Axis(index, edges, ((every, upper - 1),), ((upper - 1, 0.5), (upper % len(edges), 0.5)))
    codes = by_likeness(index, rows, weights, features, np.unique(column.astype(np.int64)))
    order = np.argsort(codes)
    at = order[np.searchsorted(codes, column.astype(np.int64), sorter=order)]
    up, down = np.flatnonzero(at < len(codes) - 1), np.flatnonzero(at > 0)
    return _Axis(index, codes, ((up, at[up]), (down, at[down] - 1)), ((at, 1.0),))


def _steps(
    first: _Axis, second: _Axis, rows: NDArray[Any], weights: Floats, answer: Answer
) -> tuple[Floats, int]:
    """Return the mean difference of differences in each cell, and how many cells have no rows."""
    shape = (first.n_steps, second.n_steps)
    weight, sums = np.zeros(shape), None
    for own, step in first.steps:
        for others, other_step in second.steps:
            both, mine, theirs = np.intersect1d(own, others, assume_unique=True, return_indices=True)
            if not len(both):
                continue
            i, j = step[mine], other_step[theirs]
            found = _corner(first, i + 1, second, j + 1, rows[both], answer)
            found -= _corner(first, i, second, j + 1, rows[both], answer)
            found -= _corner(first, i + 1, second, j, rows[both], answer)
            found += _corner(first, i, second, j, rows[both], answer)
            if sums is None:
                sums = np.zeros((*shape, found.shape[1]))
            np.add.at(weight, (i, j), weights[both])
            np.add.at(sums, (i, j), found * weights[both, np.newaxis])
    assert sums is not None  # every row has a step where there are some
    empty = weight <= 0
    mean: Floats = np.divide(sums, weight[..., np.newaxis], out=np.zeros_like(sums), where=~empty[..., None])
    filled = np.argwhere(~empty)
    scale = np.maximum(shape, 1)
    for cell in np.argwhere(empty):
        gaps = (((filled - cell) / scale) ** 2).sum(axis=1)
        mean[tuple(cell)] = mean[tuple(filled[np.argmin(gaps)])]
    return mean, int(empty.sum())


def _corner(first: _Axis, i: Places, second: _Axis, j: Places, rows: NDArray[Any], answer: Answer) -> Floats:
    moved = rows.copy()
    moved[:, first.index] = first.values[i]
    moved[:, second.index] = second.values[j]
    return answer(moved)


def _alone(effects: Floats, own: _Axis, other: _Axis, weights: Floats) -> Floats:
    """Return what the steps of one feature do on average over the rows that are asked about them."""
    mass = np.zeros((own.n_steps, len(other.values)))
    for asked, step in own.steps:
        for places, share in other.at:
            np.add.at(mass, (step, places[asked]), share * weights[asked])
    total = mass.sum(axis=1)
    sums = np.einsum("ij,ijk->ik", mass, np.diff(effects, axis=0))
    mean = np.divide(sums, total[:, np.newaxis], out=np.zeros_like(sums), where=total[:, np.newaxis] > 0)
    found: Floats = np.concatenate([np.zeros((1, mean.shape[1])), mean.cumsum(axis=0)])
    return found
