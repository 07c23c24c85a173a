"""Grid: rows in which one or two features vary and all others stay, in a table as the model knows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.encoded import encoded_rows
from treewright.model.model import Model
from treewright.model.number import format_threshold
from treewright.model.text import printable
from treewright.reports.frame import frame_library, to_frame

__all__ = ["Grid", "Varied"]

MOST_CATEGORIES = 30
MOST_EDGES = 200  # thresholds of one feature up to which cells are exact
MOST_TREES = 100
MOST_CELLS = 5_000_000  # entries of the table that the model is asked about
LEAST_RESOLUTION = 40
ROOM = 0.05

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Varied:
    """One feature that varies.

    Attributes
    ----------
    index : int
        Its column.
    name : str
        Its name.
    edges : ndarray of float
        Edges of the cells; categories are 0, 1, 2, …, and their cells reach half a unit around them.
    values : ndarray of float
        What stands for each cell: a number, or the code of a category.
    categories : list of str or None
        Their names, if it is a category.
    exact : bool
        Whether the model is constant in every cell, as far as this feature matters.
    """

    index: int
    name: str
    edges: Floats
    values: Floats
    categories: list[str] | None
    exact: bool

    def place(self, codes: Floats) -> Floats:
        """Return where encoded values of the feature stand on its axis; NaN where they have no place."""
        if self.categories is None:
            return codes
        place = {int(code): float(at) for at, code in enumerate(self.values)}
        return np.array([np.nan if np.isnan(code) else place.get(int(code), np.nan) for code in codes])


class Grid:
    """The rows of a grid.

    Parameters
    ----------
    model : Model
        The model.
    X : object
        Rows like those of `fit`: they give the range of what varies, and what the others stay at.
    features : sequence of int
        The columns that vary, one or two.
    names : sequence of str
        Names of all columns.
    resolution : int
        Cells along a feature whose thresholds are too many.

    Attributes
    ----------
    matrix : ndarray
        The rows of X, encoded.
    varied : list of Varied
        The features that vary.
    fixed : list of (str, str)
        What the other features that the model tests stay at.
    """

    def __init__(
        self, model: Model, X: Any, features: Sequence[int], names: Sequence[str], resolution: int
    ) -> None:
        self._model = model
        self._library = frame_library(X)
        self.matrix = np.asarray(encoded_rows(model, X), dtype=np.float64)
        if not len(self.matrix):
            raise ValueError("X has no rows: they give the range of the picture.")
        thresholds = _thresholds(model)
        if len(features) == 2:
            resolution = min(resolution, max(LEAST_RESOLUTION, int((MOST_CELLS / model.n_features) ** 0.5)))
        self.varied = [
            _varied(model, self.matrix, index, names[index], thresholds, resolution) for index in features
        ]
        self._typical = [
            _typical(self.matrix[:, column], model, column) for column in range(model.n_features)
        ]
        tested = set(np.unique(np.concatenate([t.feature[t.n_children > 0] for t in model.trees])).tolist())
        self.fixed = [
            (printable(names[column]), self._words(column))
            for column in range(model.n_features)
            if column not in features and column in tested
        ]

    def table(self) -> Any:
        """Return one row per cell, the last varying feature slowest, as a table that the estimator takes."""
        grids = np.meshgrid(*[one.values for one in self.varied])
        n_rows = grids[0].size
        features = self._model.schema.features
        matrix = np.empty((n_rows, len(features)), order="F")
        matrix[:] = self._typical
        for one, places in zip(self.varied, grids, strict=True):
            matrix[:, one.index] = places.ravel()
        if self._library is not None:
            columns = {feature.name: self._decoded(at, matrix[:, at]) for at, feature in enumerate(features)}
            return to_frame(columns, self._library)
        if all(feature.categories is None for feature in features):
            return matrix
        table = np.empty(matrix.shape, dtype=object)
        for column in range(len(features)):
            table[:, column] = self._decoded(column, matrix[:, column])
        return table

    def _decoded(self, column: int, numbers: Floats) -> list[Any]:
        categories = self._model.schema.features[column].categories
        if categories is None:
            return [float(number) for number in numbers]
        return [None if np.isnan(code) else categories[int(code) - 1] for code in numbers]

    def _words(self, column: int) -> str:
        value = self._decoded(column, np.array([self._typical[column]]))[0]
        if value is None or value != value:
            return "missing"
        return format_threshold(value, 4) if isinstance(value, float) else printable(str(value))


def _typical(values: Floats, model: Model, column: int) -> float:
    """Return the median, or the most frequent category."""
    known = values[~np.isnan(values)]
    categories = model.schema.features[column].categories
    if categories is not None:
        known = known[(known >= 1) & (known <= len(categories))]
    if not len(known):
        return float("nan")
    if categories is None:
        # A value of the table, so that whole numbers stay whole.
        return float(np.sort(known)[(len(known) - 1) // 2])
    return float(np.bincount(known.astype(np.int64)).argmax())


def _thresholds(model: Model) -> dict[int, Floats] | None:
    """Return the thresholds of each feature; None where there are too many trees to ask."""
    if len(model.trees) > MOST_TREES:
        return None
    found: dict[int, set[float]] = {}
    for number in range(len(model.trees)):
        view = model.view(number)
        for node in np.flatnonzero(view.tree.n_children > 0).tolist():
            split = view.split_of(node)
            if split is not None and split.kind == "threshold":
                found.setdefault(int(view.tree.feature[node]), set()).add(float(split.threshold))
        if sum(map(len, found.values())) > 50 * MOST_EDGES:
            return None
    return {feature: np.array(sorted(values)) for feature, values in found.items()}


def _varied(
    model: Model,
    matrix: Floats,
    index: int,
    name: str,
    thresholds: dict[int, Floats] | None,
    resolution: int,
) -> Varied:
    feature = model.schema.features[index]
    values = matrix[:, index]
    if feature.categories is not None:
        known = values[(values >= 1) & (values <= len(feature.categories))].astype(np.int64)
        counts = np.bincount(known, minlength=len(feature.categories) + 1)[1:]
        kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_CATEGORIES])
        names = [printable(str(feature.categories[at])) for at in kept]
        ends: Floats = np.arange(len(kept) + 1, dtype=np.float64) - 0.5
        return Varied(index, name, ends, kept.astype(np.float64) + 1.0, names, True)
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    room = ROOM * (high - low) if np.isfinite(high - low) and high > low else 0.5
    low, high = low - room, high + room
    own = None if thresholds is None else thresholds.get(index, np.zeros(0))
    exact = own is not None and len(own) <= MOST_EDGES
    if own is not None and exact:
        inside = own[(own > low) & (own < high)]
        edges = np.concatenate([[low], inside, [high]])
    else:
        edges = np.linspace(low, high, resolution + 1)
    middles = edges[:-1] / 2 + edges[1:] / 2
    return Varied(index, name, edges, middles, None, exact)
