"""Target statistics: columns "mean target of this category", cross-fitted, that trees may cut like numbers.

Every row is in one of five parts, which what it holds decides. A category's mean for a row is that of the
rows in the other four parts, drawn towards the mean of them all; rows to predict get the mean of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.data import Schema
from treewright.data.row_keys import mixed
from treewright.fitting.rows import TrainingRows
from treewright.model import Forest, Model
from treewright.model.level_means import NUMBERS, ROWS, LevelMeans

__all__ = ["Parts", "TrainingStatistics", "parts_of"]

Floats = NDArray[np.float64]

#: Parts that rows are divided into.
PARTS: Final = 5
#: So many rows of the mean of all rows are added to every category.
SHRINKAGE: Final = 10.0
#: Classes that have shares, those with the most rows.
MOST_CLASSES: Final = 20
#: A statistic must explain the target better than the mean does by so many standard errors.
LEAST_GAIN: Final = 2.0


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of the rows of a fit.

    Attributes
    ----------
    part : ndarray of int
        That of each row.
    order : ndarray of int
        The rows in an order that what they hold decides, in which they are added up.
    """

    part: NDArray[np.intp]
    order: NDArray[np.intp]


def parts_of(rows: TrainingRows) -> Parts:
    """Divide rows into parts by what they hold, so that their order does not matter.

    Rows that are alike but for their target are ordered by it, and each is in a part of its own draw:
    knowing the part of a row says nothing about its target.

    Parameters
    ----------
    rows : TrainingRows
        Rows whose table is not encoded yet.
    """
    keys = rows.whole_table.row_keys()
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    order = np.lexsort((weights, rows.target, keys))
    ordered = keys[order]
    is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    begin = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0))
    rank = (np.arange(len(order)) - begin).astype(np.uint64)
    part = np.empty(len(order), dtype=np.intp)
    part[order] = (mixed(ordered ^ mixed(rank)) % np.uint64(PARTS)).astype(np.intp)
    return Parts(part, order)


@dataclass(frozen=True, eq=False)
class TrainingStatistics:
    """Statistics of the training rows: those of all rows, and the cross-fitted ones of each.

    Attributes
    ----------
    means : LevelMeans
        Of all rows; no nodes.
    columns : list of ndarray
        One number for each training row and statistic.
    sources : list of int
        The columns that statistics are about.
    """

    means: LevelMeans
    columns: list[NDArray[Any]]
    sources: list[int]

    @classmethod
    def learned(
        cls, rows: TrainingRows, sources: list[int], parts: Parts, *, only_telling: bool = False
    ) -> TrainingStatistics | None:
        """Learn the statistics of some columns; None when there are none.

        Parameters
        ----------
        rows : TrainingRows
            Rows whose table is not encoded yet.
        sources : list of int
            The columns.
        parts : Parts
            The parts of the rows.
        only_telling : bool, default=False
            Whether columns whose statistics say nothing about the target are left out.
        """
        targets = _targets(rows)
        w = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        kept, found, outputs, values, weights, columns = [], [], [], [], [], []
        for source, codes in zip(sources, rows.whole_table.coded_columns(sources), strict=True):
            n_levels = rows.schema.features[source].n_codes + 2
            sums = _LevelSums(codes.astype(np.intp), n_levels, w, parts)
            ours = [(output, *sums.means(target)) for output, target in targets]
            if only_telling and not any(
                sums.tells(target, own) for (_, target), (_, _, own) in zip(targets, ours, strict=True)
            ):
                continue
            ours.append((ROWS, *sums.counts()))
            kept.append(source)
            for output, value, own in ours:
                found.append(source)
                outputs.append(output)
                values.append(value.astype(np.float64))
                weights.append(sums.weight)
                columns.append(own)
        if not kept:
            return None
        means = LevelMeans(
            feature=np.array(found, dtype=np.int32),
            output=np.array(outputs, dtype=np.int32),
            begin=np.concatenate([[0], np.cumsum([len(v) for v in values])]).astype(np.int64),
            value=np.concatenate(values),
            weight=np.concatenate(weights),
            node=np.empty(0, np.int64),
            column=np.empty(0, np.int32),
            threshold=np.empty(0),
        )
        return cls(means, columns, kept)

    def extend(self, rows: TrainingRows) -> TrainingRows:
        """Return the rows with the cross-fitted statistics as columns behind the others."""
        outputs = rows.outputs
        schema = self.means.schema(rows.schema, outputs.get("classes"), outputs.get("target_name"))
        more = schema.features[len(rows.schema.features) :]
        return replace(
            rows,
            table=rows.whole_table.with_columns(more, self.columns),
            schema=schema,
            statistic_sources=tuple(self.means.feature.tolist()),
        )

    def compiled(self, trees: Forest, schema: Schema, earlier: Model | None) -> tuple[Forest, LevelMeans]:
        """Return new trees with sets of categories in place of statistics, and all statistics of the model.

        Parameters
        ----------
        trees : Forest
            The trees of this fit.
        schema : Schema
            The features of X, without statistics.
        earlier : Model or None
            The model that the trees are added to.
        """
        trees, means = self.means.compiled(trees, schema)
        if earlier is None:
            return trees, means.after(None, 0)
        assert isinstance(earlier.trees, Forest), "only the engine's forests test statistics"
        return trees, means.after(LevelMeans.of(earlier), earlier.trees.node_count)

    def continues(self, earlier: Model) -> bool:
        """Tell whether a model has just these statistics, so that its rows are these rows."""
        known = LevelMeans.of(earlier)
        return known is not None and self.means.same_as(known)

    def earlier_as_grown(self, earlier: Model) -> Model:
        """Return a model that has these statistics as it grew."""
        known = LevelMeans.of(earlier)
        assert known is not None, "the model has statistics"
        return known.grown(earlier)


