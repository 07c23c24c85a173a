"""Names and categories of columns, as files and callers give them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from treewright.data.column import Category, is_missing, plain_category
from treewright.imported.faults import fault

__all__ = ["given_names", "listed_categories", "whole_numbers"]

WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")


def given_names(
    found: Sequence[str] | None, given: Sequence[str] | None, numbered: re.Pattern[str], n_features: int = 0
) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether they are names.

    Parameters
    ----------
    found : sequence of str or None
        Those of the model.
    given : sequence of str or None
        Those of the caller.
    numbered : re.Pattern
        What the other library calls columns without a name.
    n_features : int
        How many there are, where the model has no names.
    """
    n = n_features if found is None else len(found)
    if given is not None:
        names = [str(name) for name in given]
        if len(names) != n:
            raise ValueError(f"feature_names has {len(names)} names, but the model has {n} features")
    elif found is None or all(numbered.fullmatch(name) for name in found):
        return [f"x{i}" for i in range(n)], False
    else:
        names = list(found)
    if len(set(names)) != len(names):
        fault("the names of features", "one of them occurs twice: pass feature_names")
    return names, True


def listed_categories(values: Sequence[Any], name: str) -> tuple[Category, ...]:
    """Return the categories of a column in the order of their codes.

    Parameters
    ----------
    values : sequence
        What the model or the caller lists.
    name : str
        The column.
    """
    if any(is_missing(value) or isinstance(value, list | dict | tuple) for value in values):
        fault(f"the categories of {name[:60]!r}", "one of them is no text and no number")
    found = tuple(plain_category(value) for value in values)
    if len(set(found)) != len(found):
        fault(f"the categories of {name[:60]!r}", "one of them occurs twice")
    return found


def whole_numbers(words: list[str]) -> list[str] | list[int]:
    """Return categories that were written down as text: whole numbers if all of them look like some.

    Parameters
    ----------
    words : list of str
        The categories of one column.
    """
    return [int(word) for word in words] if all(map(WHOLE.fullmatch, words)) else words
