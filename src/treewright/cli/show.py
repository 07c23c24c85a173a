"""`treewright show`: a model as text, rules or a picture."""

from __future__ import annotations

import inspect
from typing import Any

import click

from treewright.cli.estimators import loaded
from treewright.cli.failures import typed_by_user
from treewright.cli.options import plain_letters
from treewright.cli.output import write_text
from treewright.export import EXPORTERS


@click.command("show")
@click.argument("model")
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
@plain_letters
def command(
    model: str, form: str | None, depth: int | None, tree: int | None, output: str | None, plain_letters: bool
) -> None:
    """Print the MODEL in a file: a tree as text, a forest or booster as a summary or one of its trees."""
    estimator = loaded(model)
    if form is None:
        form = "summary" if len(estimator.model_.trees) > 1 and tree is None else "text"
    exporter = EXPORTERS[form]
    wanted = {"max_depth": depth, "tree": tree, "ascii": plain_letters or None}
    wanted["target_name"] = estimator.model_.target_name
    known = inspect.signature(exporter).parameters
    options: dict[str, Any] = {
        key: value for key, value in wanted.items() if value is not None and key in known
    }
    with typed_by_user():
        text = exporter(estimator, **options)
    write_text(text, output)
