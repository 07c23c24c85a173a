"""`treewright show`: a model as text, rules or a picture."""

from __future__ import annotations

import inspect
from typing import Any

import click

from treewright.cli.completion import file_names
from treewright.cli.estimators import loaded
from treewright.cli.failures import Mistyped, typed_by_user
from treewright.cli.letters import plain_text
from treewright.cli.model_rows import known_columns, target_of
from treewright.cli.options import plain_letters, table_options
from treewright.cli.output import write_text
from treewright.cli.tables import learning_table, opened
from treewright.export import EXPORTERS


@click.command("show")
@click.argument("model", shell_complete=file_names)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(sorted(EXPORTERS)),
    help="[default: text; summary of many trees]",
)
@click.option("--depth", type=click.IntRange(0), help="Levels to show.")
@click.option("--tree", type=click.IntRange(0), help="The number of a tree, of a forest or booster.")
@click.option("-o", "--output", metavar="FILE", help="Instead of standard output.")
@click.option(
    "--data", metavar="FILE", help="Rows to draw in the nodes (svg, html).", shell_complete=file_names
)
@click.option(
    "--target", "-t", metavar="NAME", help="The target in --data, if the model does not know its name."
)
@table_options
@plain_letters
def command(
    model: str,
    form: str | None,
    depth: int | None,
    tree: int | None,
    output: str | None,
    data: str | None,
    plain_letters: bool,
    **given: Any,
) -> None:
    """Print the MODEL in a file: a tree as text, a forest or booster as a summary or one of its trees."""
    estimator = loaded(model)
    if form is None:
        form = "summary" if len(estimator.model_.trees) > 1 and tree is None else "text"
    exporter = EXPORTERS[form]
    known = inspect.signature(exporter).parameters
    wanted: dict[str, Any] = {"max_depth": depth, "tree": tree, "ascii": plain_letters or None}
    if data is not None:
        if "X" not in known:
            raise Mistyped(f"--data: {form} shows no rows; -f svg and -f html do.")
        file = opened(data, given)
        table = learning_table(
            file, target=target_of(estimator, given["target"], file), task=estimator.model_.task, quiet=True
        )
        wanted |= {"X": known_columns(estimator, table.X, file.name), "y": table.target_column()}
    options: dict[str, Any] = {
        key: value for key, value in wanted.items() if value is not None and key in known
    }
    with typed_by_user():
        text = exporter(estimator, **options)
    if plain_letters and isinstance(text, str) and form in ("rules", "summary"):  # have no columns to move
        text = plain_text(text)
    write_text(text, output)
