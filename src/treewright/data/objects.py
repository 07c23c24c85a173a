"""Columns of Python objects: decide whether they are numbers, booleans or text.

All text -> nominal by first appearance; all booleans -> nominal, False before True; all numbers -> numeric;
text together with numbers or booleans is refused, because no order or meaning can be guessed.
Nothing but missing values -> nominal without categories.
"""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import (
    LARGEST_EXACT_INTEGER,
    Categories,
    Category,
    Codes,
    Numbers,
    is_missing,
    plain_category,
)

# The longest integer that a message writes out.
_LONGEST_SHOWN = 10**24
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def date_error(where: str, what: str) -> ValueError:
    """Return the refusal of a column of dates or durations, with advice."""
    return ValueError(
        f"{where} holds dates or durations ({what}), which have no meaning for a tree by themselves. Replace "
        "it with numbers, for example the year, the day of the week, or the days since a reference date."
    )


def bytes_error(where: str) -> ValueError:
    """Return the refusal of a column of bytes."""
    return ValueError(f"{where} holds bytes. Decode them to text first, for example with .decode().")


def _kind(where: str, kind: type) -> str:
    """Return "missing", "text", "bool", "number" for a type; refuse anything else."""
    if kind is type(None) or kind.__name__ in ("NAType", "NaTType"):
        return "missing"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, bool | np.bool_):
        return "bool"
    # Before numbers: NumPy registers timedelta64 as an integer.
    if issubclass(kind, _DATES) or kind.__name__ in ("Period", "Timestamp", "Timedelta"):
        raise date_error(where, kind.__name__)
    if issubclass(kind, numbers.Real | Decimal):
        return "number"
    if issubclass(kind, numbers.Complex):
        raise ValueError(f"Complex data not supported\n{where} holds complex numbers.\n")
    if issubclass(kind, bytes | bytearray):
        raise bytes_error(where)
    raise TypeError(
        f"{where} holds a value of type {kind.__name__}: "
        f"argument must be a string or a real number, not {kind.__name__!r}."
    )


def read_objects(where: str, values: list[Any], *, is_feature: bool = True) -> Numbers | Categories:
    """Decide what a column of Python objects is.

    Parameters
    ----------
    where : str
        How messages call the column.
    values : list
        The objects, one per row.
    is_feature : bool, default=True
        Whether a message may name categorical_features, which say nothing about y.

    Raises
    ------
    ValueError
        When text is mixed with numbers or booleans, when an integer is too large, or for dates.
    TypeError
        When a value is neither text nor a number.
    """
    kinds = {_kind(where, kind) for kind in set(map(type, values))} - {"missing"}
    if (
        not kinds
    ):  # nothing is known about the column: no categories, so that any value may come at prediction
        return Categories(np.zeros(len(values), dtype=np.uint32), ())
    if kinds == {"text"}:
        return categorise_objects(where, values)
    if "text" in kinds:
        # A float NaN among text is how pandas writes a missing text; anything else is a real mixture.
        other = next((v for v in values if not isinstance(v, str) and not is_missing(v)), None)
        if other is not None:
            text = next(v for v in values if isinstance(v, str))
            remedy = ", or list it in categorical_features" if is_feature else ""
            raise ValueError(
                f"{where} mixes text ({str(text)!r}) with other values ({other!r}). Convert the column to "
                f"one type, for example with .astype(str){remedy}."
            )
        return categorise_objects(where, values)
    if "bool" in kinds and all(isinstance(v, bool | np.bool_) or is_missing(v) for v in values):
        codes = np.fromiter((0 if is_missing(v) else 1 + bool(v) for v in values), np.uint32, len(values))
        return Categories(codes, (False, True), declared=True)
    return Numbers(_to_floats(where, values, is_feature))


def _to_floats(where: str, values: list[Any], is_feature: bool) -> NDArray[np.float64]:
    try:
        try:
            result = np.array(values, dtype=np.float64)  # None becomes NaN
        except TypeError:  # pandas' NA does not
            result = np.array([np.nan if is_missing(v) else float(v) for v in values], dtype=np.float64)
    except ValueError as error:  # a signalling NaN
        raise ValueError(f"{where} holds a value that is not a number: {error}.") from error
    except OverflowError:
        exact: list[Any] = [v for v in values if isinstance(v, numbers.Rational)]
        largest = max(exact, key=abs)
        if isinstance(largest, numbers.Integral):
            raise integer_error(where, int(largest), is_feature) from None
        raise overflow_error(where, largest) from None
    if np.any(np.abs(result) >= LARGEST_EXACT_INTEGER):
        for value in filter(_is_integer, values):
            if abs(int(value)) > LARGEST_EXACT_INTEGER:
                raise integer_error(where, int(value), is_feature)
    return result


