"""FileBatches: CSV, TSV, JSON lines and Arrow files, one after the other, as batches of one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from treewright.data.schema import Feature
from treewright.exceptions import DataFileError
from treewright.files.column_kind import feature_of
from treewright.files.csv_file import CsvFile
from treewright.files.opening import files_name
from treewright.files.table_file import open_table

__all__ = ["FileBatches"]


class FileBatches:
    """Batches of files with the same columns.

    Text files do not say what their columns are: they are read once more to find out.

    Parameters
    ----------
    paths : list of str
        The files, in the order of their rows.
    separator : str or None
        Between the fields of text files; None: found from the first lines of each.
    decimal : {".", ","} or None
        Between the digits of numbers in text files; None: found from the first lines of each.
    missing : frozenset of str
        Cells of text files that stand for a missing value.
    """

    def __init__(
        self, paths: Sequence[str], separator: str | None, decimal: str | None, missing: frozenset[str]
    ) -> None:
        self._files = [
            open_table(path, separator=separator, decimal=decimal, missing=missing) for path in paths
        ]
        first = self._files[0]
        self.names = first.names
        self.name = files_name([file.name for file in self._files])
        for file in self._files[1:]:
            lacking = [name for name in self.names if name not in file.names]
            if lacking:
                raise DataFileError(f"{file.name} has no column {lacking[0]!r}, which {first.name} has.")

    @cached_property
    def _surveyed(self) -> tuple[dict[str, Feature], int] | None:
        if not all(isinstance(file, CsvFile) for file in self._files):
            return None
        kinds: dict[str, list[str]] = {name: [] for name in self.names}
        n_rows = 0
        for file in self._files:
            assert isinstance(file, CsvFile)
            found, count = file.survey()
            n_rows += count
            for name, of_name in kinds.items():
                of_name.append(found[name].name)
        return {name: feature_of(name, of_name) for name, of_name in kinds.items()}, n_rows

    def count(self) -> int | None:
        """Return the number of rows, where the files were surveyed."""
        return None if self._surveyed is None else self._surveyed[1]

    def numeric(self) -> frozenset[str]:
        """Return the columns of numbers, where the files were surveyed."""
        if self._surveyed is None:
            return frozenset()
        return frozenset(name for name, feature in self._surveyed[0].items() if feature.kind == "numeric")

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield tables of these columns."""
        known = {} if self._surveyed is None else self._surveyed[0]
        features = [known.get(name) or Feature(name, "nominal", ()) for name in columns]
        for file in self._files:
            yield from file.batches(features)
