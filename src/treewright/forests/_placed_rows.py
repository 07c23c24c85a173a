"""Placed rows: training rows whose targets are looked up in what trees predict that have not seen them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.fitting.rows import TrainingRows
from treewright.forests import _record
from treewright.forests._interval_levels import IntervalLevels
from treewright.forests._quantiles import Quantiles
from treewright.model import Model

__all__ = ["rows_to_place", "with_interval_levels"]

#: More rows would tell the same.
MOST_ROWS: Final = 10_000


class PlacedRows(NamedTuple):
    """Numbers of training rows of positive weight, and their features."""

    numbers: NDArray[np.int64]
    matrix: NDArray[Any]


def rows_to_place(rows: TrainingRows) -> PlacedRows:
    """Return rows at even distances.

    Parameters
    ----------
    rows : TrainingRows
        All of them.
    """
    numbers = np.unique(np.linspace(0, rows.n_rows - 1, min(rows.n_rows, MOST_ROWS)).round().astype(np.int64))
    return PlacedRows(numbers, rows.whole_table.take(numbers).to_matrix())


def with_interval_levels(model: Model, asked: PlacedRows, n_threads: int) -> Model:
    """Return a forest that remembers the rows of its leaves with the levels of its intervals.

    Parameters
    ----------
    model : Model
        The forest.
    asked : PlacedRows
        The rows to look up.
    n_threads : int
        Threads to use.
    """
    quantiles = Quantiles(model, _record.model_bags(model)[-1])
    places = quantiles.places_out_of_bag(asked.matrix, asked.numbers.astype(np.uint32), n_threads)
    below, up_to, n_points, n_answers = places.T
    levels = IntervalLevels.learned(below, up_to, n_points, n_answers, len(model.trees))
    return model if levels is None else replace(model, arrays={**model.arrays, **levels.to_arrays()})
