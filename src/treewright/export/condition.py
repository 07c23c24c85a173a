"""What holds on a branch, in words short enough for a line of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from treewright.model.split import Split

__all__ = ["Possible", "condition", "narrowed", "printable"]

MAX_LISTED = 48  # characters of a list of categories

# Feature → categories that can still occur after the tests above; absent: the feature was not tested yet.
Possible = Mapping[int, frozenset[Any]]


def narrowed(possible: Possible, feature: int, split: Split, branch: int) -> Possible:
    """Return what is possible below a branch."""
    here = split.categories(branch)
    if not here:
        return possible
    return {**possible, feature: possible.get(feature, frozenset(here)) & frozenset(here)}


def condition(split: Split, branch: int, name: str, possible: frozenset[Any] | None) -> str:
    """Say what holds on a branch.

    Parameters
    ----------
    split : Split
        What the node tests.
    branch : int
        The branch.
    name : str
        The feature's name as it is to be printed.
    possible : frozenset or None
        The categories that can reach the node: others are not worth a word. None: all of them.
    """
    listed = [str(c) for c in split.categories(branch) if possible is None or c in possible]
    if split.kind == "threshold" or not listed:
        return printable(replace(split, feature=replace(split.feature, name=name)).describe(branch))
    listed = [printable(category) for category in listed]
    if len(listed) == 1:
        return f"{printable(name)} = {listed[0]}"
    kept = len(listed)
    while kept > 1 and len(", ".join(listed[:kept])) > MAX_LISTED:
        kept -= 1
    rest = [f"… {len(listed) - kept} more"] if kept < len(listed) else []
    return f"{printable(name)} in {{{', '.join(listed[:kept] + rest)}}}"


def printable(text: str) -> str:
    r"""Escape what would break a line; everything else stays as it is.

    Examples
    --------
    >>> from treewright.export.condition import printable
    >>> print(printable("größe\n[cm]"))
    größe\n[cm]
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
