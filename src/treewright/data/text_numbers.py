"""Numbers stored as text would silently become categories, each without any relation to the next."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from treewright.data.column import Category, examples
from treewright.exceptions import TextNumbersWarning
from treewright.warn_at_caller import warn_at_caller

__all__ = ["look_like_numbers", "warn_of_text_numbers"]

# So few may well be codes: grades, months, sizes.
MOST_CODES = 20
# Of the values that are looked at; the rest are ways to write "unknown".
LEAST_SHARE = 0.95
MOST_LOOKED_AT = 1000
_SHOWN = 3
# Postal codes, telephone numbers: nobody writes a number like this.
_CODE = re.compile(r"\s*(\+|-?0\d)")


def look_like_numbers(categories: Sequence[Category]) -> bool:
    """Tell whether texts that a column was found to hold are numbers rather than names or codes.

    Parameters
    ----------
    categories : sequence
        The different values of a column that declares none.
    """
    if len(categories) <= MOST_CODES:
        return False
    texts = [category for category in categories[:MOST_LOOKED_AT] if isinstance(category, str)]
    if any(_CODE.match(text) for text in texts):
        return False
    return sum(map(_is_number, texts)) >= LEAST_SHARE * min(len(categories), MOST_LOOKED_AT)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def warn_of_text_numbers(columns: Sequence[tuple[str, Sequence[Category]]], named: bool) -> None:
    """Warn of columns that look like numbers, with what to do about them.

    Parameters
    ----------
    columns : sequence of (str, sequence)
        How messages call each of them, and its categories.
    named : bool
        Whether the columns have names, as those of a DataFrame.
    """
    if not columns:
        return
    shown = ", ".join(where.removeprefix("column ") for where, _ in columns[:_SHOWN])
    more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
    first, categories = columns[0]
    odd = next((c for c in categories if not (isinstance(c, str) and _is_number(c))), None)
    unknown = "" if odd is None else f", errors='coerce') ({odd!r} becomes missing"
    remedy = f"pandas.to_numeric(X[name]{unknown})" if named else "X.astype(float)"
    warn_at_caller(
        f"{'Columns' if len(columns) > 1 else 'Column'} {shown}{more}: numbers stored as text, such as "
        f"{examples(categories)}, become categories without an order, {len(categories)} of them in {first}. "
        f"Convert them first, for example with {remedy}. If they are codes, say so: list the columns in "
        "categorical_features or give them a categorical type.",
        TextNumbersWarning,
    )
