"""Any container becomes a Frame: a number of rows, perhaps names, and columns read on request.

This is the only place that knows which containers exist; a new one is a new branch of `read_frame`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.array import check_dimensions, check_size, check_supported, read_array_column, to_array
from treewright.data.column import Array, Column, Numbers, take_rows
from treewright.data.dataframe import read_series, to_dataframe
from treewright.data.named_columns import NamedColumns
from treewright.data.names import string_names
from treewright.data.sparse import dense_column, is_sparse, to_csc


@dataclass(frozen=True, slots=True)
class Frame:
    """A table whose columns have not been read yet.

    Attributes
    ----------
    n_rows, n_features : int
        Its size.
    names : ndarray of object or None
        Column names, when all of them are text.
    read : callable
        (words for messages, position) -> Column.
    matrix : ndarray or None
        The whole table, when it came as one numeric array.
    sparse : scipy sparse or None
        The whole table by columns, when it came sparse.
    library : str or None
        The library of a DataFrame.
    """

    n_rows: int
    n_features: int
    names: Array | None
    read: Callable[[str, int], Column]
    matrix: Array | None = None
    sparse: Any = None
    library: str | None = None

    def where(self, position: int) -> str:
        """Return how messages call a column."""
        return column_words(self.names, position)

    def column(self, position: int) -> Column:
        """Read one column."""
        return self.read(self.where(position), position)

    def take(self, rows: NDArray[np.intp]) -> Frame:
        """Return the same table as if it had only these rows."""

        def read(where: str, position: int) -> Column:
            return take_rows(self.read(where, position), rows)

        return replace(
            self,
            n_rows=len(rows),
            read=read,
            matrix=None if self.matrix is None else self.matrix[rows],
            sparse=None if self.sparse is None else self.sparse[rows],
        )


def column_words(names: Array | None, position: int) -> str:
    """Return how messages call a column: by its name if it has one, otherwise by its position."""
    return f"column {position}" if names is None else f"column {names[position]!r}"


def read_frame(X: Any, estimator_name: str) -> Frame:
    """Wrap any supported container.

    Parameters
    ----------
    X : DataFrame of any library, Arrow table, array, list of rows or scipy sparse matrix
        The table.
    estimator_name : str
        Who asks; part of scikit-learn's messages.
    """
    if is_sparse(X):
        return _read_sparse(X, estimator_name)
    if isinstance(X, NamedColumns):
        return _read_named_columns(X, estimator_name)
    if not isinstance(X, np.ndarray | list | tuple):
        dataframe = to_dataframe(X)
        if dataframe is not None:
            return _read_dataframe(dataframe, estimator_name)
    return _read_array(to_array(X), estimator_name)


def _read_array(array: Array, estimator_name: str) -> Frame:
    if array.dtype.kind == "V":  # before the dimensions: a structured array has one, and no reshape helps
        check_supported(array, "X")
    check_dimensions(array, estimator_name)
    check_supported(array, "X")
    check_size(array.shape, estimator_name)
    n_rows, n_features = array.shape

    def read(where: str, position: int) -> Column:
        return read_array_column(where, array[:, position])

    matrix = array if array.dtype.kind in "fiub" else None
    return Frame(n_rows, n_features, None, read, matrix=matrix)


def _read_dataframe(dataframe: Any, estimator_name: str) -> Frame:
    check_size(dataframe.shape, estimator_name)
    n_rows, n_features = dataframe.shape
    series = list(dataframe.iter_columns())

    def read(where: str, position: int) -> Column:
        return read_series(where, series[position])

    names = string_names(list(dataframe.columns))
    return Frame(n_rows, n_features, names, read, library=dataframe.implementation.value)


def _read_named_columns(table: NamedColumns, estimator_name: str) -> Frame:
    check_size((table.n_rows, len(table.columns)), estimator_name)

    def read(where: str, position: int) -> Column:
        return table.columns[position]

    return Frame(table.n_rows, len(table.columns), string_names(list(table.names)), read)


def _read_sparse(X: Any, estimator_name: str) -> Frame:
    matrix = to_csc(X)
    check_size(matrix.shape, estimator_name)
    n_rows, n_features = matrix.shape

    def read(where: str, position: int) -> Column:
        return Numbers(dense_column(matrix, position))

    return Frame(n_rows, n_features, None, read, sparse=matrix)
