"""DaskTable: a Table whose rows are partitions on a cluster. RemoteDataset: its codes, on the workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dask import delayed
from dask.delayed import Delayed
from distributed import Client, Future
from numpy.typing import NDArray

from treewright import _core
from treewright._core import Dataset
from treewright.dask.partition import Seen, described, encoded_columns, look, make_codes, survey
from treewright.dask.training import boost_shares
from treewright.dask.watching import gathered
from treewright.data.column import Array
from treewright.data.growing_schema import GrowingFeature, finished_schema
from treewright.data.kinds import column_rules
from treewright.data.memory import available_memory, format_bytes
from treewright.data.names import check_count, check_names
from treewright.data.schema import Schema, numeric_schema
from treewright.data.table import KIND_NUMBERS, Table, TableMaker

__all__ = ["DaskRows", "DaskTable", "RemoteDataset"]


class DaskRows(TableMaker):
    """Partitions of rows, for `fit`.

    Parameters
    ----------
    client : Client
        The cluster.
    parts : list of Delayed
        The partitions.
    names : tuple of str or None
        Names of the columns, where they have names.
    estimator : object
        The estimator whose loss workers are to boost by; None: codes are collected by the client.
    deadline : float
        Seconds after which a worker that does not answer counts as lost.
    """

    def __init__(
        self,
        client: Client,
        parts: list[Delayed],
        names: tuple[str, ...] | None,
        *,
        estimator: Any = None,
        deadline: float = 60.0,
    ) -> None:
        self.client, self.parts, self.names = client, parts, names
        self.estimator, self.deadline = estimator, deadline

    def each(self, work: Callable[..., Any], *arguments: Sequence[Any]) -> list[Future]:
        """Start a function on every partition, with its place in lists of arguments."""
        task = delayed(work, pure=False)
        tasks = [task(part, *more) for part, *more in zip(self.parts, *arguments, strict=True)]
        futures: list[Future] = self.client.compute(tasks)
        return futures

    def gathered(self, futures: list[Future]) -> list[Any]:
        """Return results, or raise when the cluster is gone."""
        return gathered(self.client, futures)

    def to_table(
        self,
        *,
        estimator_name: str,
        categorical_features: Any = "from_dtype",
        schema: Schema | None = None,
        rows: NDArray[np.intp] | None = None,
        warn: bool = True,
    ) -> Table:
        """Look at all partitions and return the table; arguments as of `read_table`."""
        if not self.parts:
            raise ValueError(f"There is no partition: {estimator_name} has nothing to learn from.")
        first_names, n_features = self._first_columns(estimator_name)
        names = None
        if first_names is not None:
            names = np.empty(len(first_names), dtype=object)
            names[:] = first_names
        rules = column_rules(categorical_features, names, n_features)
        n = len(self.parts)
        seen: list[Seen] = self.gathered(
            self.each(look, [first_names] * n, [rules] * n, [estimator_name] * n)
        )
        part_rows = [one.n_rows for one in seen]
        if sum(part_rows) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) in the partitions, while a minimum of 1 is required by "
                f"{estimator_name}."
            )
        if schema is None:
            schema = _joined_schema(seen, first_names, n_features, warn)
        else:
            check_names(schema.names, names, estimator_name)
            check_count(schema.n_features, n_features, estimator_name)
        table = DaskTable(self, schema, part_rows)
        return table if rows is None else table.take(rows)

    def _first_columns(self, owner: str) -> tuple[tuple[str, ...] | None, int]:
        if self.names is not None:
            return self.names, len(self.names)
        names, n_features = self.client.compute(delayed(_columns, pure=False)(self.parts[0], owner)).result()
        return names, n_features


def _columns(part: Any, owner: str) -> tuple[tuple[str, ...] | None, int]:
    if hasattr(part, "columns"):
        return tuple(str(name) for name in part.columns), len(part.columns)
    array = np.asarray(part)
    if array.ndim != 2:
        raise ValueError(f"{owner} needs partitions of two dimensions, and the first has {array.ndim}.")
    return None, array.shape[1]


def _joined_schema(seen: list[Seen], names: tuple[str, ...] | None, n_features: int, warn: bool) -> Schema:
    growing: dict[int, GrowingFeature] = {}
    for one in seen:
        for position, feature in one.growing.items():
            if position in growing:
                growing[position].join(feature)
            else:
                growing[position] = feature
    shown = names if names is not None else tuple(f"x{i}" for i in range(n_features))
    schema = finished_schema(shown, growing, warn=warn and names is not None)
    if names is not None:
        return schema
    return numeric_schema(n_features) if schema.all_numeric else Schema(schema.features, named=False)


class DaskTable(Table):
    """Rows of partitions behind a schema. What needs all of them at once collects them, if there is room."""

    __slots__ = ("_kept", "_part_rows", "_rows")

    def __init__(
        self, rows: DaskRows, schema: Schema, part_rows: list[int], kept: NDArray[np.int64] | None = None
    ) -> None:
        super().__init__(schema, sum(part_rows) if kept is None else len(kept))
        self._rows, self._part_rows, self._kept = rows, part_rows, kept

    @property
    def columns(self) -> Sequence[Array]:
        """One array per feature, collected by the client."""
        return self.whole().columns

    def take(self, rows: Array) -> Table:
        """Return some of the rows, in the order given."""
        numbers = np.flatnonzero(rows) if rows.dtype == np.bool_ else np.asarray(rows, dtype=np.int64)
        if len(numbers) > 1 and (np.diff(numbers) <= 0).any():
            return self.whole().take(rows)
        kept = numbers if self._kept is None else self._kept[numbers]
        return DaskTable(self._rows, self.schema, self._part_rows, kept)

    def select(self, columns: Sequence[int]) -> Table:
        """Return some of the columns, in the order given."""
        return self.whole().select(columns)

    def to_matrix(self) -> Array:
        """Return one float array for prediction."""
        return self.whole().to_matrix()

    def whole(self) -> Table:
        """Return the same rows in the memory of the client."""
        bytes_needed = self.n_rows * 8 * len(self.schema.features)
        room = available_memory()
        if room is not None and bytes_needed > room:
            raise MemoryError(
                f"All {self.n_rows} rows must be in the memory of the client for this, about "
                f"{format_bytes(bytes_needed)}, and {format_bytes(room)} are free. Boosters by histograms "
                "need no more than codes on the workers."
            )
        n = len(self._rows.parts)
        parts = self._rows.gathered(
            self._rows.each(encoded_columns, [self.schema] * n, self._kept_of_parts())
        )
        known = [part for part in parts if len(part[0])]
        columns = [np.concatenate(columns) for columns in zip(*known, strict=True)]
        return Table(self.schema, len(columns[0]), columns=columns)

    def _kept_of_parts(self) -> list[NDArray[Any] | None]:
        if self._kept is None:
            return [None] * len(self._part_rows)
        begins = np.concatenate([[0], np.cumsum(self._part_rows)])
        cuts = np.searchsorted(self._kept, begins)
        return [
            self._kept[first:last] - begin
            for first, last, begin in zip(cuts[:-1], cuts[1:], begins[:-1], strict=True)
        ]

    def to_dataset(self, max_bins: int = 0, n_threads: int = 1, *, keep_sparse: bool = False) -> Any:
        """Encode the rows: on the workers, where bins allow it and somebody is there to boost them."""
        if not _core.BatchEncoder.applies(self.n_rows, max_bins):
            return self.whole().to_dataset(max_bins, n_threads, keep_sparse=keep_sparse)
        remote = self._encoded(max_bins)
        return remote if self._rows.estimator is not None else remote.collected()

    def _encoded(self, max_bins: int) -> RemoteDataset:
        rows, client, n = self._rows, self._rows.client, len(self._rows.parts)
        kept = self._kept_of_parts()
        counts = [r if k is None else len(k) for r, k in zip(self._part_rows, kept, strict=True)]
        firsts = np.concatenate([[0], np.cumsum(counts)])[:-1].tolist()
        schema = [self.schema] * n
        surveyed = rows.each(survey, schema, kept, [self.n_rows] * n, [max_bins] * n, firsts)
        kinds = [KIND_NUMBERS[feature.kind] for feature in self.schema.features]
        encoder = _core.BatchEncoder(kinds, self.schema.n_codes.tolist(), self.n_rows, max_bins)
        checksums = []
        for numbers, sums, count in rows.gathered(surveyed):
            encoder.add_surveys(numbers, count)
            checksums.append(sums)
        columns = encoder.described()
        codes = rows.each(make_codes, schema, kept, [columns] * n, firsts)
        facts = rows.gathered([client.submit(described, future, pure=False) for future in codes])
        for number, (sums, (_, _, again)) in enumerate(zip(checksums, facts, strict=True)):
            _check_same(number, sums, again, self.schema)
        missing = np.logical_or.reduce([has_missing for _, has_missing, _ in facts]).tolist()
        columns = [
            (kind, n_codes, bool(missing[i]), lower, upper)
            for i, (kind, n_codes, _, lower, upper) in enumerate(columns)
        ]
        return RemoteDataset(rows, codes, counts, checksums, columns)


def _check_same(number: int, first: list[int], again: list[int], schema: Schema) -> None:
    for position, (one, other) in enumerate(zip(first, again, strict=True)):
        if one != other:
            raise ValueError(
                f"Partition {number} was not the same when it was read for the second time: column "
                f"{schema.features[position].name!r} differs. Partitions must be recomputed as they were."
            )


class RemoteDataset:
    """Codes of all rows, in pieces on the workers; can be boosted there."""

    def __init__(
        self,
        rows: DaskRows,
        codes: list[Future],
        part_rows: list[int],
        checksums: list[list[int]],
        columns: list[Any],
    ) -> None:
        self._rows, self._codes, self._part_rows, self._columns = rows, codes, part_rows, columns
        self._checksums = checksums

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self._part_rows)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self._columns)

    @property
    def missing_features(self) -> list[int]:
        """Columns without a value in some row."""
        return [i for i, column in enumerate(self._columns) if column[2]]

    def collected(self) -> Dataset:
        """Return the codes in the memory of the client."""
        parts = [part.columns for part in self._rows.gathered(self._codes) if part.n_rows]
        codes = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
        return Dataset.from_codes(codes, self._columns)

    def boost(
        self,
        target: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        raw: NDArray[np.float64],
        objective: Any,
        plan: _core.BoostPlan,
        n_rounds: int,
        **settings: Any,
    ) -> dict[str, Any]:
        """Grow trees round by round on the workers; arguments as of `_core.boost`."""
        return boost_shares(
            self._rows.client,
            self._codes,
            self._part_rows,
            self._checksums,
            self._columns,
            self._rows.estimator,
            (target, weights, raw, plan, n_rounds, settings),
            self._rows.deadline,
        )
