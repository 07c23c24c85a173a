"""Stages: a query in steps, each of which adds columns to those before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from treewright.export.code.sql_dialects import Dialect

__all__ = ["Stages", "balanced", "best_of", "single"]


class Stages:
    """One SELECT, written step by step.

    Parameters
    ----------
    dialect : Dialect
        The database.
    table : sequence of str
        Name of the table, with its schema before it if it has one.
    prefix : str
        What the names of helping columns begin with.
    key : str or None
        Column that tells rows apart, for sqlite; None: the rowid.
    """

    def __init__(self, dialect: Dialect, table: Sequence[str], prefix: str, key: str | None) -> None:
        self.dialect = dialect
        self.prefix = prefix
        self._table = ".".join(dialect.name(part) for part in table)
        self._key = "rowid" if key is None else dialect.name(key)
        self._steps: list[str] = []
        self._columns: list[str] = []

    def column(self, name: str) -> str:
        """Return the full name of a helping column."""
        return f"{self.prefix}{name}"

    @property
    def names(self) -> list[str]:
        """The helping columns that the last step has."""
        return list(self._columns)

    def add(self, columns: Mapping[str, str], drop: Iterable[str] = ()) -> None:
        """Add a step with new (or changed) helping columns; `drop` are needed no longer."""
        gone = {*drop, *columns}
        kept = [name for name in self._columns if name not in gone]
        lost = [name for name in self._columns if name in gone]
        written = [f"{expression} AS {self.column(name)}" for name, expression in columns.items()]
        source = f"{self.prefix}{len(self._steps) - 1}" if self._steps else f"{self._table} AS t"
        first = self._first(lost)
        if self.dialect.keeps not in ("exclude", "except"):
            first += [self.column(name) for name in kept]
        lines = ",\n    ".join([*first, *written])
        self._steps.append(f"SELECT {lines}\n  FROM {source}{self.dialect.fence}")
        self._columns = [*kept, *columns]

    def _first(self, lost: Sequence[str]) -> list[str]:
        names = ", ".join(self.column(name) for name in lost)
        match self.dialect.keeps:
            case "exclude":
                return [f"* EXCLUDE ({names})" if names else "*"] if self._steps else ["t.*"]
            case "except":
                return [f"* EXCEPT ({names})" if names else "*"] if self._steps else ["t.*"]
            case "record":
                return [self.column("row")] if self._steps else [f"t AS {self.column('row')}"]
            case "rowid":
                return [self.column("row")] if self._steps else [f"t.{self._key} AS {self.column('row')}"]

    def finish(self, answers: Mapping[str, str]) -> str:
        """Return the query; `answers` are its own columns by name."""
        last = f"{self.prefix}{len(self._steps) - 1}"
        gone = ", ".join(self.column(name) for name in self._columns)
        first, source = {
            "exclude": (f"* EXCLUDE ({gone})", last),
            "except": (f"* EXCEPT ({gone})", last),
            "record": (f"({self.column('row')}).*", last),
            "rowid": (
                "t.*",
                f"{last} JOIN {self._table} AS t ON t.{self._key} = {last}.{self.column('row')}",
            ),
        }[self.dialect.keeps]
        lines = [first, *(f"{value} AS {self.dialect.name(name)}" for name, value in answers.items())]
        steps = ",\n".join(f"{self.prefix}{i} AS (\n  {step}\n)" for i, step in enumerate(self._steps))
        return f"WITH {steps}\nSELECT " + ",\n  ".join(lines) + f"\nFROM {source}"


def balanced(terms: Sequence[str], operator: str, most: int = 200) -> str:
    """Return a chain of terms in their order, in brackets where it would get too deep."""
    while len(terms) > most:
        groups = [terms[i : i + most] for i in range(0, len(terms), most)]
        terms = [f"({f' {operator} '.join(group)})" for group in groups]
    return f" {operator} ".join(terms)


def single(column: str) -> str:
    """Return a number of about 1 rounded to 24 bits, as single precision does, in double precision alone."""
    return f"({column} * 536870913 - ({column} * 536870913 - {column}))"


def best_of(columns: Sequence[str], order: Sequence[int]) -> str:
    """Return the number of the largest column, the first in `order` among equals."""
    ordered = list(order or range(len(columns)))
    cases = []
    for place, k in enumerate(ordered[:-1]):
        # Those before it were not the best, so it need not be compared with them.
        others = " AND ".join(f"{columns[k]} >= {columns[other]}" for other in ordered[place + 1 :])
        cases.append(f"WHEN {others} THEN {k}")
    return f"(CASE {' '.join(cases)} ELSE {ordered[-1]} END)" if cases else str(ordered[0])
