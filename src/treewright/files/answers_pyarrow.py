"""Answers as a Parquet file, by pyarrow; loaded when such a file is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["write"]


def write(batches: Iterator[list[list[Any]]], header: list[str], binary: IO[bytes]) -> int:
    """Write the columns of each batch and return the number of rows."""
    n_rows, writer = 0, None
    for columns in batches:
        table = pa.table([pa.array(column) for column in columns], names=header)
        writer = writer or pq.ParquetWriter(binary, table.schema)
        writer.write_table(table)
        n_rows += table.num_rows
    if writer is None:
        writer = pq.ParquetWriter(binary, pa.schema([(name, pa.float64()) for name in header]))
    writer.close()
    return n_rows
