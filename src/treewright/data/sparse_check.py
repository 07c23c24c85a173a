"""Sparse matrices whose index arrays contradict their shape are refused: scipy's loops would leave memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.column import Array

__all__ = ["checked_sparse"]

_COMPRESSED = ("csr", "csc", "bsr")


def checked_sparse(X: Any) -> Any:
    """Return X in a format of arrays, after a look at every index; scipy looks only when X is made.

    Parameters
    ----------
    X : scipy sparse
        Of two dimensions. Indices may have been changed since it was made, or come out of a file.

    Raises
    ------
    ValueError
        When an index points outside of the matrix or the arrays do not belong together.
    """
    if X.format not in (*_COMPRESSED, "coo"):
        X = _converted(X)
    n_rows, n_features = X.shape
    if X.format == "coo":
        arrays = {"row": np.asarray(X.row), "col": np.asarray(X.col), "data": np.asarray(X.data)}
        _check_lengths(arrays, arrays["data"].ndim)
        _check_indices("row", arrays["row"], n_rows, "rows")
        _check_indices("col", arrays["col"], n_features, "columns")
        return X
    height, width = X.blocksize if X.format == "bsr" else (1, 1)
    by_rows = X.format != "csc"
    n_lines, n_places = (n_rows // height, n_features // width) if by_rows else (n_features, n_rows)
    lines, places = ("rows", "columns") if by_rows else ("columns", "rows")
    indptr, indices = np.asarray(X.indptr), np.asarray(X.indices)
    _check_lengths({"indices": indices, "data": np.asarray(X.data)}, 3 if X.format == "bsr" else 1)
    if indptr.ndim != 1 or indptr.dtype.kind not in "iu" or len(indptr) != n_lines + 1:
        raise _error(
            f"'indptr' must hold {n_lines + 1} integers for {n_lines} {lines}, but has the dtype "
            f"{indptr.dtype} and the shape {indptr.shape}"
        )
    if indptr[0] != 0 or indptr[-1] > len(indices):
        raise _error(
            f"'indptr' must lead from 0 to at most the {len(indices)} stored entries, but leads from "
            f"{indptr[0]} to {indptr[-1]}"
        )
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        raise _error(f"'indptr' falls at position {falls[0] + 1}, but may only rise")
    _check_indices("indices", indices[: indptr[-1]], n_places, places)
    return X


def _converted(X: Any) -> Any:
    try:
        return X.tocsr()
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise _error(f"it cannot be converted from the format '{X.format}' ({error})") from error


def _check_lengths(arrays: dict[str, Array], data_dimensions: int) -> None:
    lengths = {name: len(array) if array.ndim else -1 for name, array in arrays.items()}
    if len(set(lengths.values())) > 1 or arrays["data"].ndim != data_dimensions:
        shapes = ", ".join(f"'{name}' has the shape {array.shape}" for name, array in arrays.items())
        raise _error(f"its arrays must have one entry per stored value, but {shapes}")


def _check_indices(name: str, indices: Array, count: int, what: str) -> None:
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise _error(f"'{name}' must hold integers, but has the dtype {indices.dtype}")
    if indices.size == 0:
        return
    for extreme in (indices.min(), indices.max()):
        if not 0 <= extreme < count:
            raise _error(f"'{name}' holds {extreme}, but the matrix has {count} {what}")


def _error(what: str) -> ValueError:
    return ValueError(
        f"The sparse matrix X is corrupt: {what}. Build it anew from its rows, columns and values, for "
        "example with scipy.sparse.coo_matrix((values, (rows, columns)), shape=X.shape)."
    )
