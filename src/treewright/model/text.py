"""Names in text: verbatim, but nothing that would break a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["MAX_LISTED", "before_amount", "listed", "printable"]

MAX_LISTED = 48  # characters of a list of categories


def printable(text: str) -> str:
    r"""Escape what would break a line; everything else stays as it is.

    Examples
    --------
    >>> from treewright.model.text import printable
    >>> print(printable("größe\n[cm]"))
    größe\n[cm]
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def before_amount(labels: Iterable[str]) -> str:
    """Return what parts these labels from their amounts: a space, and a colon where one ends with a digit.

    Examples
    --------
    >>> from treewright.model.text import before_amount
    >>> f"yes{before_amount(['no', 'yes'])}9", f"class 11{before_amount(['class 2', 'class 11'])}25"
    ('yes 9', 'class 11: 25')
    """
    return ": " if any(label[-1:].isdigit() for label in labels) else " "


def listed(categories: Iterable[Any], most: int = MAX_LISTED) -> str:
    """Join categories with commas, as many as fit into `most` characters; the rest is counted.

    Examples
    --------
    >>> from treewright.model.text import listed
    >>> listed(["red", "green", "blue", "cyan"], most=12)
    'red, green, … 2 more'
    """
    names: list[str] = []
    length, rest = 0, 0
    for category in categories:
        name = "" if rest else printable(str(category))
        length += len(name) + 2 * bool(names)
        if rest or (names and length > most):
            rest += 1
        else:
            names.append(name)
    return ", ".join(names + ([f"… {rest} more"] if rest else []))
