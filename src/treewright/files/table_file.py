"""TableFile: a file with named columns, opened by the ending of its name."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from treewright.data.named_columns import NamedColumns
from treewright.data.schema import Feature
from treewright.exceptions import DataFileError
from treewright.files.csv_file import CsvFile
from treewright.files.frame_file import FrameFile
from treewright.files.json_lines import JsonLinesFile
from treewright.files.opening import opener, standard_input, standard_input_file
from treewright.files.tokens import MISSING

__all__ = ["FORMATS", "TableFile", "open_table"]

#: Ending of a file's name → its format. Names without one of these are CSV.
FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "json",
    ".ndjson": "json",
}

#: How files begin that say what they are.
SIGNS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}


class TableFile(Protocol):
    """A file with named columns."""

    name: str
    names: tuple[str, ...]

    def read(self, kinds: Mapping[str, str] | None = None) -> NamedColumns:
        """Return the whole table."""

    def batches(self, features: Sequence[Feature]) -> Iterator[NamedColumns]:
        """Yield the rows in batches, with the columns that a model knows."""


def open_table(
    path: str | os.PathLike[str],
    *,
    separator: str | None = None,
    missing: Collection[str] = MISSING,
    decimal: str | None = None,
    encoding: str = "utf-8",
    reader: str | None = None,
) -> TableFile:
    """Open a table by the ending of its name.

    Parameters
    ----------
    path : path-like
        A CSV, TSV, Parquet, Arrow or JSON lines file; CSV, TSV and JSON lines may be compressed by gzip.
        "-": the standard input; CSV or TSV, unless it begins as one of the others does.
    separator : str or None
        Between the fields of a text file; None: found from the first lines.
    missing : collection of str
        Cells of a text file that stand for a missing value.
    decimal : {".", ","} or None
        Between the digits of numbers in a text file; None: found from the first lines, a point when in doubt.
    encoding : str
        Of a text file.
    reader : str or None
        The library that reads; None: the first that is installed.

    Raises
    ------
    DataFileError
        When the file is not what its name says, is ragged or empty.
    FileNotFoundError
        When there is none.
    """
    if os.fspath(path) == "-" and (signed := _signed_input()) is not None:
        return signed if isinstance(signed, JsonLinesFile) else FrameFile(*signed, reader, "standard input")
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    kind = FORMATS.get(suffixes[-1] if suffixes else "", "csv")
    if kind in ("parquet", "arrow"):
        if Path(path).is_dir():
            raise DataFileError(f"{path} is a folder, not a file.")
        if not Path(path).exists():
            raise FileNotFoundError(2, "There is no such file", os.fspath(path))
        return FrameFile(path, kind, reader)
    open_file, name = opener(path, encoding)
    if kind == "json":
        return JsonLinesFile(open_file, name)
    if kind == "tsv":
        separator = separator or "\t"
    return CsvFile(open_file, name, separator=separator, missing=missing, decimal=decimal, reader=reader)


def _signed_input() -> JsonLinesFile | tuple[str, str] | None:
    """Return what the standard input shows itself to be, frames as path and format; None: text records."""
    open_input, first = standard_input()
    for sign, kind in SIGNS.items():
        if first.startswith(sign):
            return standard_input_file(f".{kind}"), kind
    return JsonLinesFile(open_input, "standard input") if first.lstrip().startswith(b"{") else None
