"""Rows for a model that exists: its columns by name, whatever else a table holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from treewright.cli.failures import Mistyped, note
from treewright.cli.tables import check_column

__all__ = ["known_columns", "known_kinds", "target_of"]

MOST_NAMES = 8


def known_columns(estimator: Any, table: Any, file: str) -> Any:
    """Return the columns that a model knows; others are ignored with a note, absent ones are an error.

    `table` is a NamedColumns, or an open file, of which only the names are looked at.
    """
    schema = estimator.model_.schema
    wanted = [feature.name for feature in schema.features]
    if not schema.named and wanted != list(table.names)[: len(wanted)]:
        if len(table.names) < len(wanted):
            raise ValueError(f"{file} has {len(table.names)} columns, the model was fitted on {len(wanted)}.")
        raise ValueError(
            f"The model was fitted on a table without column names; name the columns of {file} "
            f"{', '.join(wanted[:MOST_NAMES])}, … in their order."
        )
    absent = [name for name in wanted if name not in table.names]
    if absent:
        raise ValueError(f"{file} lacks {_listed(absent)}, which the model was fitted on.")
    extra = [name for name in table.names if name not in wanted]
    if extra:
        note(f"note: {_listed(extra)} of {file} not used")
    return table.select(wanted) if hasattr(table, "select") else table


def known_kinds(estimator: Any, names: Iterable[str]) -> dict[str, str]:
    """Return the kinds that a model knows of the columns of a table, to read them as they were for `fit`."""
    present = set(names)
    return {
        feature.name: "numeric" if feature.kind == "numeric" else "nominal"
        for feature in estimator.model_.schema.features
        if feature.name in present
    }


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:MOST_NAMES])
    rest = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{'column' if len(names) == 1 else 'columns'} {shown}{rest}"


def target_of(estimator: Any, given: str | None, file: Any) -> str:
    """Return the name of the target: the one given, or the one that the model knows."""
    name = given or estimator.model_.target_name
    if name is None:
        raise Mistyped("The model does not know the name of its target: -t NAME.")
    check_column(name, file.names, "-t", file.name)
    return str(name)
