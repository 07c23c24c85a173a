"""`treewright data`: what the columns of a table look like."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from treewright.cli.options import as_json, parsed_pairs, table_options
from treewright.cli.tables import check_column, opened
from treewright.data.column import Categories, Column, Numbers
from treewright.data.named_columns import NamedColumns

MOST_VALUES = 5
MOST_WIDTH = 34


@click.command("data")
@click.argument("file")
@click.option(
    "--kind", "kinds", multiple=True, metavar="NAME=KIND", help="numeric or nominal, instead of the guess."
)
@table_options
@as_json
def command(
    file: str,
    kinds: tuple[str, ...],
    separator: str | None,
    encoding: str,
    missing: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the columns of FILE: their kinds as they are guessed, their values, what is missing, and problems.

    FILE is a CSV, TSV, Parquet, Arrow or JSON lines file; - is standard input.
    """
    source = opened(file, separator, encoding, missing)
    chosen = parsed_pairs(kinds, "--kind")
    for name in chosen:
        check_column(name, source.names, "--kind", source.name)
    table = source.read(chosen)
    described = [describe(name, column) for name, column in zip(table.names, table.columns, strict=True)]
    if as_json:
        click.echo(
            json.dumps({"file": source.name, "rows": table.n_rows, "columns": described}, ensure_ascii=False)
        )
        return
    click.echo(overview(source.name, table, described))


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


def overview(file: str, table: NamedColumns, described: list[dict[str, Any]]) -> str:
    """Return the table of columns as text."""
    shown = [
        (column["name"], column["kind"], _values(column), str(column["missing"])) for column in described
    ]
    name_width = max(len("column"), *(len(row[0]) for row in shown))
    value_width = max(len("values"), *(len(row[2]) for row in shown))
    lines = [f"{file}   {table.n_rows} rows   {len(shown)} columns"]
    lines.append(f"  {'column':<{name_width}}   kind      {'values':<{value_width}}   missing")
    lines += [
        f"  {name:<{name_width}}   {kind:<8}  {values:<{value_width}}   {missing:>7}"
        for name, kind, values, missing in shown
    ]
    lines += [f"! {problem}" for column in described for problem in problems(column, table.n_rows)]
    example = next(
        (column["name"] for column in described if column["kind"] == "nominal"), described[0]["name"]
    )
    other = "numeric" if any(column["kind"] == "nominal" for column in described) else "nominal"
    lines.append(f"Change a kind with  --kind {example}={other}")
    return "\n".join(lines)


def _values(column: dict[str, Any]) -> str:
    if column["kind"] == "numeric":
        if column["smallest"] is None:
            return "–"
        return f"{column['smallest']:g} … {column['median']:g} … {column['largest']:g}"
    text = ""
    for number, entry in enumerate(column["values"]):
        part = f"{entry['value']} {entry['rows']}"
        if number == MOST_VALUES or len(text) + len(part) > MOST_WIDTH:
            return f"{text}  … {column['distinct'] - number} more" if text else f"{column['distinct']} values"
        text = f"{text}  {part}" if text else part
    return text or "–"


def problems(column: dict[str, Any], n_rows: int) -> list[str]:
    """Return what may be wrong with a column, in words."""
    name, known = column["name"], n_rows - column["missing"]
    found = []
    if not known:
        found.append(f"{name!r} has no value at all.")
    elif column["distinct"] == 1 and n_rows > 1:
        found.append(f"{name!r} has one value in all rows: it tells nothing.")
    elif known > 20 and column["distinct"] == known and column["kind"] != "numeric":
        found.append(f"{name!r} has a different value in each row: leave it out with --ignore {name}.")
    if known and column["missing"] > n_rows / 2:
        found.append(f"{name!r} is missing in {column['missing']} of {n_rows} rows.")
    return found
