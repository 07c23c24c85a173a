"""`treewright export`: a model in another form."""

from __future__ import annotations

import inspect
from typing import Any

import click

from treewright.cli.completion import file_names
from treewright.cli.estimators import loaded
from treewright.cli.failures import Mistyped, note
from treewright.cli.model_rows import known_columns
from treewright.cli.options import table_options
from treewright.cli.output import write_text
from treewright.cli.tables import opened
from treewright.export import EXPORTERS
from treewright.export.code.sql_dialects import DIALECTS

OPTIONS = {"tree": "is about the whole model", "dialect": "has no dialects", "table": "asks no table"}
OPTIONS |= {"name": "has no functions to name", "check": "cannot be run"}


@click.command("export")
@click.argument("model", shell_complete=file_names)
@click.option("--to", "form", type=click.Choice(sorted(EXPORTERS)), required=True, help="The form.")
@click.option("--tree", type=click.IntRange(0), help="The number of a tree, of a forest or booster.")
@click.option("--dialect", type=click.Choice(sorted(DIALECTS)), help="Of SQL: for which database.")
@click.option("--table", metavar="NAME", help="Of SQL: the table that is asked.  [default: rows]")
@click.option("--name", metavar="NAME", help="Of C: what its functions begin with.  [default: model]")
@click.option("--check", metavar="FILE", help="Rows on which to run the exported model beside this one.")
@click.option("-o", "--output", metavar="FILE", help="Instead of standard output.")
@table_options
def command(model: str, form: str, output: str | None, check: str | None, **given: Any) -> None:
    """Write the MODEL in a file in another form.

    With --check nothing is written unless both say the same about all rows of the FILE.
    """
    exporter = EXPORTERS[form]
    options = {key: given[key] for key in OPTIONS if given.get(key) is not None}
    known = inspect.signature(exporter).parameters
    for key in [*options, *(["check"] if check is not None else [])]:
        if key not in known:
            raise Mistyped(f"--{key}: {form} {OPTIONS[key]}.")
    estimator = loaded(model)
    if check is not None:
        file = opened(check, given)
        features = estimator.model_.schema.features
        kinds = {
            feature.name: "nominal" if feature.kind != "numeric" else "numeric"
            for feature in features
            if feature.name in file.names
        }
        options["check"] = known_columns(estimator, file.read(kinds), file.name)
    written = exporter(estimator, **options)
    write_text(written, output)
    if check is not None:
        note(str(getattr(written, "check", "")))
