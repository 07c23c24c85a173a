"""DaskTable: a Table whose rows are partitions on a cluster. RemoteDataset: its codes, on the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from dask import delayed
from dask.delayed import Delayed
from distributed import Client, Future
from numpy.typing import NDArray

from treewright import _core
from treewright.dask.forests import Coded, bytes_of_forest, grow_on_workers
from treewright.dask.partition import (
    Seen,
    described,
    encoded_columns,
    look,
    make_codes,
    prediction_matrix,
    survey,
    with_more,
)
from treewright.dask.room import check_room
from treewright.dask.training import boost_shares
from treewright.dask.watching import Pulse, gathered, let_go
from treewright.data.column import Array
from treewright.data.growing_schema import GrowingFeature, finished_schema
from treewright.data.kinds import column_rules
from treewright.data.names import check_count, check_names
from treewright.data.schema import Feature, Schema, numeric_schema
from treewright.data.streamed_table import StreamedTable
from treewright.data.table import KIND_NUMBERS, Table, TableMaker

__all__ = ["DaskRows", "DaskTable", "RemoteDataset"]

FEWER_ROWS = "Give workers more memory, set max_bins=255 for codes of one byte, or learn from fewer rows."
PARTS_AT_ONCE = 8  # that the client has in memory while it looks at all of them


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
        The estimator whose loss workers are to boost by; None: of no booster.
    grows_forests : bool, default=False
        Whether workers are to grow the trees of a forest.
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
        grows_forests: bool = False,
        deadline: float = 60.0,
    ) -> None:
        self.client, self.parts, self.names = client, parts, names
        self.estimator, self.grows_forests, self.deadline = estimator, grows_forests, deadline
        self._started: list[Future] = []

    def each(self, work: Callable[..., Any], *arguments: Sequence[Any]) -> list[Future]:
        """Start a function on every partition, with its place in lists of arguments."""
        task = delayed(work, pure=False)
        tasks = [task(part, *more) for part, *more in zip(self.parts, *arguments, strict=True)]
        futures: list[Future] = self.client.compute(tasks)
        self._started += futures
        return futures

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future:
        """Start a function on some worker."""
        self._started.append(self.client.submit(work, *arguments, pure=False))
        return self._started[-1]

    def workers(self) -> dict[str, Any]:
        """Return what the scheduler knows of the workers, by address."""
        return Pulse(self.client, self.deadline).alive()

    def gathered(self, futures: list[Future]) -> list[Any]:
        """Return results, or raise when the cluster is gone or a worker frozen."""
        return gathered(self.client, futures, self.deadline)

    def let_go(self) -> None:
        """Leave nothing on the workers, however the fit ended."""
        let_go(self.client, self._started)

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
        names, n_features = self.gathered(
            [self.client.compute(delayed(_columns, pure=False)(self.parts[0], owner))]
        )[0]
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


class DaskTable(StreamedTable):
    """Rows of partitions behind a schema. What needs all of them at once collects them, if there is room."""

    __slots__ = ("_part_rows", "_rows")

    def __init__(
        self, rows: DaskRows, schema: Schema, part_rows: list[int], kept: NDArray[np.int64] | None = None
    ) -> None:
        super().__init__(schema, sum(part_rows) if kept is None else len(kept), kept)
        self._rows, self._part_rows = rows, part_rows

    @property
    def source_name(self) -> str:
        """How messages call where the rows come from."""
        return "The partitions, in the memory of the client"

    def keeping(self, kept: NDArray[np.int64]) -> DaskTable:
        """Return the rows of these numbers, which ascend."""
        return DaskTable(self._rows, self.schema, self._part_rows, kept)

    def parts(self) -> Iterator[list[Array]]:
        """Yield the encoded columns of the rows, partition by partition, some of them ahead."""
        futures = self.encoded_parts()
        for place in range(0, len(futures), PARTS_AT_ONCE):
            for columns in self._rows.gathered(futures[place : place + PARTS_AT_ONCE]):
                if len(columns[0]):
                    yield columns

    def with_columns(self, features: Sequence[Feature], columns: Sequence[Array]) -> Table:
        """Return the table with more columns behind its own, which workers get with their partitions."""
        names = [feature.name for feature in features]
        whole = []
        for column in columns:
            entries = np.zeros(sum(self._part_rows), dtype=column.dtype)
            entries[slice(None) if self._kept is None else self._kept] = column
            whole.append(entries)
        rows, add = copy(self._rows), delayed(with_more, pure=False)
        ends = np.cumsum(self._part_rows).tolist()
        rows.parts = [
            add(part, names, [entries[end - n : end] for entries in whole])
            for part, n, end in zip(rows.parts, self._part_rows, ends, strict=True)
        ]
        rows.names = None if rows.names is None else (*rows.names, *names)
        schema = replace(self.schema, features=(*self.schema.features, *features))
        return DaskTable(rows, schema, self._part_rows, self._kept)

    def encoded_parts(self) -> list[Future]:
        """Start encoding every partition as a schema has its columns: numbers or codes."""
        n = len(self._rows.parts)
        return self._rows.each(encoded_columns, [self.schema] * n, self._kept_of_parts())

    def matrix_parts(self) -> tuple[list[Future], list[int]]:
        """Start making matrices for prediction of every partition; return them and their rows."""
        n = len(self._rows.parts)
        return self._rows.each(prediction_matrix, [self.schema] * n, self._kept_of_parts()), self._counts()

    def _counts(self) -> list[int]:
        """Return how many rows of every partition are kept."""
        kept = self._kept_of_parts()
        return [r if k is None else len(k) for r, k in zip(self._part_rows, kept, strict=True)]

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
            if self._rows.grows_forests:
                return RemoteValues(self._rows, self)
            return self.whole().to_dataset(max_bins, n_threads, keep_sparse=keep_sparse)
        return self._encoded(max_bins)

    def _encoded(self, max_bins: int) -> RemoteDataset:
        rows, n = self._rows, len(self._rows.parts)
        kept, counts = self._kept_of_parts(), self._counts()
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
        facts = rows.gathered([rows.submit(described, future) for future in codes])
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


class RemoteValues:
    """Rows of all partitions whose codes only someone with all of them can make: every worker does."""

    def __init__(self, rows: DaskRows, table: DaskTable) -> None:
        self._rows, self._table = rows, table
        self.missing_features: list[int] | None = None
        self.is_sparse = False

    def grow_forest(self, task: Any) -> Any:
        """Grow the trees of some bags on the workers, each of which gets all values."""
        needed = bytes_of_forest(self._table.n_rows * 8 * len(self._table.schema.features))
        workers = self._rows.workers()
        check_room(workers, needed, "a forest, for which each has all rows,", FEWER_ROWS)
        submit, gathered = self._rows.submit, self._rows.gathered
        return grow_on_workers(task, len(workers), submit, gathered, None, self._table.encoded_parts())


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

    @property
    def is_sparse(self) -> bool:
        """Whether columns are lists of entries."""
        return False

    def grow_forest(self, task: Any) -> Any:
        """Grow the trees of some bags on the workers, each of which gets all codes."""
        width = sum(1 if column[1] < 255 else 2 for column in self._columns)
        needed = bytes_of_forest(self.n_rows * width)
        workers = self._rows.workers()
        check_room(workers, needed, "a forest, for which each has the codes of all rows,", FEWER_ROWS)
        coded = Coded(self._columns, self._checksums)
        submit, gathered = self._rows.submit, self._rows.gathered
        return grow_on_workers(task, len(workers), submit, gathered, coded, self._codes)

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
