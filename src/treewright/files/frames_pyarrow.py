"""Parquet and Arrow files by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["batches", "names", "table"]

BATCH_ROWS = 65_536


def names(path: str, kind: str) -> Sequence[str]:
    """Return the names of the columns."""
    if kind == "parquet":
        return [str(name) for name in pq.read_schema(path).names]
    with _arrow_reader(path) as reader:
        return [str(name) for name in reader.schema.names]


def table(path: str, kind: str) -> Any:
    """Return all of it as one frame."""
    if kind == "parquet":
        return pq.read_table(path)
    with _arrow_reader(path) as reader:
        return reader.read_all()


def batches(path: str, kind: str, columns: Sequence[str]) -> Iterator[Any]:
    """Yield frames of some columns that together hold all rows."""
    if kind == "parquet":
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH_ROWS, columns=list(columns)):
                yield pa.Table.from_batches([batch])
        return
    with _arrow_reader(path) as reader:
        found = (
            (reader.get_batch(number) for number in range(reader.num_record_batches))
            if hasattr(reader, "get_batch")
            else reader
        )
        for batch in found:
            yield pa.Table.from_batches([batch]).select(list(columns))


def _arrow_reader(path: str) -> Any:
    source = pa.memory_map(path)
    try:
        return pa.ipc.open_file(source)
    except pa.ArrowInvalid:  # a stream has no table of contents at its end
        source.seek(0)
        return pa.ipc.open_stream(source)
