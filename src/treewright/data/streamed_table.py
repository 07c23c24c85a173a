"""StreamedTable: a Table whose rows stay where they are; parts of them are read whenever they are needed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Array
from treewright.data.memory import available_memory, format_bytes
from treewright.data.row_keys import row_keys
from treewright.data.schema import Schema
from treewright.data.table import Table

__all__ = ["StreamedTable"]


class StreamedTable(Table):
    """Rows behind a schema, of which some may be kept.

    What needs all rows at once (exact thresholds, other orders of rows) reads them into memory, when there
    is room for them.
    """

    __slots__ = ("_kept",)

    def __init__(self, schema: Schema, n_rows: int, kept: NDArray[np.int64] | None) -> None:
        super().__init__(schema, n_rows)
        self._kept = kept

    @property
    @abstractmethod
    def source_name(self) -> str:
        """How messages call where the rows come from."""

    @abstractmethod
    def keeping(self, kept: NDArray[np.int64]) -> StreamedTable:
        """Return the rows of these numbers, which ascend."""

    @abstractmethod
    def parts(self) -> Iterator[list[Array]]:
        """Yield the encoded columns of the rows, part by part."""

    @property
    def columns(self) -> Sequence[Array]:
        """One array per feature, read into memory."""
        return self.whole().columns

    def take(self, rows: Array) -> Table:
        """Return some of the rows, in the order given."""
        numbers = np.flatnonzero(rows) if rows.dtype == np.bool_ else np.asarray(rows, dtype=np.int64)
        if len(numbers) > 1 and (np.diff(numbers) <= 0).any():
            return self.whole().take(rows)
        return self.keeping(numbers if self._kept is None else self._kept[numbers])

    def select(self, columns: Sequence[int]) -> Table:
        """Return some of the columns, in the order given."""
        return self.whole().select(columns)

    def to_matrix(self) -> Array:
        """Return one float array for prediction."""
        return self.whole().to_matrix()

    def in_memory(self) -> Table:
        """Return the same rows as arrays of this process."""
        return self.whole()

    def coded_columns(self, positions: Sequence[int]) -> list[Array]:
        """Return the codes of some columns."""
        found = [[columns[position] for position in positions] for columns in self.parts()]
        return [np.concatenate(column) for column in zip(*found, strict=True)]

    def row_keys(self) -> NDArray[np.uint64]:
        """Return a number for each row that follows from what it holds."""
        features = self.schema.features
        return np.concatenate([row_keys(columns, features, len(columns[0])) for columns in self.parts()])

    def matrices(self) -> Iterator[Array]:
        """Yield the rows as matrices for prediction, part by part."""
        for columns in self.parts():
            yield Table(self.schema, len(columns[0]), columns=columns).to_matrix()

    def whole(self) -> Table:
        """Return the same rows in memory.

        Raises
        ------
        MemoryError
            When there is no room for them, with the figures.
        """
        bytes_needed = self.n_rows * 8 * len(self.schema.features)
        room = available_memory()
        if room is not None and bytes_needed > room:
            raise MemoryError(
                f"{self.source_name}: with exact thresholds all {self.n_rows} rows must be in memory, about "
                f"{format_bytes(bytes_needed)}, and {format_bytes(room)} are free. Boosters by histograms "
                "and forests with max_bins=255 keep codes of one byte instead."
            )
        found: list[list[Array]] = [[] for _ in self.schema.features]
        for columns in self.parts():
            for part, column in zip(found, columns, strict=True):
                part.append(column)
        # Integers of one part and floats of another: NumPy finds the type that a whole column would have.
        joined = [np.concatenate(part) if part else np.empty(0) for part in found]
        n_rows = len(joined[0])
        if n_rows != self.n_rows:
            raise ValueError(
                f"{self.source_name}: there are {n_rows} rows now, and there were {self.n_rows} when they "
                "were first read."
            )
        return Table(self.schema, n_rows, columns=joined)
