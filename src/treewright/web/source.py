"""Source: a table that the page works on, its columns with kinds and roles, and what follows for learning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Categories, Column, Numbers
from treewright.data.named_columns import NamedColumns
from treewright.learning import LearningTable, column_values, describe, names_its_rows, problems, task_of

__all__ = ["KINDS", "ROLES", "Role", "Source", "new_source"]

Role = Literal["input", "target", "weight", "ignored"]
ROLES: tuple[Role, ...] = ("input", "target", "weight", "ignored")
KINDS = ("numeric", "nominal")
BINS = 24
MOST_VALUES = 12
MOST_CLASSES = 30
LIKE_A_TARGET = re.compile(r"target|class|label|y|outcome|response", re.IGNORECASE)
LIKE_AN_ID = re.compile(r"(^|[\s_.-])(id|index|row|nr|no|number)$|^unnamed", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """A table and what its columns are for.

    Attributes
    ----------
    name : str
        What the page calls it.
    origin : {"file", "bundled", "python"}
        Where it came from: a file of the user, a bundled table, or objects of a Python session.
    table : NamedColumns
        The columns.
    roles : mapping of str to str
        What each column is for.
    kinds : mapping of str to str
        Kinds that the user chose instead of the guess.
    read : callable or None
        Reads the columns again with other kinds; None where they are as they are.
    guessed : frozenset of str
        Columns that were left out because of how they look.
    given : tuple or None
        X, y and weights as a Python session has them.
    """

    name: str
    origin: str
    table: NamedColumns
    roles: Mapping[str, Role]
    kinds: Mapping[str, str] = field(default_factory=dict)
    read: Callable[[Mapping[str, str]], NamedColumns] | None = None
    guessed: frozenset[str] = frozenset()
    given: tuple[Any, Any, Any] | None = None

    @property
    def target(self) -> str | None:
        """Name of the column to predict."""
        return next((name for name, role in self.roles.items() if role == "target"), None)

    @property
    def weight(self) -> str | None:
        """Name of the column with the weights."""
        return next((name for name, role in self.roles.items() if role == "weight"), None)

    @property
    def ignored(self) -> list[str]:
        """Names of the columns that are left out."""
        return [name for name, role in self.roles.items() if role == "ignored"]

    @property
    def task(self) -> str:
        """What the kind of the target makes of it."""
        return "regression" if self.target is None else task_of(self.table.column(self.target))

    def with_roles(self, changes: Mapping[str, Any]) -> Self:
        """Return the table with other roles; a new target or weight takes the place of the old one."""
        roles = dict(self.roles)
        for name, role in changes.items():
            self._check(name)
            if role not in ROLES:
                raise ValueError(f"A column is {', '.join(ROLES)}, not {role!r}.")
            for other, own in roles.items():
                if own == role and role in ("target", "weight"):
                    roles[other] = "input" if role == "target" else "ignored"
            roles[name] = role
        return replace(self, roles=roles)

    def with_kinds(self, changes: Mapping[str, Any]) -> Self:
        """Return the table with other kinds of columns, read again."""
        for name, kind in changes.items():
            self._check(name)
            if kind not in KINDS:
                raise ValueError(f"A column is {' or '.join(KINDS)}, not {kind!r}.")
        if self.read is None:
            raise ValueError(f"The columns of {self.name} have the kinds that they have.")
        kinds = {**self.kinds, **changes}
        return replace(self, kinds=kinds, table=self.read(kinds))

    def _check(self, name: str) -> None:
        if name not in self.table.names:
            raise ValueError(f"{self.name} has no column {name!r}.")

    # --- what is learned from it
    # ---------------------------------------------------------------------------------------------------

    @cached_property
    def row_numbers(self) -> NDArray[np.intp]:
        """The rows that can be learned from: those with a target."""
        target = self.target
        return np.arange(self.table.n_rows) if target is None else self.table.rows_with(target)

    @cached_property
    def rows(self) -> NamedColumns:
        """The columns of these rows."""
        complete = len(self.row_numbers) == self.table.n_rows
        return self.table if complete else self.table.take(self.row_numbers)

    @cached_property
    def learning(self) -> LearningTable:
        """Features, target and weights."""
        target = self.target
        if target is None:
            raise ValueError("Choose the column to predict: set its role to target.")
        if self.table.n_rows == 0:
            raise ValueError(f"{self.name} has no rows.")
        rows = self.rows
        if rows.n_rows == 0:
            raise ValueError(f"The target {target!r} has no value in any row: choose another column.")
        X = rows.without([target, *self.ignored, *([self.weight] if self.weight else [])])
        if not X.names:
            raise ValueError(f"There is no column besides {target!r} to learn from.")
        y = column_values(rows.column(target))
        weights = None
        if self.weight is not None:
            column = rows.column(self.weight)
            if not isinstance(column, Numbers):
                raise ValueError(f"The weights in {self.weight!r} must be numbers.")
            weights = np.asarray(column.values, dtype=np.float64)
        return LearningTable(X, y, weights, self.task, target)

    def fit_arguments(self) -> tuple[Any, Any, Any]:
        """Return X, y and weights as `fit` takes them."""
        if self.given is not None:
            return self.given
        learning = self.learning
        return learning.X, self.rows.select([learning.target]), learning.weights

    # --- what it looks like
    # ---------------------------------------------------------------------------------------------------

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        """What the page shows of each column."""
        return [
            self._column(name, column)
            for name, column in zip(self.table.names, self.table.columns, strict=True)
        ]

    def _column(self, name: str, column: Column) -> dict[str, Any]:
        found = describe(name, column)
        notes = [text.split(": leave it out")[0] for text in problems(found, self.table.n_rows)]
        if name in self.guessed and self.roles[name] == "ignored":
            notes = [f"{note.rstrip('.')} – left out." for note in notes] or [
                f"{name!r} looks like a number that only names the row – left out."
            ]
        if self.roles[name] == "target" and 0 < found["missing"] < self.table.n_rows:
            words = "rows have no value" if found["missing"] > 1 else "row has no value"
            notes = [f"{found['missing']} {words} of the target {name!r}: left out."]
        values = found.pop("values", [])
        found |= {
            "role": self.roles[name],
            "problems": notes,
            "top": [{"value": str(v["value"]), "rows": v["rows"]} for v in values[:MOST_VALUES]],
            "bins": _bins(column) if isinstance(column, Numbers) else [],
            "chosen": name in self.kinds,
        }
        return found


def _bins(column: Numbers) -> list[int]:
    values = np.asarray(column.values, dtype=np.float64)
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return []
    low, high = float(known.min()), float(known.max())
    if not low < high or not np.isfinite(high - low):
        return [len(known)]
    counts: list[int] = np.histogram(known, bins=BINS, range=(low, high))[0].tolist()
    return counts


def new_source(
    name: str,
    table: NamedColumns,
    *,
    origin: str = "file",
    target: str | None = None,
    read: Callable[[Mapping[str, str]], NamedColumns] | None = None,
) -> Source:
    """Return a table with roles as they are guessed: the target by its name, or the last column.

    Parameters
    ----------
    name : str
        What the page calls it.
    table : NamedColumns
        The columns.
    origin : str
        Where it came from.
    target : str or None
        The column to predict, where that is known.
    read : callable or None
        Reads the columns again with other kinds.
    """
    if not table.names:
        raise ValueError(f"{name} has no columns.")
    left_out = frozenset(
        column
        for column, values in zip(table.names, table.columns, strict=True)
        if column != target and _looks_like_a_name(column, values, table.n_rows)
    )
    if target is None:
        useful = [column for column in table.names if column not in left_out]
        target = _likely_target(table, useful or list(table.names))
    roles: dict[str, Role] = {
        column: "target" if column == target else "ignored" if column in left_out else "input"
        for column in table.names
    }
    return Source(name, origin, table, roles, read=read, guessed=left_out - {target})


def _likely_target(table: NamedColumns, names: list[str]) -> str:
    """Return the column that people most often predict: by its name, or the last one that is complete."""
    named = [name for name in names if LIKE_A_TARGET.fullmatch(name)]
    if named:
        return named[-1]
    complete = [name for name in names if len(table.rows_with(name)) == table.n_rows]
    few = [name for name in complete if 2 <= _n_categories(table.column(name)) <= MOST_CLASSES]
    last = complete[-1] if complete else names[-1]
    return last if last == names[-1] or not few else few[-1]


def _n_categories(column: Column) -> int:
    return len(column.categories) if isinstance(column, Categories) else 0


def _looks_like_a_name(name: str, column: Column, n_rows: int) -> bool:
    """Tell whether a column only names its rows: as many values as rows, or nearly so many for text."""
    if n_rows <= 20:
        return False
    if isinstance(column, Numbers):
        values = np.asarray(column.values, dtype=np.float64)
        if not LIKE_AN_ID.search(name) or np.isnan(values).any():
            return False
        return len(np.unique(values)) == n_rows
    assert isinstance(column, Categories), "files have numbers and categories"
    counts = np.bincount(column.codes, minlength=len(column.categories) + 1)
    known = n_rows - int(counts[0])
    return known > 20 and names_its_rows(int(np.count_nonzero(counts[1:])), known)
