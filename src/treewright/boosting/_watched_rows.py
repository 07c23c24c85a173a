"""Rows that a booster is watched on: a matrix, a table that is read part by part, or several of them.

Where a table is streamed only codes are kept: of a number, between which of the thresholds that trees may
have it is. One byte is enough for 255 bins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._core import Dataset
from treewright.data.streamed_table import StreamedTable
from treewright.data.table import Table

__all__ = ["WatchedRows", "coded", "matrices", "watched"]

WatchedRows = NDArray[Any] | StreamedTable | tuple[Any, ...]
Floats = NDArray[np.float64]


def watched(table: Table) -> WatchedRows:
    """Return a table as rows to watch: those that are in memory as a matrix for prediction.

    Parameters
    ----------
    table : Table
        The rows.
    """
    return table if isinstance(table, StreamedTable) else table.to_matrix()


def matrices(rows: WatchedRows) -> Iterator[NDArray[Any]]:
    """Yield the rows as matrices for prediction, part by part.

    Parameters
    ----------
    rows : ndarray, StreamedTable or tuple of them
        The rows.
    """
    if isinstance(rows, tuple):
        for one in rows:
            yield from matrices(one)
    elif isinstance(rows, StreamedTable):
        yield from rows.matrices()
    else:
        yield rows


def coded(rows: WatchedRows, n_rows: int, dataset: Dataset) -> tuple[NDArray[Any], list[Floats]]:
    """Return narrow codes of rows and, for each column, the values that stand for them in tests.

    Thresholds of histogram trees stand half-way between neighbouring codes of the training rows. The code of
    a value says how many of them it is above, and the largest training value between two of them stands for
    all.

    Parameters
    ----------
    rows : ndarray, StreamedTable or tuple of them
        The rows.
    n_rows : int
        How many there are.
    dataset : Dataset
        The codes of the training rows.
    """
    columns = [dataset.values(feature) for feature in range(dataset.n_features)]
    thresholds: list[Floats | None] = []
    values: list[Floats] = []
    for feature, (lower, upper) in enumerate(columns):
        if len(lower):
            thresholds.append(_half_way(upper[:-1], lower[1:]))
            values.append(np.concatenate([[np.nan], upper]))
        else:  # categories, or numbers that are all missing: codes up to that of what was not seen
            thresholds.append(None)
            values.append(np.array([np.nan, *range(1, dataset.n_codes(feature) + 2)]))
    most = max(len(of_column) for of_column in values)
    codes = np.empty((n_rows, len(columns)), dtype=np.min_scalar_type(most - 1))
    place = 0
    for matrix in matrices(rows):
        part = codes[place : place + len(matrix)]
        for feature, cuts in enumerate(thresholds):
            column = np.asarray(matrix[:, feature], dtype=np.float64)
            if cuts is None:
                known = np.where(np.isnan(column), 0, column)
                part[:, feature] = np.minimum(known, len(values[feature]) - 1).clip(min=0)
            else:
                part[:, feature] = np.where(np.isnan(column), 0, np.searchsorted(cuts, column) + 1)
        place += len(matrix)
    if place != n_rows:
        raise ValueError(f"There are {place} validation rows now, and there were {n_rows} at first.")
    return codes, values


def _half_way(low: Floats, high: Floats) -> Floats:
    """Return what `midpoint` in core/grow/node_split.h says."""
    middle = low / 2 + high / 2
    return np.where(np.isfinite(middle) & (middle < high) & (middle >= low), middle, low)
