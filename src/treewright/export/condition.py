"""What holds on a branch, in words short enough for a line of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from treewright.model.split import Split
from treewright.model.text import listed, printable

__all__ = ["Possible", "condition", "narrowed"]

# Feature → categories that can still occur after the tests above; absent: the feature was not tested yet.
Possible = Mapping[int, frozenset[Any]]


def narrowed(possible: Possible, feature: int, split: Split, branch: int) -> Possible:
    """Return what is possible below a branch."""
    here = split.categories(branch)
    if not here:
        return possible
    return {**possible, feature: possible.get(feature, frozenset(here)) & frozenset(here)}


def condition(
    split: Split, branch: int, name: str, possible: frozenset[Any] | None, *, empty: bool = False
) -> str:
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
    empty : bool, default=False
        Whether no training row took the branch; very many categories may share it.
    """
    here = [c for c in split.categories(branch) if possible is None or c in possible]
    if split.kind == "threshold" or not here:
        return printable(replace(split, feature=replace(split.feature, name=name)).describe(branch))
    if len(here) == 1:
        return f"{printable(name)} = {printable(str(here[0]))}"
    if empty and split.kind == "multiway":
        return f"{printable(name)} = any of {len(here)} other values"
    return f"{printable(name)} in {{{listed(here)}}}"
