"""Sparse matrices: an absent entry is the number 0; columns become dense one at a time, when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from scipy import sparse

from treewright.data.array import check_exact_integers
from treewright.data.column import Array
from treewright.data.memory import available_memory, format_bytes
from treewright.data.sparse_check import checked_sparse


def is_sparse(X: object) -> bool:
    """Tell whether X is a scipy sparse matrix or array."""
    return bool(sparse.issparse(X))


def to_csc(X: Any) -> Any:
    """Return X by columns, with native float32 or float64 values and without repeated entries."""
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D input, got input with shape {X.shape}.\nReshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a "
            "single sample."
        )
    if X.dtype.kind not in "fiub":
        raise ValueError(
            f"A sparse matrix X holds numbers, but this one has the dtype {X.dtype}. Convert it first, for "
            "example with X.astype(float)."
        )
    dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    matrix = checked_sparse(X).tocsc()
    # What X says about the order of its entries may be out of date: a new matrix around its arrays looks.
    matrix = sparse.csc_matrix((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    if matrix.dtype.kind in "iu" and matrix.dtype.itemsize == 8:
        for position in range(matrix.shape[1]):
            check_exact_integers(f"column {position}", _entries(matrix, position))
    matrix = matrix.astype(dtype, copy=False)
    if not matrix.has_canonical_format:
        # Not in place: the caller's matrix may share these arrays.
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def check_codes_fit(matrix: Any) -> None:
    """Refuse a sparse matrix whose codes, one for every row and column, would not fit in memory.

    A column with d distinct values takes 1, 2 or 4 bytes per row, and d is at most one more than the column's
    stored entries.
    """
    n_rows, n_features = matrix.shape
    n_codes = np.minimum(np.diff(matrix.indptr) + 1, n_rows)
    code_bytes = np.where(n_codes <= 254, 1, np.where(n_codes <= 65534, 2, 4))
    words = f"Encoding a sparse matrix of shape ({n_rows}, {n_features})"
    _check_fits(n_rows * int(code_bytes.sum()), words)


def check_symbols_fit(matrix: Any) -> None:
    """Refuse a sparse matrix whose numbers, each a symbol of four bytes, would not fit in memory."""
    n_rows, n_features = matrix.shape
    _check_fits(4 * n_rows * n_features, f"A sparse matrix of shape ({n_rows}, {n_features}), as symbols,")


def check_dense_fits(matrix: Any) -> None:
    """Refuse to make a sparse matrix dense when the result would not fit in memory."""
    n_rows, n_features = matrix.shape
    _check_fits(
        n_rows * n_features * matrix.dtype.itemsize,
        f"A sparse matrix of shape ({n_rows}, {n_features}), made dense,",
    )


def _check_fits(needed: int, what: str) -> None:
    available = available_memory()
    if available is not None and needed > available:
        raise MemoryError(
            f"{what} would take {format_bytes(needed)}, but {format_bytes(available)} of memory are "
            "available. Use fewer rows, or fewer columns (for example sklearn.feature_selection.SelectKBest)."
        )


class SparseColumns(Sequence[Array]):
    """The columns of a sparse matrix as dense arrays, made on access and not kept.

    Parameters
    ----------
    matrix : scipy sparse, by columns
        The numbers.
    coded : dict of int to ndarray
        Columns that are categories: position to codes. They replace the matrix's own.
    """

    def __init__(self, matrix: Any, coded: dict[int, Array] | None = None) -> None:
        self.matrix = matrix
        self.coded = coded or {}

    def __len__(self) -> int:
        return int(self.matrix.shape[1])

    @overload
    def __getitem__(self, position: int) -> Array: ...
    @overload
    def __getitem__(self, position: slice) -> list[Array]: ...
    def __getitem__(self, position: int | slice) -> Array | list[Array]:
        """Return one column, dense."""
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        if position < 0:
            position += len(self)
        if not 0 <= position < len(self):
            raise IndexError("column position out of range")
        if position in self.coded:
            return self.coded[position]
        return dense_column(self.matrix, position)

    def take(self, rows: Array) -> SparseColumns:
        """Return the columns restricted to some rows."""
        return SparseColumns(self.matrix[rows], {i: codes[rows] for i, codes in self.coded.items()})

    def to_dense(self) -> Array:
        """Return all numbers as one dense array (the coded columns are not replaced in it)."""
        check_dense_fits(self.matrix)
        dense: Array = self.matrix.toarray()
        return dense


def dense_column(matrix: Any, position: int) -> Array:
    """Return one column of a matrix by columns as a dense array, in the narrowest type that holds it exactly.

    Counts and indicators, the usual content of sparse matrices, take one byte per row this way instead of
    eight.
    """
    entries = _entries(matrix, position)
    column: Array = np.zeros(matrix.shape[0], dtype=_narrowest(entries))
    column[matrix.indices[matrix.indptr[position] : matrix.indptr[position + 1]]] = entries
    return column


def _entries(matrix: Any, position: int) -> Array:
    entries: Array = matrix.data[matrix.indptr[position] : matrix.indptr[position + 1]]
    return entries


def _narrowest(entries: Array) -> np.dtype[Any]:
    if entries.size == 0:
        return np.dtype(np.int8)
    lowest, highest = entries.min(), entries.max()
    for dtype in (np.int8, np.int16):
        limits = np.iinfo(dtype)
        # False for NaN. The cast is looked at only when the range allows it.
        if lowest >= limits.min and highest <= limits.max and bool(np.all(entries == entries.astype(dtype))):
            return np.dtype(dtype)
    return entries.dtype
