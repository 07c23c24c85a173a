"""Parquet and Arrow files by polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

__all__ = ["batches", "names", "table"]

BATCH_ROWS = 65_536


def names(path: str, kind: str) -> Sequence[str]:
    """Return the names of the columns."""
    return _scan(path, kind).collect_schema().names()


def table(path: str, kind: str) -> Any:
    """Return all of it as one frame."""
    return _scan(path, kind).collect()


def batches(path: str, kind: str, columns: Sequence[str]) -> Iterator[Any]:
    """Yield frames of some columns that together hold all rows."""
    rows = _scan(path, kind).select(list(columns))
    place = 0
    while len(frame := rows.slice(place, BATCH_ROWS).collect()):
        yield frame
        place += len(frame)


def _scan(path: str, kind: str) -> pl.LazyFrame:
    if kind == "parquet":
        return pl.scan_parquet(path)
    try:
        return pl.scan_ipc(path)
    except pl.exceptions.PolarsError:
        return pl.read_ipc_stream(path).lazy()
