"""The records of a text file in batches of bytes: each checked to have as many fields as the header.

Every library reads ragged or blank lines in a way of its own. So fields are counted here, by NumPy, and a
library gets only what all of them read alike; what is irregular is marked, and Python's `csv` reads it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.exceptions import DataFileError
from treewright.files.csv_fields import SEPARATORS, fields_of, guess_separator
from treewright.files.opening import ByteSource

__all__ = ["CsvRecords", "RecordBatch"]

BATCH_BYTES = 1 << 24
CAREFUL_ROWS = 20_000
HEAD_BYTES = 1 << 16
NEWLINE, RETURN, QUOTE, NUL = 10, 13, 34, 0


@dataclass(frozen=True)
class RecordBatch:
    """Some whole records.

    Attributes
    ----------
    data : bytes
        UTF-8; every record ends with a newline.
    n_records : int
        Their number.
    first_line : int
        The line of the file in which they begin, counted from 1.
    rows : list of list of str or None
        The records themselves, where a library might see others in the data, which is empty then.
    """

    data: bytes
    n_records: int
    first_line: int
    rows: list[list[str]] | None = None


class CsvRecords:
    """Reads a binary file batch by batch; the header is read at once.

    Parameters
    ----------
    file : binary file
        UTF-8, read forward only.
    name : str
        How messages call it.
    separator : str or None
        Between fields; None: found from the first lines.
    """

    def __init__(self, file: ByteSource, name: str, separator: str | None = None) -> None:
        self._file, self._name = file, name
        head = _without_mark(file.read(HEAD_BYTES), name)
        if not head.strip():
            raise DataFileError(f"{name} is empty: a table begins with a line of column names.")
        self._rest, self._is_at_end = head, False
        self.separator = separator or guess_separator(head.decode("utf-8", errors="replace"))
        self._line = 1
        self.header = self._read_header()

    # --- the header
    # -------------------------------------------------------------------------------------------------------

    def _read_header(self) -> tuple[str, ...]:
        self._skip_blank_lines()
        data, n_lines = self._take_record()
        self._check_bytes(data, self._line, np.zeros(0, dtype=np.intp))
        text = data.decode("utf-8")
        names = [name.strip() for name in fields_of(text, self.separator)]
        self._line += n_lines
        self._check_names(names)
        return tuple(names)

    def _skip_blank_lines(self) -> None:
        while self._rest[:1] in (b"\n", b"\r"):
            step = 2 if self._rest[:2] == b"\r\n" else 1
            self._rest = self._rest[step:]
            self._line += 1

    def _take_record(self) -> tuple[bytes, int]:
        """Return the first record of what was read, and the lines it takes."""
        place, quoted = 0, False
        while True:
            newline = self._rest.find(b"\n", place)
            if newline < 0:
                if not self._read_more():
                    if quoted:
                        raise self._unclosed(self._line)
                    record, self._rest = self._rest, b""
                    return record, 1
                continue
            quoted ^= self._rest.count(b'"', place, newline) % 2 == 1
            place = newline + 1
            if not quoted:
                record, self._rest = self._rest[:place], self._rest[place:]
                return record, record.count(b"\n")

    def _check_names(self, names: list[str]) -> None:
        seen: set[str] = set()
        for position, name in enumerate(names, 1):
            if not name:
                raise DataFileError(
                    f"{self._name} line 1: column {position} of {len(names)} has no name. "
                    "The first line must name every column."
                )
            if name in seen:
                raise DataFileError(
                    f"{self._name} line 1: two columns are called {name!r}. Rename one of them in the file."
                )
            seen.add(name)

    def first_records(self) -> list[list[str]]:
        """Return the records that were read with the header, to look at; the last one may be cut off."""
        text = self._rest[:HEAD_BYTES].decode("utf-8", errors="replace")
        try:
            return list(csv.reader(io.StringIO(text, newline=""), delimiter=self.separator))
        except csv.Error:
            return []

    # --- the records
    # -------------------------------------------------------------------------------------------------------

    def batches(self) -> Iterator[RecordBatch]:
        """Yield the records after the header."""
        while True:
            while len(self._rest) < BATCH_BYTES and self._read_more():
                pass
            if self._is_at_end and self._rest and not self._rest.endswith(b"\n"):
                self._rest += b"\n"
            if not self._rest:
                return
            data = np.frombuffer(self._rest, dtype=np.uint8)
            quotes = np.flatnonzero(data == QUOTE)
            if self._has_stray_quotes(data, quotes) or _has_lone_returns(data):
                yield from self._careful_batches()
                return
            batch = self._next_batch(data, quotes)
            if batch is not None and batch.n_records:
                yield batch

    def _next_batch(self, data: NDArray[np.uint8], quotes: NDArray[np.intp]) -> RecordBatch | None:
        newlines = np.flatnonzero(data == NEWLINE)
        # A newline between quotes ends no record.
        ends = newlines[np.searchsorted(quotes, newlines) % 2 == 0] if len(quotes) else newlines
        whole = int(ends[-1]) + 1 if len(ends) else 0
        if self._is_at_end and whole < len(data):
            raise self._unclosed(self._line + int(np.searchsorted(newlines, whole)))
        if not whole:
            self._read_more()
            return None
        records, data = self._rest[:whole], data[:whole]
        batch = self._checked(records, data, ends, quotes[quotes < whole], newlines[newlines < whole])
        self._rest = self._rest[whole:]
        self._line += int(np.searchsorted(newlines, whole))
        return batch

    def _careful_batches(self) -> Iterator[RecordBatch]:
        """Yield all that is left, record by record as the standard library sees it."""
        reader = csv.reader(self._lines(), delimiter=self.separator, strict=True)
        before, first, line = self._line, self._line, self._line
        rows: list[list[str]] = []
        while True:
            line = before + reader.line_num
            try:
                row = next(reader, None)
            except csv.Error as error:
                if self._is_at_end and not self._rest:
                    raise self._unclosed(line) from None
                raise DataFileError(
                    f"{self._name} line {line}: {error}. Double the quotes inside of a quoted field."
                ) from None
            if row is None:
                break
            if not row:
                if len(self.header) > 1:
                    continue
                row = [""]
            if len(row) != len(self.header):
                raise self._ragged(line, row)
            rows.append(row)
            if len(rows) == CAREFUL_ROWS:
                yield RecordBatch(b"", len(rows), first, rows)
                rows, first = [], before + reader.line_num
        if rows:
            yield RecordBatch(b"", len(rows), first, rows)

    def _lines(self) -> Iterator[str]:
        """Yield the lines that are left, and take them from what was read."""
        number = self._line
        while self._rest or self._read_more():
            end = self._rest.find(b"\n") + 1
            if not end:
                if self._read_more():
                    continue
                end = len(self._rest)
            line, self._rest = self._rest[:end], self._rest[end:]
            self._check_bytes(line, number, np.zeros(0, dtype=np.intp))
            number += 1
            yield line.decode("utf-8")

    def _checked(
        self,
        records: bytes,
        data: NDArray[np.uint8],
        ends: NDArray[np.intp],
        quotes: NDArray[np.intp],
        newlines: NDArray[np.intp],
    ) -> RecordBatch:
        begins = np.concatenate([[0], ends[:-1] + 1])
        lengths = ends - begins
        separators = np.flatnonzero(data == ord(self.separator))
        if len(quotes):
            separators = separators[np.searchsorted(quotes, separators) % 2 == 0]
        counts = np.diff(np.searchsorted(separators, np.concatenate([begins, [len(data)]]))) + 1
        blank = (lengths == 0) | ((lengths == 1) & (data[begins] == RETURN))
        n_fields = len(self.header)
        wrong = (counts != n_fields) & ~blank
        self._check_bytes(records, self._line, newlines)
        if wrong.any():
            record = int(np.argmax(wrong))
            text = records[begins[record] : ends[record]].decode("utf-8")
            line = self._line + int(np.searchsorted(newlines, begins[record]))
            raise self._ragged(line, fields_of(text, self.separator))
        if not blank.any():
            return RecordBatch(records, len(ends), self._line)
        if n_fields == 1:  # a blank line is a missing value
            reader = csv.reader(io.StringIO(records.decode(), newline=""), delimiter=self.separator)
            return RecordBatch(b"", len(ends), self._line, [row or [""] for row in reader])
        keep = np.repeat(~blank, np.diff(np.concatenate([begins, [len(data)]])))
        return RecordBatch(data[keep].tobytes(), int((~blank).sum()), self._line)

    def _check_bytes(self, records: bytes, line: int, newlines: NDArray[np.intp]) -> None:
        if (place := records.find(b"\0")) >= 0:
            raise DataFileError(
                f"{self._name} line {line + int(np.searchsorted(newlines, place))} holds a NUL byte. Is it a "
                "text file? If it comes from a spreadsheet, save it as CSV in UTF-8."
            )
        try:
            records.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataFileError(
                f"{self._name} line {line + int(np.searchsorted(newlines, error.start))}: not UTF-8 (byte "
                f"0x{records[error.start]:02x}). Pass its encoding, for example --encoding latin-1."
            ) from None

    def _has_stray_quotes(self, data: NDArray[np.uint8], quotes: NDArray[np.intp]) -> bool:
        """Tell whether some quote does not begin, end or stand doubled in a field."""
        if not len(quotes):
            return False
        separator = ord(self.separator)
        opening, closing = quotes[0::2], quotes[1::2]
        before = np.where(opening > 0, data[opening - 1], NEWLINE)
        after = data[np.minimum(closing + 1, len(data) - 1)]
        return not (
            np.isin(before, (separator, NEWLINE, QUOTE)).all()
            and np.isin(after, (separator, NEWLINE, RETURN, QUOTE)).all()
        )

    def _unclosed(self, line: int) -> DataFileError:
        return DataFileError(f'{self._name} line {line}: a quote (") is opened and never closed.')

    def _ragged(self, line: int, fields: list[str]) -> DataFileError:
        text = self.separator.join(fields)
        shown = text if len(text) <= 40 else f"{text[:39]}…"
        count = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        hint = (
            f" Put a text that holds {self.separator!r} in quotes."
            if len(fields) > len(self.header)
            else " Complete the line; an empty field is a missing value."
        )
        for other in SEPARATORS:
            if other != self.separator and text.count(other) >= max(len(fields), 1):
                hint = f" Separator looks like {other!r} – try --sep {other!r}."
                break
        return DataFileError(
            f'{self._name} line {line}: {count}, header has {len(self.header)} ("{shown}").{hint}'
        )

    # --- bytes
    # -------------------------------------------------------------------------------------------------------

    def _read_more(self) -> bool:
        data = self._file.read(BATCH_BYTES)
        if not data:
            self._is_at_end = True
            return False
        self._rest += data
        return True


def _without_mark(head: bytes, name: str) -> bytes:
    """Return the beginning of a file without the mark of UTF-8; refuse encodings that show themselves."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataFileError(f"{name} is UTF-16, not UTF-8. Pass --encoding utf-16, or save it as UTF-8.")
    if b"\r" in head and b"\n" not in head:
        raise DataFileError(f"{name}: its lines end with carriage returns alone. Save it with newlines.")
    return head.removeprefix(b"\xef\xbb\xbf")


def _has_lone_returns(data: NDArray[np.uint8]) -> bool:
    """Tell whether a carriage return stands anywhere but before a newline."""
    returns = np.flatnonzero(data == RETURN)
    return bool(len(returns)) and bool((data[np.minimum(returns + 1, len(data) - 1)] != NEWLINE).any())
