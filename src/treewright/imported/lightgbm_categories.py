"""Which column each of LightGBM's lists of categories belongs to; its files do not say.

``pandas_categorical`` has a list for each column of the type category, in the order of columns. Ordered ones
are among them, which LightGBM takes for numbers, and columns of codes that the caller named have none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.imported.faults import unsupported

__all__ = ["category_lists"]

MOST = 2 * 10**5  # lists times columns, so that no file keeps us busy
_RANGE = re.compile(r"\[([^:\]]+):([^:\]]+)\]")


@dataclass(frozen=True, eq=False)
class _Way:
    """A list, the column of categories that it is given to, and what comes after; told apart by identity."""

    number: int
    column: int
    rest: _Way | None


def category_lists(
    lists: Sequence[Sequence[Any]] | None,
    codes: Mapping[int, Sequence[int]],
    infos: Sequence[str],
    names: Sequence[str],
    given: Mapping[str, Sequence[Any]],
) -> dict[int, Sequence[Any]]:
    """Return the categories of columns, those that the caller gives or those of the DataFrame of the fit.

    Parameters
    ----------
    lists : sequence of sequences or None
        LightGBM's lists.
    codes : mapping of int to sequence of int
        Of each column of categories the codes that the file knows.
    infos : sequence of str
        What the file says about each column: codes, a range of numbers, or ``none``.
    names : sequence of str
        Names of the columns.
    given : mapping of str to sequence
        What the caller gives.
    """
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"categories has {unknown[0]!r}, which is no column of the model")
    if given or not lists:
        place = {name: i for i, name in enumerate(names)}
        return {place[name]: known for name, known in given.items() if place[name] in codes}
    # A constant column of the type category leaves a list, too; where as many are wanted there is none.
    with_constant = len(lists) != len(codes)
    ways: list[_Way | None] = []
    if len(lists) * len(infos) <= MOST:
        could = [_could_have(len(one), codes, infos, with_constant) for one in lists]
        ways = _ways(could, frozenset(codes))
    if len(ways) == 1:
        found: dict[int, Sequence[Any]] = {}
        way = ways[0]
        while way is not None:
            found[way.column], way = lists[way.number], way.rest
        return found
    unsupported(
        f"the model has {len(lists)} lists of categories (pandas_categorical) for {len(codes)} columns "
        "of categories, and does not say which belong together",
        "Pass categories={column: [first category, second, …]}; columns without a list have codes.",
    )


def _could_have(
    length: int, codes: Mapping[int, Sequence[int]], infos: Sequence[str], with_constant: bool
) -> list[int]:
    """Return the columns that a list of so many categories may belong to."""
    found = []
    for i, info in enumerate(infos):
        if i in codes:
            fits = max(codes[i], default=-1) < length
        elif info == "none":
            fits = with_constant
        else:
            fits = _is_range(info, length)
        if fits:
            found.append(i)
    return found


def _is_range(info: str, length: int) -> bool:
    """Return whether numbers are the codes of so many ordered categories."""
    ends = _RANGE.fullmatch(info)
    try:
        return ends is not None and float(ends[1]) == 0 and float(ends[2]) == length - 1
    except ValueError:
        return False


def _ways(could: Sequence[Sequence[int]], chosen: frozenset[int]) -> list[_Way | None]:
    """Return the ways to give lists to columns in order, at most two, told apart by columns of categories."""
    # From the last list to the first: the ways of all later lists, by the column of the next one.
    behind: dict[int, list[_Way | None]] = {}
    for number in reversed(range(len(could))):
        is_last = number == len(could) - 1
        later = sorted(behind, reverse=True)
        rest: list[_Way | None] = [None] if is_last else []
        now: dict[int, list[_Way | None]] = {}
        place = 0
        for column in sorted(could[number], reverse=True):
            while place < len(later) and later[place] > column:
                rest = _merged(rest, behind[later[place]])
                place += 1
            if rest:
                now[column] = [_Way(number, column, way) for way in rest] if column in chosen else rest
        behind = now
    found: list[_Way | None] = []
    for ways in behind.values():
        found = _merged(found, ways)
    return found


def _merged(some: list[_Way | None], more: list[_Way | None]) -> list[_Way | None]:
    return [*some, *(way for way in more if way not in some)][:2]
