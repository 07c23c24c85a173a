"""Runs exported queries: by sqlite, which Python has, and by duckdb and sqlglot if they are installed."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from treewright.export.checking import Rows, Run, Said, steps_run
from treewright.export.code.sql_dialects import double_quoted
from treewright.program import Column, Program

__all__ = ["read_answers", "sql_run", "sqlite_said"]


def sql_run(
    program: Program, dialect: str, table: Sequence[str], names: Sequence[str], key: str | None
) -> Run:
    """Return a run of queries of a dialect, or of the steps where nothing can run them."""
    if dialect == "sqlite":
        return lambda text, rows: sqlite_said(text, rows, table, names, key)
    if find_spec("duckdb") is None:
        return steps_run(program, "duckdb is not installed")
    if dialect != "duckdb" and find_spec("sqlglot") is None:
        return steps_run(program, "sqlglot is not installed")
    return lambda text, rows: _duckdb_said(text, rows, dialect, table, names)


def read_answers(program: Program, answers: Sequence[Sequence[Any]], runtime: str) -> Said:
    """Return rows of answers, prediction first, as what a runtime said."""
    if program.answer.classes is None:
        return Said(runtime, np.array([[float(row[0])] for row in answers]), None)
    numbers = np.array([[float(x) for x in row[1:]] for row in answers])
    return Said(runtime, numbers, [row[0] for row in answers])


def _asked(text: str, names: Sequence[str], order: str) -> str:
    listed = ", ".join(double_quoted(name) for name in names)
    return f"SELECT {listed} FROM ({text}) AS answers ORDER BY {order}"


def sqlite_said(text: str, rows: Rows, table: Sequence[str], names: Sequence[str], key: str | None) -> Said:
    """Run a query by sqlite, with the rows in a table in memory."""
    columns = rows.program.columns
    order = "tw row number"
    place = ".".join(double_quoted(part) for part in table[-1:])
    listed = ", ".join(f"{double_quoted(column.name)} {_type(column, 'REAL')}" for column in columns)
    extra = "" if key is None or key in [c.name for c in columns] else f", {double_quoted(key)} INTEGER"
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE {place} ({listed}{extra}, {double_quoted(order)} INTEGER)")
        marks = ", ".join("?" * (len(columns) + (1 if extra else 0) + 1))
        numbered = range(len(rows))
        values = zip(*rows.columns, *([numbered] if extra else []), numbered, strict=True)
        database.executemany(f"INSERT INTO {place} VALUES ({marks})", values)
        found = database.execute(_asked(text, names, double_quoted(order))).fetchall()
    labels = rows.program.answer.classes
    if labels and isinstance(labels[0], bool):
        found = [(bool(row[0]), *row[1:]) for row in found]
    return read_answers(rows.program, found, f"sqlite {sqlite3.sqlite_version}")


def _type(column: Column, double: str) -> str:
    """Return the type of a column: what its categories are, or a double."""
    kinds = {type(category) for category in column.categories}
    if column.is_numeric:
        return double
    if kinds == {bool}:
        return "BOOLEAN"
    return double if kinds and kinds <= {int, float, bool} else "TEXT"


def _duckdb_said(text: str, rows: Rows, dialect: str, table: Sequence[str], names: Sequence[str]) -> Said:
    duckdb = import_module("duckdb")
    runtime = f"duckdb {duckdb.__version__}"
    if dialect != "duckdb":
        sqlglot = import_module("sqlglot")
        # What PostgreSQL writes (row).* is row.* in duckdb.
        text = re.sub(r"\((tw\w*_row)\)\.\*", r"\1.*", text) if dialect == "postgres" else text
        (text,) = sqlglot.transpile(text, read=dialect, write="duckdb")
        runtime = f"{runtime}, after sqlglot {sqlglot.__version__} has translated it from {dialect}"
    columns = rows.program.columns
    order = "tw row number"
    database = duckdb.connect(":memory:")
    try:
        for end in range(1, len(table)):
            database.execute(f"CREATE SCHEMA IF NOT EXISTS {double_quoted(table[end - 1])}")
        place = ".".join(double_quoted(part) for part in table[-2:])
        listed = ", ".join(f"{double_quoted(column.name)} {_type(column, 'DOUBLE')}" for column in columns)
        database.execute(f"CREATE TABLE {place} ({listed}, {double_quoted(order)} BIGINT)")
        for begin in range(0, len(rows), 500):
            part = [values[begin : begin + 500] for values in rows.columns]
            lines = (
                "(" + ", ".join(_literal(v) for v in line) + f", {begin + i})"
                for i, line in enumerate(zip(*part, strict=True))
            )
            database.execute(f"INSERT INTO {place} VALUES {', '.join(lines)}")
        found = database.execute(_asked(text, names, double_quoted(order))).fetchall()
    finally:
        database.close()
    return read_answers(rows.program, found, runtime)


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float) and not math.isfinite(value):
        return f"'{value}'::DOUBLE"
    return f"'{value!r}'::DOUBLE" if isinstance(value, float) else str(value)
