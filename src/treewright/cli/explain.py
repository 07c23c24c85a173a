"""`treewright explain`: a split worked out, or the prediction for a row."""

from __future__ import annotations

import inspect
import json
from typing import Any

import click
import numpy as np

from treewright.cli.completion import file_names
from treewright.cli.estimators import loaded
from treewright.cli.failures import Mistyped, close_match, typed_by_user
from treewright.cli.hints import with_options
from treewright.cli.letters import plain_text, report_text
from treewright.cli.model_rows import known_columns, known_kinds, target_of
from treewright.cli.options import as_json, plain_letters, table_options
from treewright.cli.tables import learning_table, opened
from treewright.data.column import Categories, Column, Numbers, Objects
from treewright.data.named_columns import NamedColumns
from treewright.data.schema import Feature
from treewright.files.kinds import typed_category


@click.command("explain")
@click.argument("model", shell_complete=file_names)
@click.option("--node", type=click.IntRange(0), help="The node whose split is worked out.  [default: 0]")
@click.option("--row", metavar="N|JSON", help='A row of --data counted from 0, or {"name": value, …}.')
@click.option("--pruning", is_flag=True, help="How the tree was pruned, and how it could be.")
@click.option("--all", "every_row", is_flag=True, help="Of --pruning, show every line.")
@click.option(
    "--data",
    metavar="FILE",
    help="The training table: every feature is searched again.",
    shell_complete=file_names,
)
@click.option("--tree", type=click.IntRange(0), help="The number of a tree, of a forest or booster.")
@click.option("--top", type=click.IntRange(1), help="Candidates to show.")
@click.option("--as", "as_", metavar="ALGORITHM", help="What another algorithm would choose (needs --data).")
@click.option(
    "--target", "-t", metavar="NAME", help="The target in --data, if the model does not know its name."
)
@click.option("--weight", metavar="NAME", help="The column with the weights in --data.")
@table_options
@plain_letters
@as_json
def command(model: str, node: int | None, row: str | None, data: str | None, **given: Any) -> None:
    """Work out a split of MODEL (--node), the prediction for a row (--row), or the pruning (--pruning)."""
    if (node is not None) + (row is not None) + given["pruning"] > 1:
        raise Mistyped("--node, --row and --pruning are different questions: ask one.")
    if "-" in (model, data) and model == data:
        raise Mistyped("The model and the table cannot both come from standard input.")
    estimator = loaded(model)
    if given["pruning"]:
        _print_pruning(estimator, given)
        return
    file = None
    if data is not None:
        file = opened(data, given)
    report = _of_row(estimator, row, file) if row is not None else _of_node(estimator, node or 0, file, given)
    if given["as_json"]:
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False, default=_plain))
    else:
        click.echo(with_options(report_text(with_options(report), given["plain_letters"])))


def _print_pruning(estimator: Any, given: dict[str, Any]) -> None:
    if not hasattr(estimator, "explain_pruning"):
        raise Mistyped(f"--pruning: a {type(estimator).__name__} is not pruned; single trees are.")
    report = estimator.explain_pruning()
    if given["as_json"]:
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False))
        return
    text = with_options(report.to_text(every_row=given["every_row"]))
    click.echo(plain_text(text) if given["plain_letters"] else text)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _of_node(estimator: Any, node: int, file: Any, given: dict[str, Any]) -> Any:
    wanted = {"as_": given["as_"], "top": given["top"], "tree": given["tree"]}
    known = inspect.signature(estimator.explain_split).parameters
    options = {key: value for key, value in wanted.items() if value is not None}
    for key in options:
        if key not in known:
            raise Mistyped(f"A {type(estimator).__name__} has no option --{key.strip('_')} here.")
    rows: tuple[Any, ...] = ()
    if file is not None:
        table = learning_table(
            file, target=target_of(estimator, given["target"], file), weight=given["weight"],
            kinds=known_kinds(estimator, file.names), task=estimator.model_.task, quiet=True,
        )  # fmt: skip
        rows = (known_columns(estimator, table.X, file.name), table.target_column(), table.weights)
    elif given["as_"]:
        raise Mistyped("--as needs the training table: --data FILE.")
    with typed_by_user():
        return estimator.explain_split(node, *rows, **options)


def _of_row(estimator: Any, row: str, file: Any) -> Any:
    if row.lstrip().startswith("{"):
        return estimator.explain_prediction(_typed_row(estimator, row))
    if not row.isdigit():
        raise Mistyped(f'--row takes a number (with --data) or {{"name": value, …}}, got {row!r}.')
    if file is None:
        raise Mistyped(f"--row {row} is a row of a table: --data FILE.")
    features = estimator.model_.schema.features
    known_columns(estimator, file, file.name)
    wanted = place = int(row)
    for batch in file.batches(features):
        if place < batch.n_rows:
            return estimator.explain_prediction(batch.take(np.array([place])))
        place -= batch.n_rows
    raise Mistyped(f"--row {row}: {file.name} has {wanted - place} rows, counted from 0.")


def _typed_row(estimator: Any, text: str) -> NamedColumns:
    """Return one row from JSON; columns that it does not name are missing."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Mistyped(f"--row is not JSON: {error}.") from None
    features: tuple[Feature, ...] = estimator.model_.schema.features
    names = [feature.name for feature in features]
    for name in values:
        if name not in names:
            raise Mistyped(f"--row: the model has no column {name!r}.{close_match(name, names)}")
    columns = [_cell(feature, values.get(feature.name)) for feature in features]
    return NamedColumns(tuple(names), tuple(columns), 1)


def _cell(feature: Feature, value: Any) -> Column:
    if value is None:
        return (
            Numbers(np.array([np.nan]))
            if feature.kind == "numeric"
            else Categories(np.zeros(1, np.uint32), ())
        )
    if feature.kind == "numeric":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Mistyped(f"--row: column {feature.name!r} holds numbers, got {value!r}.")
        return Numbers(np.array([float(value)]))
    if feature.sorts == {False} and isinstance(value, str):
        value = typed_category(value, feature.categories or ())
    return Objects([value])
