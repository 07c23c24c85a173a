"""NamedColumns: a table that the library read itself, from a file, column by column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Categories, Column, Numbers, is_missing, take_rows

__all__ = ["NamedColumns"]


@dataclass(frozen=True)
class NamedColumns:
    """Names and columns. Estimators take it like any other table.

    Attributes
    ----------
    names : tuple of str
        The names, all different.
    columns : tuple of Column
        As many columns.
    n_rows : int
        Their length.
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def column(self, name: str) -> Column:
        """Return a column by its name."""
        return self.columns[self.names.index(name)]

    def select(self, names: Iterable[str]) -> NamedColumns:
        """Return some columns, in the order given."""
        chosen = tuple(names)
        return NamedColumns(chosen, tuple(self.column(name) for name in chosen), self.n_rows)

    def without(self, names: Iterable[str]) -> NamedColumns:
        """Return the other columns."""
        left_out = set(names)
        return self.select(name for name in self.names if name not in left_out)

    def take(self, rows: NDArray[np.intp]) -> NamedColumns:
        """Return some rows, in the order given."""
        return NamedColumns(self.names, tuple(take_rows(column, rows) for column in self.columns), len(rows))

    def rows_with(self, name: str) -> NDArray[np.intp]:
        """Return the numbers of the rows in which a column has a value."""
        column = self.column(name)
        if isinstance(column, Numbers):
            known = ~np.isnan(np.asarray(column.values, dtype=np.float64))
        elif isinstance(column, Categories):
            known = column.codes != 0
        else:
            known = np.array([not is_missing(value) for value in column.values], dtype=bool)
        return np.flatnonzero(known)