def _is_integer(value: object) -> bool:
    return isinstance(value, numbers.Integral)


def integer_error(where: str, value: int, is_feature: bool = True) -> ValueError:
    """Return the refusal of an integer that float64 thresholds cannot tell from its neighbours."""
    remedy = (
        "If it is an identifier, drop the column or list it in categorical_features; otherwise convert it to "
        "float."
        if is_feature
        else "Use text as labels, for example y.astype(str), or convert numbers to float."
    )
    what = _number_words(value)
    return ValueError(f"{where} holds {what}, which is beyond 2**53 and cannot be compared exactly. {remedy}")


def overflow_error(where: str, value: Any) -> ValueError:
    """Return the refusal of an exact number for which there is no float64."""
    return ValueError(
        f"{where} holds {_number_words(value)}, which is too large for float64. Divide the values by a "
        "constant first, or take their logarithm."
    )


def _number_words(value: Any) -> str:
    """Return an exact number for a message; Python itself refuses to write integers of many digits."""
    words = "the integer" if isinstance(value, numbers.Integral) else "the number"
    whole = abs(int(value))
    if whole < _LONGEST_SHOWN:
        return f"{words} {value}"
    sign = "-" if value < 0 else ""
    return f"{words} {sign}10**{int(whole.bit_length() * math.log10(2))} (or so)"


def categorise_objects(where: str, values: list[Any]) -> Categories:
    """Make every distinct object a category: numbers in numeric order, anything else by first appearance."""
    values = _with_floats(check_types(where, values))
    if (large := next((value for value in values if isinstance(value, Fraction)), None)) is not None:
        raise overflow_error(where, large)
    seen = [value for value in dict.fromkeys(values) if not is_missing(value)]
    if not any(isinstance(value, str) for value in seen):
        seen.sort()
    categories = tuple(plain_category(value) for value in seen)
    index: dict[Any, int] = {value: code for code, value in enumerate(seen, 1)}
    return Categories(code_objects(values, index, len(seen) + 1), categories)


def check_types(where: str, values: list[Any]) -> list[Any]:
    """Refuse values that are neither text, numbers, booleans nor missing; return the others as they are."""
    kinds = set(map(type, values))
    for kind in kinds:
        _kind(where, kind)
    if Decimal in kinds and any(isinstance(value, Decimal) and value.is_snan() for value in values):
        raise ValueError(f"{where} holds a value that is not a number: a signalling NaN.")
    return values


def _with_floats(values: list[Any]) -> list[Any]:
    """Return decimals and fractions as floats, except fractions that are too large to be one.

    Decimal("1.1") does not equal the category 1.1.
    """
    if not any(issubclass(kind, Decimal | Fraction) for kind in set(map(type, values))):
        return values
    return [
        _as_float(value) if isinstance(value, Decimal | Fraction) and not is_missing(value) else value
        for value in values
    ]


def _as_float(value: Decimal | Fraction) -> float | Decimal | Fraction:
    try:
        return float(value)
    except OverflowError:
        return value


def code_objects(values: list[Any], index: dict[Any, int], unseen: int) -> Codes:
    """Look objects up by value; missing becomes 0 and a value without a category `unseen`."""
    values = _with_floats(values)
    distinct: dict[Any, int] = dict.fromkeys(values, unseen)
    for value in distinct:
        distinct[value] = 0 if is_missing(value) else index.get(value, unseen)
    lookup: Callable[[Any], int] = distinct.__getitem__
    return np.fromiter(map(lookup, values), np.uint32, len(values))


def category_index(categories: tuple[Category, ...]) -> dict[Any, int]:
    """Return category -> code. Equal numbers are one category whatever their type (1 == 1.0 == True)."""
    return {category: code for code, category in enumerate(categories, 1)}
