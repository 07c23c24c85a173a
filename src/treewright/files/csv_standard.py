"""Text records by the standard library, which is always there."""

from __future__ import annotations

import csv
import io

from treewright.files.cells import PlainCells

__all__ = ["parse"]

MOST_CHARACTERS_OF_A_FIELD = 1 << 27


def parse(data: bytes, separator: str, n_columns: int) -> list[PlainCells]:
    """Return the columns of regular records."""
    csv.field_size_limit(MOST_CHARACTERS_OF_A_FIELD)
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), delimiter=separator))
    return [PlainCells(column) for column in zip(*rows, strict=True)] or [
        PlainCells(()) for _ in range(n_columns)
    ]
