"""The one place where a table meets the native module: columns become integer codes, once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright._core import Dataset
from treewright.data.column import Array
from treewright.data.schema import Schema

__all__ = ["Dataset", "encode_dataset", "rank_column"]

# The numbers that core/data/column.h gives to the kinds.
KIND_NUMBERS = {"numeric": 0, "nominal": 1, "ordinal": 2}


def encode_dataset(
    schema: Schema, matrix: Array | None, columns: Sequence[Array], *, max_bins: int, n_threads: int
) -> Dataset:
    """Encode a matrix, or columns as the schema describes them.

    Parameters
    ----------
    schema : Schema
        Kinds and numbers of categories.
    matrix : ndarray or None
        All features as one float array; then `columns` is not used.
    columns : sequence of ndarray
        One array per feature.
    max_bins : int
        Most codes per numeric column; 0 keeps every distinct value.
    n_threads : int
        Threads that encode.
    """
    if matrix is not None:
        return Dataset.from_matrix(matrix, max_bins=max_bins, n_threads=n_threads)
    return Dataset.from_columns(
        list(columns),
        [KIND_NUMBERS[feature.kind] for feature in schema.features],
        schema.n_codes.tolist(),
        max_bins=max_bins,
        n_threads=n_threads,
    )


def rank_column(values: Array, n_threads: int) -> tuple[Array, NDArray[np.float64]]:
    """Return the rank of each number of a column, from 1 on and 0 for missing, and the distinct numbers."""
    column = Dataset.from_columns([values], [KIND_NUMBERS["numeric"]], [0], n_threads=n_threads)
    return column.codes(0), column.values(0)[0]
