"""FrameFile: Parquet and Arrow files, read by pyarrow or, without it, by polars."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from treewright.data.column import Categories, Column, Objects
from treewright.data.frame import read_frame
from treewright.data.named_columns import NamedColumns
from treewright.data.objects import read_objects
from treewright.data.schema import Feature
from treewright.exceptions import DataFileError
from treewright.files.kinds import of_kind

__all__ = ["FrameFile"]

#: Package → our module that uses it, best first.
FRAME_READERS = {"pyarrow": "treewright.files.frames_pyarrow", "polars": "treewright.files.frames_polars"}


class FrameReader(Protocol):
    """What a module of `FRAME_READERS` offers."""

    def names(self, path: str, kind: str) -> Sequence[str]:
        """Return the names of the columns."""

    def table(self, path: str, kind: str) -> Any:
        """Return all of it as one frame."""

    def batches(self, path: str, kind: str, columns: Sequence[str]) -> Iterator[Any]:
        """Yield frames of some columns that together hold all rows."""


class FrameFile:
    """A file of typed columns.

    Parameters
    ----------
    path : path-like
        The file.
    kind : {"parquet", "arrow"}
        Its format; "arrow" is the IPC file or stream, also called Feather.
    reader : str or None
        "pyarrow" or "polars"; None: the first that is installed.
    name : str or None
        How messages call it; None: by the name of the file.
    """

    def __init__(
        self, path: str | os.PathLike[str], kind: str, reader: str | None = None, name: str | None = None
    ) -> None:
        self._path, self._kind = os.fspath(path), kind
        self.name = name or os.path.basename(self._path)
        chosen = reader or next((name for name in FRAME_READERS if find_spec(name) is not None), None)
        if chosen is None:
            raise ImportError(
                f'Reading {self.name} needs pyarrow or polars. Run: pip install "treewright[files]"'
            )
        self._reader: FrameReader = import_module(FRAME_READERS[chosen])
        self.names = tuple(self._guarded(lambda: self._reader.names(self._path, kind)))

    def _guarded(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except (OSError, MemoryError):
            raise
        except Exception as error:  # the libraries have many kinds of errors for a file that is none
            raise DataFileError(f"{self.name} is not a {self._kind} file: {error!s:.200}") from error

    def read(self, kinds: Mapping[str, str] | None = None) -> NamedColumns:
        """Return the whole table; `kinds` as in `CsvFile.read`."""
        kinds = kinds or {}
        frame = self._guarded(lambda: self._reader.table(self._path, self._kind))
        table = self._columns(frame, self.names)
        columns = [
            of_kind(f"{self.name}: column {name!r}", column, kinds.get(name))
            for name, column in zip(self.names, table.columns, strict=True)
        ]
        return NamedColumns(self.names, tuple(columns), table.n_rows)

    def batches(self, features: Sequence[Feature]) -> Iterator[NamedColumns]:
        """Yield the rows in batches, with the columns that a model knows."""
        names = [feature.name for feature in features]
        for frame in self._reader.batches(self._path, self._kind, names):
            if len(frame):
                yield self._columns(frame, names)

    def _columns(self, frame: Any, names: Sequence[str]) -> NamedColumns:
        if not len(frame):  # estimators refuse it in scikit-learn's words, and so does read_frame
            nothing = Categories(np.zeros(0, dtype=np.uint32), ())
            return NamedColumns(tuple(names), (nothing,) * len(names), 0)
        read = read_frame(frame, "treewright")
        columns = [self._decided(name, read.column(position)) for position, name in enumerate(names)]
        return NamedColumns(tuple(names), tuple(columns), read.n_rows)

    def _decided(self, name: str, column: Column) -> Column:
        if isinstance(column, Objects):
            return read_objects(f"{self.name}: column {name!r}", column.values, is_feature=False)
        return column
