"""The table that a command works on: read, and divided into features, target and weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from treewright.cli.failures import Mistyped, close_match, note
from treewright.data.column import Numbers
from treewright.files import TableFile, open_table
from treewright.files.csv_fields import SEPARATORS
from treewright.files.kinds import KINDS
from treewright.files.tokens import MISSING
from treewright.learning import LearningTable, column_values, task_of

__all__ = ["check_column", "learning_table", "one_character", "opened"]


def opened(path: str, given: Mapping[str, Any]) -> TableFile:
    """Open a table with the options of the command line."""
    return open_table(
        path,
        separator=one_character(given["separator"]),
        decimal=given["decimal"],
        encoding=given["encoding"],
        missing=(*MISSING, *given["missing"]),
    )


def one_character(separator: str | None) -> str | None:
    """Return the sign that stands between fields."""
    if separator is not None:
        separator = {"\\t": "\t", "tab": "\t"}.get(separator, separator)
        if len(separator) != 1:
            raise Mistyped(f"--sep takes one character, got {separator!r}.")
    return separator


def check_column(name: str, names: Iterable[str], option: str, file: str) -> None:
    """Refuse a column that is not there, with the nearest one."""
    known = list(names)
    if name not in known:
        if len(known) == 1 and (sign := next((one for one in SEPARATORS if one in known[0]), None)):
            raise Mistyped(
                f"{option}: {file} has one column, {known[0]!r}. Separator looks like {sign!r} – "
                f"try --sep {sign!r}."
            )
        listed = ", ".join(known[:20]) + (" …" if len(known) > 20 else "")
        raise Mistyped(
            f"{option}: {file} has no column {name!r}.{close_match(name, known)} It has: {listed}."
        )


def learning_table(
    file: TableFile,
    *,
    target: str,
    weight: str | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    quiet: bool = False,
) -> LearningTable:
    """Read a table and divide it.

    Parameters
    ----------
    file : TableFile
        The table.
    target : str
        The column to predict.
    weight : str or None
        The column with the weights of the rows.
    ignore : iterable of str
        Columns to leave out.
    kinds : mapping or None
        Name → "numeric" or "nominal".
    task : str or None
        "classification" or "regression"; None: by the kind of the target, said aloud for numbers.
    quiet : bool
        Whether nothing is said aloud.
    """
    ignore = list(ignore)
    for option, names in (("-t", [target]), ("--weight", [weight] if weight else []), ("--ignore", ignore)):
        for name in names:
            check_column(name, file.names, option, file.name)
    for name, kind in (kinds or {}).items():
        check_column(name, file.names, "--kind", file.name)
        if kind not in KINDS:
            raise Mistyped(f"--kind: {kind!r} is no kind. Choose one of: {', '.join(KINDS)}.")
    if target in ignore or weight == target:
        raise Mistyped(f"Column {target!r} cannot be the target and something else.")
    table = file.read(kinds)
    if table.n_rows == 0:
        raise ValueError(f"{file.name} has a line of column names and no rows.")
    n_rows = table.n_rows
    known = table.rows_with(target)
    if len(known) == 0:
        raise ValueError(f"{file.name}: the target {target!r} has no value in any row.")
    if len(known) < n_rows:
        table = table.take(known)
        without = n_rows - len(known)
        verbs = "have no value of {} and are" if without > 1 else "has no value of {} and is"
        note(f"note: {without} of {n_rows} rows of {file.name} {verbs.format(target)} left out")
    y_column = table.column(target)
    found = task or task_of(y_column)
    if task == "regression" and not isinstance(y_column, Numbers):
        sample = next(iter(column_values(y_column)))
        raise (ValueError if quiet else Mistyped)(
            f"{file.name}: the target {target!r} holds text ({str(sample)!r}, …), and regression needs "
            "numbers. Name a column of numbers with -t, or learn classes: --task classification."
        )
    X = table.without([target, *ignore, *([weight] if weight else [])])
    if not X.names:
        raise ValueError(f"{file.name} has no column besides {target!r} to learn from.")
    if task is None and found == "regression" and not quiet:
        note(f"{target} holds numbers: regression (--task classification to take them for classes)")
    weights = None
    if weight is not None:
        values = table.column(weight)
        if not isinstance(values, Numbers):
            raise ValueError(f"{file.name}: the weights in column {weight!r} must be numbers.")
        weights = np.asarray(values.values, dtype=np.float64)
    return LearningTable(X, column_values(y_column), weights, found, target)
