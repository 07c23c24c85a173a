"""`treewright data`: what the columns of a table look like."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from treewright.cli.completion import file_names
from treewright.cli.letters import plain_text
from treewright.cli.options import as_json, kinds, parsed_kinds, plain_letters, table_options
from treewright.cli.tables import check_column, opened
from treewright.data.named_columns import NamedColumns
from treewright.learning import describe, problems
from treewright.model.text import before_amount

MOST_VALUES = 5
MOST_WIDTH = 34


@click.command("data")
@click.argument("file", shell_complete=file_names)
@kinds
@table_options
@plain_letters
@as_json
def command(file: str, plain_letters: bool, as_json: bool, **given: Any) -> None:
    """Show the columns of FILE: their kinds as they are guessed, their values, what is missing, and problems.

    FILE is a CSV, TSV, Parquet, Arrow or JSON lines file; - is standard input.
    """
    source = opened(file, given)
    chosen = parsed_kinds(given["kinds"])
    for name in chosen:
        check_column(name, source.names, "--kind", source.name)
    table = source.read(chosen)
    if table.n_rows == 0 and not as_json:
        raise ValueError(f"{source.name} has a line of column names and no rows.")
    described = [describe(name, column) for name, column in zip(table.names, table.columns, strict=True)]
    if as_json:
        click.echo(
            json.dumps({"file": source.name, "rows": table.n_rows, "columns": described}, ensure_ascii=False)
        )
        return
    text = overview(source.name, table, described)
    click.echo(plain_text(text) if plain_letters else text)


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
    lines.append(f"Change a kind with  --kind {shlex.quote(f'{example}={other}')}")
    return "\n".join(lines)


def _values(column: dict[str, Any]) -> str:
    if column["kind"] == "numeric":
        if column["smallest"] is None:
            return "–"
        return f"{column['smallest']:g} … {column['median']:g} … {column['largest']:g}"
    text = ""
    sign = before_amount(str(entry["value"]) for entry in column["values"])
    for number, entry in enumerate(column["values"]):
        part = f"{entry['value']}{sign}{entry['rows']}"
        if number == MOST_VALUES or len(text) + len(part) > MOST_WIDTH:
            return f"{text}  … {column['distinct'] - number} more" if text else f"{column['distinct']} values"
        text = f"{text}  {part}" if text else part
    return text or "–"
