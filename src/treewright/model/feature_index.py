"""Features that users name: by name or column, with a helping hand where the name is none."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

__all__ = ["feature_index"]


def feature_index(feature: Any, names: Sequence[str]) -> int:
    """Return the column of a feature.

    Parameters
    ----------
    feature : str or int
        Its name or column.
    names : sequence of str
        The names of all columns.
    """
    if isinstance(feature, str):
        if feature in names:
            return list(names).index(feature)
        close = get_close_matches(feature, names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else f" There are {', '.join(map(repr, names[:8]))}."
        raise ValueError(f"There is no feature {feature!r}.{hint}")
    if isinstance(feature, bool) or not hasattr(feature, "__index__"):
        raise TypeError(f"feature must be a name or the number of a column, got {feature!r}.")
    column = int(feature.__index__())
    if not 0 <= column < len(names):
        raise ValueError(f"feature={column} does not exist: there are {len(names)} features, counted from 0.")
    return column
