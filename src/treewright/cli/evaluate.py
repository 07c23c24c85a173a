"""`treewright evaluate`: how well a model predicts the rows of a table."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import click

from treewright.cli.completion import file_names
from treewright.cli.estimators import loaded
from treewright.cli.failures import Mistyped
from treewright.cli.model_rows import known_columns, known_kinds, target_of
from treewright.cli.options import as_json, table_options
from treewright.cli.scores import check_metrics
from treewright.cli.tables import learning_table, opened
from treewright.learning import measured


@click.command("evaluate")
@click.argument("model", shell_complete=file_names)
@click.argument("file", shell_complete=file_names)
@click.option("-t", "--target", metavar="NAME", help="The target, if the model does not know its name.")
@click.option("--weight", metavar="NAME", help="The column with the weights of the rows.")
@click.option(
    "--metric", "wanted", multiple=True, metavar="NAME", help="A scorer of scikit-learn, e.g. f1_macro."
)
@table_options
@as_json
def command(
    model: str, file: str, target: str | None, weight: str | None, wanted: tuple[str, ...], **given: Any
) -> None:
    """Print how well the MODEL in a file predicts the rows of FILE."""
    if model == file == "-":
        raise Mistyped("The model and the table cannot both come from standard input.")
    estimator = loaded(model)
    source = opened(file, given)
    name = target_of(estimator, target, source)
    table = learning_table(
        source, target=name, weight=weight, kinds=known_kinds(estimator, source.names),
        task=estimator.model_.task, quiet=True,
    )  # fmt: skip
    table = replace(table, X=known_columns(estimator, table.X, source.name))
    check_metrics(wanted)
    scores = measured(estimator, table, wanted)
    if given["as_json"]:
        click.echo(
            json.dumps({"model": model, "file": source.name, "rows": table.X.n_rows, "scores": scores})
        )
        return
    click.echo(f"{source.name}   {table.X.n_rows} rows   {type(estimator).__name__}")
    width = max(map(len, scores))
    for name, value in scores.items():
        click.echo(f"  {name:<{width}}   {value:.4f}")
