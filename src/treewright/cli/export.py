"""`treewright export`: a model in another form."""

from __future__ import annotations

import inspect

import click

from treewright.cli.estimators import loaded
from treewright.cli.failures import Mistyped
from treewright.cli.output import write_text
from treewright.export import EXPORTERS


@click.command("export")
@click.argument("model")
@click.option("--to", "form", type=click.Choice(sorted(EXPORTERS)), required=True, help="The form.")
@click.option("--tree", type=click.IntRange(0), help="The number of a tree, of a forest or booster.")
@click.option("-o", "--output", metavar="FILE", help="Instead of standard output.")
def command(model: str, form: str, tree: int | None, output: str | None) -> None:
    """Write the MODEL in a file in another form."""
    exporter = EXPORTERS[form]
    options = {} if tree is None else {"tree": tree}
    if options.keys() - inspect.signature(exporter).parameters.keys():
        raise Mistyped(f"--tree: {form} is about the whole model.")
    write_text(exporter(loaded(model), **options), output)
