"""LevelMeans: mean targets of categories that splits were chosen by, and those splits as sets of categories.

A mean target is a function of the category alone, so that "mean target of city ≤ 0.31" is a set of cities.
Trees keep the sets, which every reader of trees knows; here is what they were found by, for explanations and
for rounds that follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import Feature, Schema
from treewright.model.forest import Forest
from treewright.model.forest_arrays import FOREST_MISSING, FOREST_SUBSET, FOREST_WIDE
from treewright.model.model import Model

__all__ = ["LevelMeans"]

Floats = NDArray[np.float64]

# `output` of a column that is not the share of a class.
NUMBERS: Final = -1
ROWS: Final = -2
# Formats of tables (core/tree/table.h).
BITS, RIGHT_CODES, LEFT_CODES = 0, 1, 3
# Names of the arrays of a model, and their types.
ARRAYS: Final[dict[str, Any]] = {
    "statistic_feature": np.int32,
    "statistic_output": np.int32,
    "statistic_begin": np.int64,
    "statistic_value": np.float64,
    "statistic_weight": np.float64,
    "statistic_node": np.int64,
    "statistic_column": np.int32,
    "statistic_threshold": np.float64,
}


@dataclass(frozen=True, eq=False)
class LevelMeans:
    """Statistics of categories, and the nodes that test them.

    Attributes
    ----------
    feature : ndarray of int32
        For each statistic the column that it is about.
    output : ndarray of int32
        The class whose share it is (its position); `NUMBERS`: it is the mean of numbers; `ROWS`: the weight
        of the rows of the category.
    begin : ndarray of int64
        Where the values of each statistic begin, and the end of the last.
    value : ndarray of float64
        One for each code of the column: a missing value first, then the categories, then one that fit has
        not seen.
    weight : ndarray of float64
        The weight of the rows behind each value.
    node : ndarray of int64
        The nodes that test a statistic, counted over all trees, ascending.
    column : ndarray of int32
        The statistic that each of them tests.
    threshold : ndarray of float64
        Where it is cut.
    """

    feature: NDArray[np.int32]
    output: NDArray[np.int32]
    begin: NDArray[np.int64]
    value: Floats
    weight: Floats
    node: NDArray[np.int64]
    column: NDArray[np.int32]
    threshold: Floats

    def __len__(self) -> int:
        return len(self.feature)

    def values(self, column: int) -> Floats:
        """Return the value of each code."""
        return self.value[self.begin[column] : self.begin[column + 1]]

    def weights(self, column: int) -> Floats:
        """Return the weight of the rows behind each value."""
        return self.weight[self.begin[column] : self.begin[column + 1]]

    # --- the arrays of a model
    # --------------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model."""
        return {name: getattr(self, name.removeprefix("statistic_")) for name in ARRAYS}

    @classmethod
    def of(cls, model: Model) -> Self | None:
        """Return the statistics of a model; None when it has none. ValueError when a file cannot mean it."""
        present = [name for name in ARRAYS if name in model.arrays]
        if not present:
            return None
        if len(present) < len(ARRAYS):
            raise ValueError("it lacks a part of the statistics of its categories")
        found = cls(**{name.removeprefix("statistic_"): model.arrays[name] for name in ARRAYS})
        found._check(model)
        return found

    def _check(self, model: Model) -> None:
        for name, kind in ARRAYS.items():
            array = model.arrays[name]
            if array.ndim != 1 or array.dtype != kind:
                raise ValueError(f"its {name} is not a list of numbers of the type that it must have")
        if not isinstance(model.trees, Forest):
            raise ValueError("it has statistics of categories, but no forest that tests them")
        n_codes = model.schema.n_codes.astype(np.int64)
        feature, begin = self.feature, self.begin
        if len(self.output) != len(feature) or len(begin) != len(feature) + 1 or begin[0] != 0:
            raise ValueError("its statistics of categories are not divided among its columns")
        nominal = np.array([f.kind == "nominal" for f in model.schema.features], dtype=bool)
        if ((feature < 0) | (feature >= model.n_features)).any() or not nominal[feature].all():
            raise ValueError("it has statistics of a column that has no categories")
        if not np.array_equal(np.diff(begin), n_codes[feature] + 2) or begin[-1] != len(self.value):
            raise ValueError("its statistics do not have one value for each category")
        n_classes = 0 if model.classes is None else len(model.classes)
        of_class = self.output >= 0
        if (self.output[of_class] >= n_classes).any() or (self.output < ROWS).any():
            raise ValueError("its statistics are about classes that do not exist")
        if len(self.weight) != len(self.value) or not np.isfinite(self.value).all():
            raise ValueError("a statistic of a category is not a finite number")
        if not (np.isfinite(self.weight) & (self.weight >= 0)).all():
            raise ValueError("the weight of a category is not a finite number of at least 0")
        self._check_nodes(model.trees)

    def _check_nodes(self, trees: Forest) -> None:
        node, column = self.node, self.column
        if len(column) != len(node) or len(self.threshold) != len(node):
            raise ValueError("its statistics are not divided among its nodes")
        if len(node) == 0:
            return
        if (np.diff(node) <= 0).any() or node[0] < 0 or node[-1] >= trees.node_count:
            raise ValueError("its statistics belong to nodes that do not exist")
        if ((column < 0) | (column >= len(self))).any() or not np.isfinite(self.threshold).all():
            raise ValueError("a node tests a statistic that does not exist")
        flags = trees.arrays["flags"][node]
        tests_source = trees.arrays["feature"][node] == self.feature[column]
        if not (((flags & FOREST_SUBSET) != 0) & tests_source).all():
            raise ValueError("a node that tests a statistic does not test the column that it is about")

    # --- from tests of numbers to sets of categories, and back
    # ------------------------------------------------------

    def compiled(self, forest: Forest, schema: Schema) -> tuple[Forest, LevelMeans]:
        """Return trees that test sets of categories in place of statistics, and which nodes those are.

        Parameters
        ----------
        forest : Forest
            Trees over the features of the schema and, behind them, the statistics.
        schema : Schema
            The features without the statistics.
        """
        arrays = forest.to_arrays()
        n_features, place = len(schema.features), arrays["feature"].astype(np.int64)
        node = np.flatnonzero(place >= n_features)
        column, threshold = (place[node] - n_features).astype(np.int32), arrays["number"][node].copy()
        found = replace(self, node=node, column=column, threshold=threshold)
        if len(node) == 0:
            narrow = {**arrays, "feature": _narrow(arrays["feature"], n_features)}
            return Forest(narrow, schema.n_codes, forest.criterion), found
        feature, flags, number = place, arrays["flags"].copy(), arrays["number"].copy()
        feature[node] = self.feature[column]
        flags[node] = FOREST_SUBSET
        new: dict[int, NDArray[np.uint32]] = {}
        known: dict[tuple[int, float], tuple[bool, NDArray[np.uint32]]] = {}
        for at, which, cut in zip(node.tolist(), column.tolist(), threshold.tolist(), strict=True):
            if (which, cut) not in known:
                goes_right = self.values(which) > cut
                known[which, cut] = bool(goes_right[0]), _table(goes_right)
            missing, new[at] = known[which, cut]
            if missing:
                flags[at] |= FOREST_MISSING
        # Tables stand in the order of the nodes.
        old, tables, end = arrays["tables"], [], 0
        for at in np.flatnonzero((flags & FOREST_SUBSET) != 0).tolist():
            table = new.get(at)
            if table is None:
                first = int(number[at])
                table = old[first : first + 2 + int(old[first + 1])]
            number[at] = end
            tables.append(table)
            end += len(table)
        changed = {"flags": flags, "number": number, "tables": np.concatenate(tables)}
        changed["feature"] = _narrow(feature, n_features)
        return Forest({**arrays, **changed}, schema.n_codes, forest.criterion), found

    def after(self, earlier: LevelMeans | None, n_nodes: int) -> LevelMeans:
        """Return the statistics of a model to which trees were added.

        Parameters
        ----------
        earlier : LevelMeans or None
            Those of the trees before.
        n_nodes : int
            Nodes of the trees before.
        """
        node = self.node + n_nodes
        if earlier is None or len(earlier) == 0:
            return replace(self, node=node)
        joined = {"node": np.concatenate([earlier.node, node])}
        joined["threshold"] = np.concatenate([earlier.threshold, self.threshold])
        first = len(earlier) - len(self)
        if self.same_as(earlier, first):
            column = (self.column + first).astype(np.int32)
            return replace(earlier, column=np.concatenate([earlier.column, column]), **joined)
        column = (self.column + len(earlier)).astype(np.int32)
        return LevelMeans(
            feature=np.concatenate([earlier.feature, self.feature]),
            output=np.concatenate([earlier.output, self.output]),
            begin=np.concatenate([earlier.begin, earlier.begin[-1] + self.begin[1:]]),
            value=np.concatenate([earlier.value, self.value]),
            weight=np.concatenate([earlier.weight, self.weight]),
            column=np.concatenate([earlier.column, column]),
            **joined,
        )

    def same_as(self, other: LevelMeans, first: int = 0) -> bool:
        """Tell whether these are the statistics of another one from a number on."""
        return (
            0 <= first == len(other) - len(self)
            and np.array_equal(self.feature, other.feature[first:])
            and np.array_equal(self.output, other.output[first:])
            and np.array_equal(self.value, other.value[other.begin[first] :])
            and np.array_equal(self.weight, other.weight[other.begin[first] :])
        )

    @classmethod
    def as_grown(
        cls, model: Model, matrix: NDArray[Any] | None = None, names: Sequence[str] | None = None
    ) -> tuple[Model, NDArray[Any] | None, Sequence[str] | None]:
        """Return a model as it grew, rows to ask it about, and names of its features; for reports.

        Parameters
        ----------
        model : Model
            Any model; one without statistics is returned as it is.
        matrix : ndarray, optional
            Rows as the model reads them.
        names : sequence of str, optional
            Names of the features to show.
        """
        found = cls.of(model)
        if found is None or len(found.node) == 0:
            return model, matrix, names
        features = model.schema.features
        shown = [replace(one, name=name) for one, name in zip(features, model.names(names), strict=True)]
        grown = found.grown(replace(model, schema=replace(model.schema, features=tuple(shown))))
        rows = None if matrix is None else found.extended(matrix, model.schema.n_codes)
        return grown, rows, None

    def grown(self, model: Model) -> Model:
        """Return a model as it grew: the statistics are columns behind the others, and are cut like numbers.

        Parameters
        ----------
        model : Model
            The model that these are the statistics of.
        """
        assert isinstance(model.trees, Forest), "only forests test statistics"
        arrays = model.trees.to_arrays()
        schema = self.schema(model.schema, model.classes, model.target_name)
        feature = arrays["feature"].astype(np.int64)
        feature[self.node] = model.n_features + self.column
        flags, number = arrays["flags"].copy(), arrays["number"].copy()
        flags[self.node], number[self.node] = 0, self.threshold
        changed = {"feature": _narrow(feature, len(schema.features)), "flags": flags, "number": number}
        forest = Forest({**arrays, **changed}, schema.n_codes, model.trees.criterion)
        return replace(model, schema=schema, trees=forest, arrays=_without(model.arrays))

    def schema(self, schema: Schema, classes: NDArray[Any] | None, target_name: str | None) -> Schema:
        """Return the features of a model with the statistics as numbers behind them."""
        names = {feature.name for feature in schema.features}
        more = []
        for column in range(len(self)):
            name = self.name(column, schema, classes, target_name)
            while name in names:
                name += "′"
            names.add(name)
            more.append(Feature(name, "numeric"))
        return replace(schema, features=(*schema.features, *more))

    def name(self, column: int, schema: Schema, classes: NDArray[Any] | None, target_name: str | None) -> str:
        """Return what a statistic is about, e.g. ``mean price of city``."""
        source, output = schema.features[int(self.feature[column])].name, int(self.output[column])
        if output == ROWS:
            return f"rows of {source}"
        if output == NUMBERS or classes is None:
            return f"mean {target_name or 'target'} of {source}"
        what = "" if target_name is None else f"{target_name} = "
        return f"share of {what}{classes.tolist()[output]} by {source}"

    def extended(self, matrix: NDArray[Any], n_codes: NDArray[Any]) -> NDArray[np.float64]:
        """Return an encoded matrix with the statistics of all training rows behind its columns.

        Parameters
        ----------
        matrix : ndarray
            Rows as prediction takes them: a category is its code, missing is NaN.
        n_codes : ndarray of int
            Number of categories of each feature.
        """
        return np.column_stack(
            [matrix, *(self.values(c)[self._codes(matrix, c, n_codes)] for c in range(len(self)))]
        ).astype(np.float64, copy=False)

    def _codes(self, matrix: NDArray[Any], column: int, n_codes: NDArray[Any]) -> NDArray[np.intp]:
        source = int(self.feature[column])
        entries = np.nan_to_num(matrix[:, source].astype(np.float64), nan=0.0)
        return np.clip(entries, 0, int(n_codes[source]) + 1).astype(np.intp)

    def words(self, model: Model, row: NDArray[Any]) -> list[str]:
        """Return, for a row of an encoded matrix, its statistics in words, as far as trees test them.

        Parameters
        ----------
        model : Model
            The model that these are the statistics of.
        row : ndarray of shape (n_features,)
            The row.
        """
        found = []
        for column in np.unique(self.column).tolist():
            feature = model.schema.features[int(self.feature[column])]
            code = int(self._codes(row[np.newaxis], column, model.schema.n_codes)[0])
            value, weight = float(self.values(column)[code]), float(self.weights(column)[code])
            level = "missing" if code == 0 else "a category that fit has not seen"
            if 0 < code <= feature.n_codes:
                level = f"{feature.name} = {(feature.categories or ())[code - 1]}"
            elif code == 0:
                level = f"{feature.name} missing"
            else:
                level = f"{feature.name} not seen in training"
            name = self.name(column, model.schema, model.classes, model.target_name)
            rows = f"{weight:g} row{'' if weight == 1 else 's'}"
            is_count = int(self.output[column]) == ROWS
            found.append(f"{name}: {level}, {rows}" + ("" if is_count else f", shrunk: {value:.4g}"))
        return found


def _without(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name: array for name, array in arrays.items() if name not in ARRAYS}


def _narrow(feature: NDArray[Any], n_features: int) -> NDArray[Any]:
    return feature.astype(FOREST_WIDE if n_features > np.iinfo(np.int16).max else np.int16)


def _table(goes_right: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return the shortest table that sends these codes to the right; the first is a missing value."""
    unseen = bool(goes_right[-1])
    known = goes_right[1:-1] != unseen
    codes = np.flatnonzero(known).astype(np.uint32) + np.uint32(1)
    n_words = (len(goes_right) + 31) // 32
    if len(codes) <= n_words:
        return np.concatenate(
            [np.array([LEFT_CODES if unseen else RIGHT_CODES, len(codes)], np.uint32), codes]
        )
    bits = np.zeros(32 * n_words, dtype=np.uint8)
    bits[: len(goes_right)] = goes_right
    words = np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32)
    return np.concatenate([np.array([BITS, n_words], dtype=np.uint32), words])
