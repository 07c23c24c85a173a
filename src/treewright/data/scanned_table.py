"""ScannedTable: a Table whose rows stay where they are; encoding reads them twice and keeps codes only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright._core import Dataset
from treewright.data.column import Array
from treewright.data.encode import encode_column
from treewright.data.frame import column_words, read_frame
from treewright.data.growing_schema import rows_of_batches
from treewright.data.memory import available_memory, format_bytes
from treewright.data.schema import Schema
from treewright.data.table import KIND_NUMBERS, Table

if TYPE_CHECKING:
    from treewright.data.scan import Scan

__all__ = ["ScannedTable"]


class ScannedTable(Table):
    """Rows of a scan behind a schema.

    What needs all rows at once (exact thresholds, other orders of rows) reads them into memory, when there
    is room for them.
    """

    __slots__ = ("_kept", "_scan")

    def __init__(
        self, scan: Scan, schema: Schema, n_rows: int, kept: NDArray[np.int64] | None = None
    ) -> None:
        super().__init__(schema, n_rows)
        self._scan, self._kept = scan, kept

    @property
    def columns(self) -> Sequence[Array]:
        """One array per feature, read into memory."""
        return self.whole().columns

    def take(self, rows: Array) -> Table:
        """Return some of the rows, in the order given."""
        numbers = np.flatnonzero(rows) if rows.dtype == np.bool_ else np.asarray(rows, dtype=np.int64)
        if len(numbers) > 1 and (np.diff(numbers) <= 0).any():
            return self.whole().take(rows)
        kept = numbers if self._kept is None else self._kept[numbers]
        return ScannedTable(self._scan, self.schema, len(kept), kept)

    def select(self, columns: Sequence[int]) -> Table:
        """Return some of the columns, in the order given."""
        return self.whole().select(columns)

    def to_matrix(self) -> Array:
        """Return one float array for prediction."""
        return self.whole().to_matrix()

    def to_dataset(self, max_bins: int = 0, n_threads: int = 1, *, keep_sparse: bool = False) -> Dataset:
        """Encode the table for growing, batch by batch where bins allow it."""
        if not _core.BatchEncoder.applies(self.n_rows, max_bins):
            return self.whole().to_dataset(max_bins, n_threads, keep_sparse=keep_sparse)
        kinds = [KIND_NUMBERS[feature.kind] for feature in self.schema.features]
        encoder = _core.BatchEncoder(kinds, self.schema.n_codes.tolist(), self.n_rows, max_bins)
        try:
            numeric = [feature.kind == "numeric" for feature in self.schema.features]
            for columns in self._batches(numeric):
                encoder.survey(columns, n_threads)
            for columns in self._batches():
                encoder.encode(columns, n_threads)
            return encoder.dataset()
        except ValueError as error:
            raise ValueError(f"{self._scan.source_name}: {error}") from error

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
                f"{self._scan.source_name}: with exact thresholds all {self.n_rows} rows must be in memory, "
                f"about {format_bytes(bytes_needed)}, and {format_bytes(room)} are free. Boosters by "
                "histograms and forests with max_bins=255 keep codes of one byte instead."
            )
        parts: list[list[Array]] = [[] for _ in self.schema.features]
        for columns in self._batches():
            for part, column in zip(parts, columns, strict=True):
                part.append(column)
        joined = [_joined(part) for part in parts]
        n_rows = len(joined[0])
        if n_rows != self.n_rows:
            raise ValueError(
                f"{self._scan.source_name} has {n_rows} rows now, and had {self.n_rows} when it was first "
                "read."
            )
        return Table(self.schema, n_rows, columns=joined)

    def _batches(self, asked: Sequence[bool] | None = None) -> Iterator[list[Array]]:
        """Yield the encoded columns of each batch; of columns that are not asked for, no values."""
        names = self._scan.columns_for(self.schema)
        features = self.schema.features
        words = [column_words(self.schema.names, i) for i in range(len(features))]
        read = [i for i in range(len(features)) if asked is None or asked[i]]
        batches = self._scan.batches([names[i] for i in read])
        for batch, kept in rows_of_batches(batches, self._kept):
            frame = read_frame(batch, "treewright")
            nothing = np.zeros(frame.n_rows if kept is None else len(kept), dtype=np.uint8)
            columns: list[Array] = [nothing] * len(features)
            for place, i in enumerate(read):
                values = encode_column(words[i], features[i], frame.read(words[i], place))
                columns[i] = values if kept is None else values[kept]
            yield columns


def _joined(parts: list[Array]) -> Array:
    # Integers of one batch and floats of another: NumPy finds the type that a whole column would have.
    return np.concatenate(parts) if parts else np.empty(0)
