"""What a column looks like, as plain values, and what may be wrong with it, in words."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from treewright.data.column import Categories, Column, Numbers
from treewright.learning.look_alikes import meant_as

__all__ = ["describe", "misleading", "names_its_rows", "problems"]


def describe(name: str, column: Column) -> dict[str, Any]:
    """Return what is known of a column, as plain values."""
    if isinstance(column, Numbers):
        values = np.asarray(column.values, dtype=np.float64)
        known = values[~np.isnan(values)]
        low, middle, high = (
            (float(known.min()), float(np.median(known)), float(known.max())) if len(known) else (None,) * 3
        )
        return {
            "name": name,
            "kind": "numeric",
            "distinct": len(np.unique(known)),
            "missing": int(len(values) - len(known)),
            "smallest": low,
            "median": middle,
            "largest": high,
        }
    assert isinstance(column, Categories), "files have numbers and categories"
    counts = np.bincount(column.codes, minlength=len(column.categories) + 1)
    order = np.argsort(-counts[1:], kind="stable")
    values_of = [{"value": column.categories[i], "rows": int(counts[i + 1])} for i in order if counts[i + 1]]
    return {
        "name": name,
        "kind": "ordinal" if column.ordered else "nominal",
        "distinct": len(values_of),
        "missing": int(counts[0]),
        "values": values_of,
    }


def names_its_rows(distinct: int, known: int) -> bool:
    """Tell whether a column of text has so many values that it says little more than which row it is."""
    return distinct >= 0.95 * known


def problems(column: dict[str, Any], n_rows: int) -> list[str]:
    """Return what may be wrong with a column, in words."""
    name, known = column["name"], n_rows - column["missing"]
    found = misleading(column, n_rows)
    if not known:
        found.append(f"{name!r} has no value at all.")
    elif column["distinct"] == 1 and n_rows > 1:
        found.append(f"{name!r} has one value in all rows: it tells nothing.")
    if known and column["missing"] > n_rows / 2:
        found.append(f"{name!r} is missing in {column['missing']} of {n_rows} rows.")
    return found


def misleading(column: dict[str, Any], n_rows: int) -> list[str]:
    """Return why a model that learns from a column of text would only seem to be good, in words."""
    if column["kind"] == "numeric":
        return []
    name, known, distinct = column["name"], n_rows - column["missing"], column["distinct"]
    if (words := meant_as([entry["value"] for entry in column["values"]])) is not None:
        return [f"{name!r} {words}"]
    if known > 20 and names_its_rows(distinct, known):
        differs = (
            "a different value in each row"
            if distinct == known
            else f"{distinct} different values in {known} rows"
        )
        return [f"{name!r} has {differs}: leave it out with --ignore {shlex.quote(name)}."]
    return []
