"""The kind that a user asks of a column, and categories that are numbers or booleans."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import LARGEST_EXACT_INTEGER, Categories, Category, Column, Numbers, Objects
from treewright.exceptions import DataFileError
from treewright.files.tokens import BOOLEANS, number_of

__all__ = ["KINDS", "are_whole", "of_kind", "typed_category"]

#: What a user may ask for.
KINDS = ("numeric", "nominal")


def of_kind(where: str, column: Column, kind: str | None) -> Column:
    """Return the column as the kind asked for; None: as it is.

    Raises
    ------
    DataFileError
        When a column of text should be numeric.
    """
    if kind == "nominal" and isinstance(column, Numbers):
        return _number_categories(column)
    if kind == "numeric" and isinstance(column, Categories) and column.categories:
        if not any(isinstance(category, str) for category in column.categories):
            values = np.array([np.nan, *(float(category) for category in column.categories)])
            return Numbers(values[column.codes])
        text = next(category for category in column.categories if isinstance(category, str))
        raise DataFileError(f"{where} is not numeric: it holds {text!r}.")
    assert not isinstance(column, Objects), "files have numbers and categories"
    return column


def are_whole(values: NDArray[np.float64]) -> bool:
    """Tell whether all numbers that are not missing are integers."""
    known = values[~np.isnan(values)]
    return bool((known == np.trunc(known)).all())


def _number_categories(column: Numbers) -> Categories:
    """Return numbers as categories, the smallest first; whole ones are integers."""
    values = column.values.astype(np.float64)
    distinct, rows = np.unique(values, return_inverse=True)
    n_known = int((~np.isnan(distinct)).sum())
    codes = (rows + 1).astype(np.uint32)
    codes[codes > n_known] = 0
    known = distinct[:n_known]
    whole = are_whole(known) and bool((np.abs(known) <= LARGEST_EXACT_INTEGER).all())
    return Categories(codes, tuple((known.astype(np.int64) if whole else known).tolist()))


def typed_category(text: str, known: Collection[Category]) -> Category:
    """Return what a text is among categories that are not text: a boolean or a number where it is one."""
    if text in BOOLEANS and any(isinstance(category, bool) for category in known):
        return BOOLEANS[text]
    number = number_of(text)
    return text if number != number else number
