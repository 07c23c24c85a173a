"""A model as one SELECT of a database."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

from treewright.export.checking import Source, finished, refuse_nul
from treewright.export.code.running_sql import sql_run
from treewright.export.code.sql_dialects import DIALECTS, Dialect
from treewright.export.code.sql_query import sql_query
from treewright.export.exported import Exported
from treewright.program import Program

__all__ = ["export_sql"]


def export_sql(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    dialect: Literal["duckdb", "sqlite", "postgres", "bigquery", "snowflake"] = "duckdb",
    table: str | Sequence[str] = "rows",
    key: str | None = None,
    feature_names: Sequence[str] | None = None,
    check: Any = None,
) -> Exported:
    """Return a fitted model as one SELECT, and write it to a file if asked to.

    The query returns all columns of the table, ``prediction`` and, for classes, ``probability_<class>``.
    Categories are compared as text, numbers in double precision; NaN and NULL are both missing values.

    Parameters
    ----------
    model : estimator or Model
        A fitted Treewright estimator, or its ``model_``.
    path : path-like, optional
        Where to write it; a file that is there is replaced at once, or stays as it was.
    dialect : {"duckdb", "sqlite", "postgres", "bigquery", "snowflake"}, default="duckdb"
        The database.
    table : str or sequence of str, default="rows"
        Name of the table; with its schema and database before it as a sequence, ``("shop", "customers")``.
        Names are written in quotes, as they are.
    key : str, optional
        For sqlite, a column that tells rows apart, where the table has no rowid, as a view has none.
    feature_names : sequence of str, optional
        Names of the columns instead of those of the training data.
    check : table, optional
        Rows on which to run the query beside the model: by sqlite or duckdb, for other databases by duckdb
        after a translation by sqlglot, if these are installed. What was compared is in ``.check`` of the
        result. If the two disagree nothing is written and ExportCheckError is raised.

    Returns
    -------
    Exported
        The text, a str, without a semicolon or a line break at the end.

    Examples
    --------
    >>> from treewright import CARTRegressor, export_sql
    >>> tree = CARTRegressor(max_depth=1).fit([[1.0], [2.0], [3.0]], [0.0, 0.0, 6.0])
    >>> text = export_sql(tree, dialect="sqlite", table="houses", check=[[1.5], [2.5], [None]])
    >>> print(text.check.rows, text.check.largest_difference)
    3 0.0
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(map(repr, DIALECTS))}. Got {dialect!r}.")
    if key is not None and dialect != "sqlite":
        raise ValueError(f"key is for sqlite: {dialect} keeps the columns of a row together without it.")
    source = Source.of(model, "export_sql", feature_names)
    program = source.program
    refuse_nul(program, "a query")
    parts = _parts(table)
    names = _answer_names(program, DIALECTS[dialect])
    text = sql_query(program, DIALECTS[dialect], parts, names, key)
    return finished(source, text, path, check, sql_run(program, dialect, parts, names, key))


def _parts(table: Any) -> list[str]:
    parts = [table] if isinstance(table, str) else list(table)
    if not parts or not all(isinstance(part, str) and part and "\0" not in part for part in parts):
        raise ValueError(f"table must be the name of a table, or several parts of it. Got {table!r}.")
    return parts


def _answer_names(program: Program, dialect: Dialect) -> list[str]:
    """Return the names of prediction and probabilities; ValueError if the table has such a column."""
    names = ["prediction"]
    for label in program.answer.classes or ():
        name = dialect.output(f"probability_{label}")
        while name.lower() in (other.lower() for other in names):
            name += "_"
        names.append(name)
    taken = {column.name.lower() for column in program.columns}
    for name in names:
        if name.lower() in taken:
            raise ValueError(
                f"The table has a column {name!r}, as the query would call its answer. Rename the column "
                "before fitting, or pass feature_names."
            )
    return names
