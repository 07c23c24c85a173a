"""JsonLinesFile: one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from treewright.data.column import Column
from treewright.data.named_columns import NamedColumns
from treewright.data.objects import read_objects
from treewright.data.schema import Feature
from treewright.exceptions import DataFileError
from treewright.files.kinds import of_kind
from treewright.files.opening import Opener

__all__ = ["JsonLinesFile"]

BATCH_ROWS = 10_000


class JsonLinesFile:
    """Objects of numbers, texts, booleans and nulls. A name that a line lacks is missing there.

    Parameters
    ----------
    open_file : callable
        Returns the file from its beginning.
    name : str
        How messages call it.
    """

    def __init__(self, open_file: Opener, name: str) -> None:
        self._open, self.name = open_file, name
        names: dict[str, None] = {}
        for _, row in self._rows():
            names |= dict.fromkeys(row)
        if not names:
            raise DataFileError(f'{name} is empty: every line should be an object, {{"name": value, …}}.')
        self.names = tuple(names)

    def read(self, kinds: Mapping[str, str] | None = None) -> NamedColumns:
        """Return the whole table; `kinds` as in `CsvFile.read`."""
        kinds = kinds or {}
        rows = [row for _, row in self._rows()]
        columns = [self._column(name, rows, kinds.get(name)) for name in self.names]
        return NamedColumns(self.names, tuple(columns), len(rows))

    def _column(self, name: str, rows: list[dict[str, Any]], kind: str | None) -> Column:
        where = f"{self.name}: column {name!r}"
        column = read_objects(where, [row.get(name) for row in rows], is_feature=False)
        return of_kind(where, column, kind)

    def batches(self, features: Sequence[Feature]) -> Iterator[NamedColumns]:
        """Yield the rows in batches, with the columns that a model knows."""
        names = [feature.name for feature in features]
        batch: list[dict[str, Any]] = []
        for _, row in self._rows():
            batch.append(row)
            if len(batch) == BATCH_ROWS:
                yield self._chosen(names, batch)
                batch = []
        if batch:
            yield self._chosen(names, batch)

    def _chosen(self, names: list[str], rows: list[dict[str, Any]]) -> NamedColumns:
        columns = tuple(self._column(name, rows, None) for name in names)
        return NamedColumns(tuple(names), columns, len(rows))

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        with closing(self._open()) as file:
            number = 0
            while line := file.readline():
                number += 1
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise DataFileError(f"{self.name} line {number} is not JSON: {error}.") from None
                if not isinstance(row, dict):
                    raise DataFileError(f'{self.name} line {number} is not an object, {{"name": value, …}}.')
                yield number, row
