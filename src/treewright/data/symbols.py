"""Every column as symbols without an order: what ID3 sees of a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import LARGEST_EXACT_INTEGER, Array, Category
from treewright.data.schema import Feature, numeric_schema
from treewright.data.sparse import SparseColumns, check_symbols_fit
from treewright.data.table import Table


def to_symbols(table: Table, n_threads: int = 1) -> Table:
    """Return the table with every feature nominal.

    A number becomes a category of its own, the smallest first; ordered categories lose their order.

    Parameters
    ----------
    table : Table
        The table; it stays as it is.
    n_threads : int, default=1
        Threads that sort the numbers.
    """
    columns = table.columns
    if isinstance(columns, SparseColumns):
        check_symbols_fit(columns.matrix)
    features: list[Feature] = []
    symbols: list[Array] = []
    for position, feature in enumerate(table.schema.features):
        values = columns[position]
        if feature.kind == "numeric":
            # Every distinct number has a code of its own, from 1 on, and 0 stands for missing.
            column = Table(numeric_schema(1), table.n_rows, columns=[values]).to_dataset(n_threads=n_threads)
            values = column.codes(0)
            feature = Feature(feature.name, "nominal", _plain_numbers(column.values(0)[0]))
        elif feature.kind == "ordinal":
            feature = replace(feature, kind="nominal")
        features.append(feature)
        symbols.append(values)
    return Table(replace(table.schema, features=tuple(features)), table.n_rows, columns=symbols)


def _plain_numbers(numbers: NDArray[np.float64]) -> tuple[Category, ...]:
    """Return numbers as Python's; whole ones as integers, because a symbol is read by people."""
    if np.all((numbers == np.trunc(numbers)) & (np.abs(numbers) < LARGEST_EXACT_INTEGER)):
        return tuple(numbers.astype(np.int64).tolist())
    return tuple(numbers.tolist())
