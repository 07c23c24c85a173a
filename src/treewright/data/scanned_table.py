"""ScannedTable: a Table whose rows stay where they are; encoding reads them twice and keeps codes only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright._core import Dataset
from treewright.data.column import Array
from treewright.data.encode import encode_column
from treewright.data.frame import column_words, read_frame
from treewright.data.growing_schema import rows_of_batches
from treewright.data.schema import Feature, Schema
from treewright.data.streamed_table import StreamedTable
from treewright.data.table import KIND_NUMBERS, Table

if TYPE_CHECKING:
    from treewright.data.scan import Scan

__all__ = ["ScannedTable"]


class ScannedTable(StreamedTable):
    """Rows of a scan behind a schema."""

    __slots__ = ("_more", "_scan")

    def __init__(
        self,
        scan: Scan,
        schema: Schema,
        n_rows: int,
        kept: NDArray[np.int64] | None = None,
        more: Sequence[Array] = (),
    ) -> None:
        super().__init__(schema, n_rows, kept)
        # The columns behind those of the scan are in memory: one entry for each row that is kept.
        self._scan, self._more = scan, more

    @property
    def source_name(self) -> str:
        """How messages call where the rows come from."""
        return self._scan.source_name

    def keeping(self, kept: NDArray[np.int64]) -> ScannedTable:
        """Return the rows of these numbers, which ascend."""
        assert not self._more, "columns are added to rows that are chosen"
        return ScannedTable(self._scan, self.schema, len(kept), kept)

    def parts(self) -> Iterator[list[Array]]:
        """Yield the encoded columns of the rows, batch by batch."""
        return self._batches()

    def with_columns(self, features: Sequence[Feature], columns: Sequence[Array]) -> Table:
        """Return the table with more columns behind its own, which stay in memory."""
        schema = replace(self.schema, features=(*self.schema.features, *features))
        return ScannedTable(self._scan, schema, self.n_rows, self._kept, [*self._more, *columns])

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

    def _batches(self, asked: Sequence[bool] | None = None) -> Iterator[list[Array]]:
        """Yield the encoded columns of each batch; of columns that are not asked for, no values."""
        features = self.schema.features[: len(self.schema.features) - len(self._more)]
        own = replace(self.schema, features=features)
        names = self._scan.columns_for(own)
        words = [column_words(own.names, i) for i in range(len(features))]
        first = 0
        read = [i for i in range(len(features)) if asked is None or asked[i]]
        batches = self._scan.batches([names[i] for i in read])
        for batch, kept in rows_of_batches(batches, self._kept):
            frame = read_frame(batch, "treewright")
            nothing = np.zeros(frame.n_rows if kept is None else len(kept), dtype=np.uint8)
            columns: list[Array] = [nothing] * len(features)
            for place, i in enumerate(read):
                values = encode_column(words[i], features[i], frame.read(words[i], place))
                columns[i] = values if kept is None else values[kept]
            last = first + len(nothing)
            yield [*columns, *(column[first:last] for column in self._more)]
            first = last