def _targets(rows: TrainingRows) -> list[tuple[int, Floats]]:
    """Return what means are taken of: numbers, or whether a row has a class; of two classes the second.

    Of very many classes those with the most rows: each is a column of its own.
    """
    if rows.n_classes is None:
        return [(NUMBERS, rows.target.astype(np.float64))]
    amounts = np.bincount(rows.target, rows.weights, rows.n_classes)
    largest = np.sort(np.argsort(-amounts, kind="stable")[:MOST_CLASSES])
    classes = largest.tolist() if rows.n_classes != 2 else [1]
    return [(label, (rows.target == label).astype(np.float64)) for label in classes]


class _LevelSums:
    """Sums over the rows of each category and part."""

    def __init__(self, codes: NDArray[np.intp], n_levels: int, w: Floats, parts: Parts) -> None:
        self._codes, self._n_levels, self._w, self._parts = codes, n_levels, w, parts
        # Always added up in the same order: sums do not depend on that of the rows.
        self._cell = (codes * PARTS + parts.part)[parts.order]
        self._weights = self._summed(w)
        self.weight = self._weights.sum(axis=1)

    def _summed(self, numbers: Floats) -> Floats:
        found: Any = np.bincount(self._cell, numbers[self._parts.order], self._n_levels * PARTS)
        return np.asarray(found.reshape(self._n_levels, PARTS), dtype=np.float64)

    def means(self, target: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the mean of each category, and for each row that of the rows in other parts."""
        sums = self._summed(target * self._w)
        rest, rest_weight = _others(sums), _others(self._weights)
        total, total_weight = rest.sum(axis=0), rest_weight.sum(axis=0)
        whole = sums.sum() / self._weights.sum()
        prior = np.divide(total, total_weight, out=np.full(PARTS, whole), where=total_weight > 0)
        shrunk = (rest + SHRINKAGE * prior) / (rest_weight + SHRINKAGE)
        full = (sums.sum(axis=1) + SHRINKAGE * whole) / (self.weight + SHRINKAGE)
        return _single(full), _single(shrunk)[self._codes, self._parts.part]

    def counts(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the weight of each category, and that of each row's."""
        weight = _single(self.weight)
        return weight, weight[self._codes]

    def tells(self, target: Floats, own: NDArray[Any]) -> bool:
        """Tell whether cross-fitted means are nearer to the target than the mean of all rows."""
        w, order = self._w, self._parts.order
        mean = (w * target)[order].sum() / w[order].sum()
        gain = (w * ((target - mean) ** 2 - (target - own) ** 2))[order]
        return bool(gain.sum() > LEAST_GAIN * np.sqrt(np.square(gain - gain.mean()).sum()))


def _others(sums: Floats) -> Floats:
    """Return, for each part, the sum over the other ones; never the difference of nearly equal numbers."""
    every = np.arange(PARTS)
    found: Floats = np.column_stack([sums[:, every != part].sum(axis=1) for part in range(PARTS)])
    return found


def _single(numbers: Floats) -> NDArray[Any]:
    """Return numbers in single precision: equal means are equal, whatever rounding did to their sums."""
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32)
    return single if np.isfinite(single).all() else numbers
