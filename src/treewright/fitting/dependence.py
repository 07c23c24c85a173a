"""How the answers of an estimator depend on its features: from the user's arguments to a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.data import read_table
from treewright.data.weights import encode_weights
from treewright.explain.dependence import (
    DependenceReport,
    GridAxis,
    axis_of,
    joint_effects,
    local_effects,
    read_features,
)
from treewright.explain.dependence.grid import deciles_of, shown_values
from treewright.explain.shap import Game, game_of
from treewright.model import Model
from treewright.model.facts import BoosterFacts
from treewright.model.link import answers
from treewright.model.weighted import decision_probabilities
from treewright.reports.frame import frame_library

__all__ = ["DependenceQuestion", "accumulated_effects", "partial_dependence"]

Floats = NDArray[np.float64]
KINDS = ("average", "individual", "both")
METHODS = ("brute", "recursion")
OUTPUTS = ("answer", "raw")
MOST_BYTES = 4 << 30  # of answers for single rows
BINS, BINS_OF_PAIRS = 40, 15
BATCH_NUMBERS = 1 << 20  # sums of trees that are held at the same time


@dataclass(frozen=True)
class DependenceQuestion:
    """What is asked.

    Attributes
    ----------
    features : object
        One feature or a pair.
    values : object
        The values that they take; None: chosen by the rows.
    grid_resolution : int
        How many are chosen.
    percentiles : pair of float
        Between which quantiles.
    sample_weight : array-like or None
        Weights of the rows.
    kind : {"average", "individual", "both"}
        Whether the rows are shown one by one.
    method : {"brute", "recursion"}
        Which rows stand for the other features.
    output : {"answer", "raw"} or None
        Predictions and probabilities, or the sum of the trees.
    feature_names : sequence of str or None
        Names to show.
    """

    features: Any
    values: Any
    grid_resolution: int
    percentiles: Any
    sample_weight: Any
    kind: str
    method: str
    output: str | None
    feature_names: Sequence[str] | None


def partial_dependence(estimator: Any, X: Any, asked: DependenceQuestion) -> DependenceReport:
    """Return how answers depend on one or two features.

    Parameters
    ----------
    estimator : Estimator
        The fitted estimator.
    X : object
        The rows.
    asked : DependenceQuestion
        What is asked.
    """
    _check_choice("kind", asked.kind, KINDS)
    _check_choice("method", asked.method, METHODS)
    model, matrix, weights = _rows(estimator, X, asked.sample_weight)
    names = model.names(asked.feature_names)
    columns = read_features(asked.features, names)
    given = _given_values(asked.values, len(columns))
    axes = [
        axis_of(
            model.schema.features[column],
            column,
            names[column],
            None if matrix is None else matrix[:, column],
            values=given[place],
            resolution=asked.grid_resolution,
            percentiles=asked.percentiles,
            dtype=np.float64 if matrix is None else matrix.dtype,
        )
        for place, column in enumerate(columns)
    ]
    n_threads = int(effective_n_jobs(estimator.n_jobs))
    if asked.output is not None:
        _check_choice("output", asked.output, OUTPUTS)
    raw = asked.output == "raw" or (asked.output is None and asked.method == "recursion")
    answer = _Answer(estimator, raw)
    individual = None
    if asked.method == "recursion":
        if asked.kind != "average":
            raise ValueError(f"kind={asked.kind!r} is about single rows: use method='brute'.")
        if asked.sample_weight is not None:
            raise ValueError(
                "method='recursion' averages over the training rows with their own weights: leave "
                "sample_weight out, or use method='brute'."
            )
        average = answer.expected(axes, n_threads)
    else:
        if matrix is None or not len(matrix):
            raise ValueError("X has no rows to average over. Pass some, or use method='recursion'.")
        if asked.kind != "average":
            _check_room(len(matrix), axes, answer.n_outputs)
        average, individual = answer.over(matrix, weights, axes, asked.kind != "average", n_threads)
    labels = answer.labels
    average = _in_order(average, axes, 0)
    individual = None if individual is None else _in_order(individual, axes, 1)
    if labels is None:
        average, individual = average[..., 0], None if individual is None else individual[..., 0]
    return DependenceReport(
        algorithm=model.algorithm,
        method="recursion" if asked.method == "recursion" else "brute",
        output="raw" if raw else "answer",
        meaning=answer.meaning,
        features=tuple(axis.name for axis in axes),
        values=tuple(axis.values for axis in axes),
        classes=labels,
        n_rows=0 if asked.method == "recursion" or matrix is None else len(matrix),
        average=average,
        individual=individual,
        deciles=tuple(axis.deciles for axis in axes),
        _numeric=tuple(axis.is_number for axis in axes),
        _frame=None if X is None else frame_library(X, model.schema),
    )


def accumulated_effects(
    estimator: Any,
    features: Any,
    X: Any,
    n_bins: int | None,
    sample_weight: Any,
    output: str,
    feature_names: Sequence[str] | None,
) -> DependenceReport:
    """Return the accumulated local effects of a feature, or of two together.

    Parameters
    ----------
    estimator : Estimator
        The fitted estimator.
    features : object
        One feature or a pair.
    X : object
        The rows.
    n_bins : int or None
        Bins of a number; None: 40, for a pair 15 of each.
    sample_weight : array-like or None
        Weights of the rows.
    output : {"answer", "raw"}
        Predictions and probabilities, or the sum of the trees.
    feature_names : sequence of str or None
        Names to show.
    """
    _check_choice("output", output, OUTPUTS)
    model, matrix, weights = _rows(estimator, X, sample_weight)
    if matrix is None or not len(matrix):
        raise ValueError("X has no rows: effects are seen in rows.")
    names = model.names(feature_names)
    columns = read_features(features, names)
    own = [model.schema.features[column] for column in columns]
    answer, n_threads = _Answer(estimator, output == "raw"), estimator._threads(len(matrix))
    notes: list[str] = []
    if n_bins is None:
        n_bins = BINS if len(columns) == 1 else BINS_OF_PAIRS

    def answer_of(rows: NDArray[Any]) -> Floats:
        return answer.of(rows, n_threads)

    if len(columns) == 1:
        one = local_effects(own[0], columns[0], matrix, weights, model.schema.features, answer_of, n_bins)
        numbers, effects, n_missing = [one.numbers], one.effects, one.n_missing
    else:
        pair = (columns[0], columns[1])
        both = joint_effects(pair, matrix, weights, model.schema.features, answer_of, n_bins)
        numbers, effects, n_missing = list(both.numbers), both.effects, both.n_missing
        notes.append("What both features do together, beyond what each of them does alone.")
        if both.n_empty:
            notes.append(
                f"{both.n_empty} of {both.n_cells} cells have no rows: each is taken to be like the nearest."
            )
    if n_missing:
        notes.append(f"{n_missing} rows without a value that fit knew are left out.")
    if any(one.kind == "nominal" and len(values) > 2 for one, values in zip(own, numbers, strict=True)):
        notes.append("Categories stand in the order in which neighbours are alike in the other features.")
    return DependenceReport(
        algorithm=model.algorithm,
        method="accumulated",
        output="raw" if output == "raw" else "answer",
        meaning=answer.meaning,
        features=tuple(names[column] for column in columns),
        values=tuple(shown_values(one, values) for one, values in zip(own, numbers, strict=True)),
        classes=answer.labels,
        n_rows=len(matrix) - n_missing,
        average=effects if answer.labels is not None else effects[..., 0],
        individual=None,
        deciles=tuple(deciles_of(one, matrix[:, column]) for one, column in zip(own, columns, strict=True)),
        notes=tuple(notes),
        _numeric=tuple(one.kind == "numeric" for one in own),
        _frame=frame_library(X, model.schema),
    )


class _Answer:
    """What a model answers, from encoded rows or from sums of its trees."""

    def __init__(self, estimator: Any, raw: bool) -> None:
        self._estimator, self._raw = estimator, raw
        model = estimator.model_
        self._model: Model = model
        self._median = model.aggregation == "weighted" and model.classes is None
        if raw and self._median:
            game_of(model, estimator._node_values)  # says why there is no sum
        bends = model.aggregation == "weighted" or (
            model.aggregation == "sum" and BoosterFacts.of(model).link != "identity"
        )
        # Calibration is what forests have notes about.
        self.bends = not raw and (bends or bool(estimator._shap_notes()))
        self.divides = model.aggregation not in ("sum", "weighted") and estimator._sums_to_one

    @property
    def game(self) -> Game:
        """The sum of trees; ValueError where there is none."""
        return game_of(self._model, self._estimator._node_values)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The classes, where each has a number."""
        if self._raw:
            return self.game.labels
        classes = self._model.classes
        return None if classes is None else tuple(str(label) for label in classes.tolist())

    @property
    def n_outputs(self) -> int:
        """Numbers of a row."""
        labels = self.labels
        return 1 if labels is None else len(labels)

    @property
    def meaning(self) -> str:
        """What the numbers are, in words."""
        if self._raw:
            return self.game.meaning
        return "prediction" if self._model.classes is None else "probability"

    def of(self, rows: NDArray[Any], n_threads: int) -> Floats:
        """Return answers of encoded rows, a column per output."""
        way = self._model.aggregation
        if self._raw and way == "sum":
            return self._model.raw_scores(rows, n_threads)
        if self._raw and way == "weighted":
            decision: Floats = self._model.weighted.decision(rows, n_threads)
            return decision if self.game.n_outputs > 1 else (decision[:, 1:] - decision[:, :1])
        values: Floats = self._estimator._matrix_values(rows, n_threads)
        return values if self._raw else self._calibrated(values)

    def _calibrated(self, values: Floats) -> Floats:
        found: Floats = self._estimator._calibrated(values)
        return found

    def _from_sums(self, sums: Floats) -> Floats:
        if self.divides:
            sums = sums / sums.sum(axis=-1, keepdims=True)
        if not self.bends:
            return sums
        way = self._model.aggregation
        if way == "sum":
            return answers(sums, BoosterFacts.of(self._model).link)
        if way == "weighted":
            both = np.concatenate([-sums / 2, sums / 2], axis=1) if sums.shape[1] == 1 else sums
            return decision_probabilities(both)
        return self._calibrated(sums)

    def expected(self, axes: Sequence[GridAxis], n_threads: int) -> Floats:
        """Return averages over the training rows on their ways down the trees."""
        if self.bends:
            raise ValueError(
                "method='recursion' is about the sum of the trees, of which this answer is a curve: use "
                "output='raw', or method='brute'."
            )
        sums = self.game.engine.expected_curve(*_engine_axes(axes), n_threads).reshape(_shape(axes, -1))
        return self._from_sums(sums + self.game.start)

    def over(
        self,
        matrix: NDArray[Any],
        weights: Floats | None,
        axes: Sequence[GridAxis],
        individual: bool,
        n_threads: int,
    ) -> tuple[Floats, Floats | None]:
        """Return averages over the rows, and the answers of each if asked for."""
        total = float(len(matrix) if weights is None else weights.sum())
        by_trees = not self._median and not self._shares(matrix, axes, n_threads)
        if by_trees and not (self.bends or self.divides or individual):
            sums = self.game.engine.curve_sums(matrix, *_engine_axes(axes), weights, n_threads)
            average: Floats = sums.reshape(_shape(axes, -1)) / total + self.game.start
            return average, None
        n_cells = int(np.prod(_shape(axes)))
        size = max(1, BATCH_NUMBERS // (n_cells * self.n_outputs))
        kept = np.empty((len(matrix), n_cells, self.n_outputs)) if individual else None
        mean = np.zeros((n_cells, self.n_outputs))
        for begin in range(0, len(matrix), size):
            batch = matrix[begin : begin + size]
            found = self._curves(batch, axes, by_trees, n_threads)
            own = np.ones(len(batch)) if weights is None else weights[begin : begin + size]
            mean += np.tensordot(own, found, axes=1)
            if kept is not None:
                kept[begin : begin + size] = found
        mean = (mean / total).reshape(_shape(axes, -1))
        return mean, None if kept is None else kept.reshape(len(matrix), *_shape(axes, -1))

    def _curves(
        self, matrix: NDArray[Any], axes: Sequence[GridAxis], by_trees: bool, n_threads: int
    ) -> Floats:
        """Return answers of shape (n_rows, n_cells, n_outputs)."""
        n_cells = int(np.prod(_shape(axes)))
        if by_trees:
            curves = self.game.engine.curves(matrix, *_engine_axes(axes), n_threads)
            sums = curves.reshape(len(matrix) * n_cells, -1) + self.game.start
            return self._from_sums(sums).reshape(len(matrix), n_cells, -1)
        # Trees that do not add up are asked cell by cell.
        found = np.empty((len(matrix), n_cells, self.n_outputs))
        moved = np.array(matrix)
        for cell, places in enumerate(np.ndindex(*_shape(axes))):
            for axis, place in zip(axes, places, strict=True):
                moved[:, axis.index] = axis.places[place]
            found[:, cell] = self.of(moved, n_threads)
        return found

    def _shares(self, matrix: NDArray[Any], axes: Sequence[GridAxis], n_threads: int) -> bool:
        """Tell whether trees that must answer with one leaf share a row among several."""
        if self.game.whole_leaves is None:
            return False
        engine = self.game.engine
        if engine.shared(matrix, n_threads).any():
            return True
        if not any(np.isnan(axis.places).any() for axis in axes):
            return False
        moved = np.array(matrix)
        moved[:, [axis.index for axis in axes]] = np.nan
        return bool(engine.shared(moved, n_threads).any())


def _rows(estimator: Any, X: Any, sample_weight: Any) -> tuple[Model, NDArray[Any] | None, Floats | None]:
    if "model_" not in estimator.__dict__:
        check_is_fitted(estimator)
    model = estimator.model_
    if X is None:
        return model, None, None
    table = read_table(X, estimator_name=type(estimator).__name__, schema=model.schema)
    matrix: NDArray[Any] = table.to_matrix()
    found = encode_weights(sample_weight, len(matrix))
    if found.keep is None:
        return model, matrix, found.values
    weights = np.zeros(len(matrix))  # rows without weight stay, because they may be shown one by one
    weights[found.keep] = 1.0 if found.values is None else found.values
    return model, matrix, weights


def _given_values(values: Any, n_axes: int) -> list[Any]:
    """Return what was given for each axis; None: nothing."""
    if values is None:
        return [None] * n_axes
    if n_axes == 1:
        return [values]
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != n_axes:
        raise ValueError("values of two features must be a pair: a list for each of them, or None.")
    return list(values)


def _engine_axes(axes: Sequence[GridAxis]) -> tuple[list[int], list[list[float]]]:
    return [axis.index for axis in axes], [axis.places.tolist() for axis in axes]


def _shape(axes: Sequence[GridAxis], *more: int) -> tuple[int, ...]:
    return (*(len(axis.places) for axis in axes), *more)


def _in_order(found: Floats, axes: Sequence[GridAxis], first: int) -> Floats:
    """Return numbers for the values as they were given; no copy where these ascend."""
    for place, axis in enumerate(axes, start=first):
        if not np.array_equal(axis.order, np.arange(found.shape[place])):
            found = np.take(found, axis.order, axis=place)
    return found


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r:.80}.")


def _check_room(n_rows: int, axes: Sequence[GridAxis], n_outputs: int) -> None:
    n_cells = int(np.prod(_shape(axes)))
    size = 8 * n_rows * n_cells * n_outputs
    if size > MOST_BYTES:
        raise MemoryError(
            f"The answers for {n_rows} rows and {n_cells} values would take {size / 2**30:.1f} GiB. Ask "
            "for fewer rows or values, or for kind='average', which needs no room for rows."
        )
