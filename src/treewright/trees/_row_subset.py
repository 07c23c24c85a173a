"""Some of the rows of whatever the user passed as y or as weights."""

from __future__ import annotations

from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from treewright.data import Table

__all__ = ["row_subset"]


def row_subset(values: Any, rows: NDArray[np.intp] | None) -> Any:
    """Return some of the rows, in the container that they came in, so that declared classes stay declared.

    Parameters
    ----------
    values : array-like, Series, DataFrame, sparse matrix, Table, number or None
        One entry per row; None and a number, which stands for all rows, are returned as they are.
    rows : ndarray of int or None
        Which; None: all.
    """
    if rows is None or values is None or isinstance(values, Real):
        return values
    if isinstance(values, Table):
        return values.take(rows)
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    if isinstance(values, list | tuple):
        return [values[row] for row in rows.tolist()]
    native = nw.from_native(values, allow_series=True, eager_only=True, pass_through=True)
    if native is not values:
        return native[rows.tolist()].to_native()
    return values[rows] if hasattr(values, "shape") else np.asarray(values)[rows]
