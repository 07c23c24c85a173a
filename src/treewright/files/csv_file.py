"""CsvFile: a text file of records, read whole or batch by batch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NoReturn

from treewright.data.column import Categories, Column, Numbers, Objects
from treewright.data.named_columns import NamedColumns
from treewright.data.schema import Feature
from treewright.exceptions import DataFileError
from treewright.files.cells import Cells, PlainCells, numbers_of_distinct
from treewright.files.column_kind import ColumnKind
from treewright.files.csv_records import CsvRecords, RecordBatch
from treewright.files.decimal_sign import DECIMAL_COMMA, guess_decimal, with_points, with_points_in
from treewright.files.growing_column import GrowingColumn
from treewright.files.kinds import of_kind, typed_category
from treewright.files.opening import Opener
from treewright.files.readers import Parse, csv_reader
from treewright.files.tokens import MISSING

__all__ = ["CsvFile"]


class CsvFile:
    """Records whose first one names the columns.

    Parameters
    ----------
    open_file : callable
        Returns the file from its beginning, as UTF-8; called once for every pass.
    name : str
        How messages call it.
    separator : str or None
        Between fields; None: found from the first lines.
    missing : collection of str
        Cells that stand for a missing value.
    decimal : {".", ","} or None
        The sign between the digits of a number; None: found from the first lines, a point when in doubt.
    reader : str or None
        The library that parses, a key of `CSV_READERS`; None: the first that is installed.
    """

    def __init__(
        self,
        open_file: Opener,
        name: str,
        *,
        separator: str | None = None,
        missing: Collection[str] = MISSING,
        decimal: str | None = None,
        reader: str | None = None,
    ) -> None:
        self._open, self.name, self._separator = open_file, name, separator
        self._missing = frozenset(missing)
        self._parse: Parse = csv_reader(reader)
        with closing(open_file()) as file:
            records = CsvRecords(file, name, separator)
            self.names = records.header
            self._separator = records.separator
            self._decimal = decimal or guess_decimal(records.first_records(), records.separator)

    def read(self, kinds: Mapping[str, str] | None = None) -> NamedColumns:
        """Return the whole table.

        Parameters
        ----------
        kinds : mapping or None
            Name → "numeric" or "nominal", for columns whose kind is not to be guessed.
        """
        kinds = kinds or {}
        grown, n_rows = self._grown({name: False for name in self.names})
        again = {
            name: True for name, column in grown.items() if column.needs_text or column.holds_large_integers()
        }
        if again:
            grown |= self._grown(again)[0]
        columns = [
            of_kind(f"{self.name}: column {name!r}", grown[name].finished(), kinds.get(name))
            for name in self.names
        ]
        return NamedColumns(self.names, tuple(columns), n_rows)

    def _grown(self, is_text: Mapping[str, bool]) -> tuple[dict[str, GrowingColumn], int]:
        columns = {name: GrowingColumn(self._missing, is_text=text) for name, text in is_text.items()}
        places = self._places(columns)
        n_rows = 0
        for batch, cells in self._cells():
            n_rows += batch.n_records
            for place, column in zip(places, columns.values(), strict=True):
                column.add(cells[place])
        return columns, n_rows

    def _places(self, names: Iterable[str]) -> list[int]:
        """Return where columns stand in a record."""
        places = {name: place for place, name in enumerate(self.names)}
        return [places[name] for name in names]

    def survey(self) -> tuple[dict[str, ColumnKind], int]:
        """Return what every column is, and the number of rows, without keeping any."""
        kinds = {name: ColumnKind(self._missing) for name in self.names}
        n_rows = 0
        for batch, cells in self._cells():
            n_rows += batch.n_records
            for kind, column in zip(kinds.values(), cells, strict=True):
                kind.add(column)
        return kinds, n_rows

    def batches(self, features: Sequence[Feature]) -> Iterator[NamedColumns]:
        """Yield the rows in batches, with the columns that a model knows, of the kinds that it knows."""
        places = self._places(feature.name for feature in features)
        for batch, cells in self._cells():
            columns = [
                self._known(feature, cells[place], batch)
                for feature, place in zip(features, places, strict=True)
            ]
            yield NamedColumns(tuple(feature.name for feature in features), tuple(columns), batch.n_records)

    def _known(self, feature: Feature, cells: Cells, batch: RecordBatch) -> Column:
        if feature.kind == "numeric":
            numbers = cells.numbers(self._missing)
            if numbers is None:
                self._raise_not_numeric(feature.name, cells, batch)
            return Numbers(numbers)
        index: dict[str, int] = {}
        codes = cells.codes(self._missing, index)
        if feature.sorts == {False}:
            known = feature.categories or ()
            values = [None, *(typed_category(text, known) for text in index)]
            return Objects([values[code] for code in codes.tolist()])
        return Categories(codes, tuple(index))

    def _raise_not_numeric(self, name: str, cells: Cells, batch: RecordBatch) -> NoReturn:
        texts = (cells.text(row) for row in range(len(cells)))
        row, text = next(
            (row, text)
            for row, text in enumerate(texts)
            if numbers_of_distinct([text], self._missing) is None
        )
        hint = " Numbers with a comma are read with --decimal ','." if DECIMAL_COMMA.fullmatch(text) else ""
        raise DataFileError(
            f"{self.name} line {batch.first_line + row}: column {name!r} holds {text!r}; "
            f"the model knows numbers there.{hint}"
        )

    def _cells(self) -> Iterator[tuple[RecordBatch, Sequence[Cells]]]:
        with closing(self._open()) as file:
            records = CsvRecords(file, self.name, self._separator)
            for batch in records.batches():
                if batch.rows is not None:
                    rows = map(with_points_in, batch.rows) if self._decimal == "," else batch.rows
                    yield batch, [PlainCells(column) for column in zip(*rows, strict=True)]
                else:
                    data = batch.data
                    if self._decimal == ",":
                        data = with_points(data, records.separator)
                    yield batch, self._parse(data, records.separator, len(self.names))
