"""Batches of a LazyFrame, or of Parquet files, by polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from treewright.files.opening import files_name

__all__ = ["source"]

BATCH_ROWS = 131_072


def source(rows: Any) -> LazyBatches:
    """Return the batches of Parquet files or of a LazyFrame."""
    if isinstance(rows, list):
        return LazyBatches(pl.scan_parquet(rows), files_name(rows))
    return LazyBatches(rows, "the LazyFrame")


class LazyBatches:
    """Batches of a LazyFrame, which is run anew for every reading."""

    def __init__(self, rows: pl.LazyFrame, name: str) -> None:
        self._rows, self.name = rows, name
        self._schema = rows.collect_schema()
        self.names = tuple(self._schema.names())

    def count(self) -> int | None:
        """Return the number of rows."""
        return int(self._rows.select(pl.len()).collect(engine="streaming").item())

    def numeric(self) -> frozenset[str]:
        """Return the columns of numbers."""
        return frozenset(
            name for name, dtype in self._schema.items() if dtype.is_float() or dtype.is_integer()
        )

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield tables of these columns, in the order of the rows."""
        chosen = self._rows.select(list(columns))
        if hasattr(chosen, "collect_batches"):
            yield from chosen.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)
            return
        place = 0
        while len(frame := chosen.slice(place, BATCH_ROWS).collect()):
            yield frame
            place += len(frame)
