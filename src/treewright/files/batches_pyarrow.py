"""Batches of Parquet files and Arrow datasets, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from treewright.exceptions import DataFileError
from treewright.files.opening import files_name

__all__ = ["source"]

BATCH_ROWS = 131_072


def source(rows: Any) -> ArrowBatches:
    """Return the batches of Parquet files or of a dataset."""
    if not isinstance(rows, list):
        return ArrowBatches(rows, "the Arrow dataset")
    name = files_name(rows)
    try:
        return ArrowBatches(ds.dataset(rows, format="parquet"), name)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataFileError(f"{name}: not Parquet files of one kind: {error!s:.200}") from error


class ArrowBatches:
    """Batches of an Arrow dataset."""

    def __init__(self, dataset: Any, name: str) -> None:
        self._dataset, self.name = dataset, name
        self.names = tuple(str(column) for column in dataset.schema.names)

    def count(self) -> int | None:
        """Return the number of rows, which stands in the footers of the files."""
        return int(self._guarded(self._dataset.count_rows))

    def numeric(self) -> frozenset[str]:
        """Return the columns of numbers."""
        types = pa.types
        return frozenset(
            field.name
            for field in self._dataset.schema
            if types.is_floating(field.type) or types.is_integer(field.type)
        )

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield tables of these columns."""
        read = self._guarded(
            lambda: self._dataset.to_batches(
                columns=list(columns), batch_size=BATCH_ROWS, batch_readahead=2, fragment_readahead=1
            )
        )
        while True:
            batch = self._guarded(lambda: next(read, None))
            if batch is None:
                return
            if batch.num_rows:
                yield pa.Table.from_batches([batch])

    def _guarded(self, work: Any) -> Any:
        try:
            return work()
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise DataFileError(f"{self.name}: {error!s:.300}") from error
