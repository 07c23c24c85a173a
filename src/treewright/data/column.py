"""One column as it was read from a container, before anything is decided about it.

`Numbers` and `Categories` are final; `Objects` still has to be looked at, because what it is depends on what
is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Category: TypeAlias = str | int | float | bool
Array: TypeAlias = NDArray[Any]
Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]

# Every integer up to here has a float64 of its own; thresholds are float64.
LARGEST_EXACT_INTEGER = 2**53


@dataclass(frozen=True, slots=True)
class Numbers:
    """Real numbers; NaN is missing."""

    values: Array


@dataclass(frozen=True, slots=True)
class Categories:
    """Codes 1..n into `categories`; 0 is missing."""

    codes: Codes
    categories: tuple[Category, ...]
    ordered: bool = False
    declared: bool = False  # by the container, rather than collected from the rows


@dataclass(frozen=True, slots=True)
class Objects:
    """Python objects: text, numbers, booleans, missing values, in any mixture."""

    values: list[Any]
    categorical: bool = False  # the container says that they are categories, but not in which order


Column: TypeAlias = Numbers | Categories | Objects


def take_rows(column: Column, rows: NDArray[np.intp]) -> Column:
    """Return some of the rows of a column; categories that were only collected are collected again."""
    if isinstance(column, Numbers):
        return Numbers(column.values[rows])
    if isinstance(column, Objects):
        return replace(column, values=[column.values[row] for row in rows.tolist()])
    return replace(column, codes=column.codes[rows])


def is_missing(value: object) -> bool:
    """Tell whether a Python object stands for "no value" (None, NaN, pandas' NA and NaT)."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        return False


def plain_category(value: Any) -> Category:
    """Return a category as a Python scalar; neither text nor number (an interval, a date): as text."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in (bool, int, float):
        return value  # type: ignore[no-any-return]
    return str(value)


def declared_categories(
    where: str, codes: Array, declared: Iterable[Any], *, ordered: bool = False
) -> Categories:
    """Build Categories from a container's own dictionary, in its declared order.

    Parameters
    ----------
    where : str
        How messages call the column.
    codes : ndarray of int
        Positions in `declared`; negative means missing.
    declared : iterable
        The declared values. A missing value among them makes its rows missing.
    ordered : bool, default=False
        Whether the declared order has a meaning.
    """
    values = list(declared)
    # Slot 0 is for code -1; a dictionary may itself contain null (Arrow allows it). The narrowest type, with
    # room for the code of an unseen category: a wide table of categories is mostly this.
    new_code = np.zeros(len(values) + 1, dtype=np.min_scalar_type(len(values) + 1))
    categories: list[Category] = []
    for position, value in enumerate(values):
        if not is_missing(value):
            categories.append(plain_category(value))
            new_code[position + 1] = len(categories)
    if len(set(categories)) != len(categories):
        raise ValueError(f"{where} declares categories that look the same as text; rename them.")
    return Categories(
        new_code[np.asarray(codes, dtype=np.int64) + 1], tuple(categories), ordered, declared=True
    )


def examples(values: Sequence[Any], count: int = 2) -> str:
    """Return a few values for an error message, with an ellipsis when there are more."""
    shown = ", ".join(repr(value) for value in values[:count])
    return shown + ", …" if len(values) > count else shown
