"""`treewright prune`: a smaller tree from a tree."""

from __future__ import annotations

import json
from typing import Any

import click

from treewright.cli.completion import file_names
from treewright.cli.estimators import loaded, saved
from treewright.cli.failures import Mistyped, typed_by_user
from treewright.cli.letters import plain_text
from treewright.cli.model_rows import known_columns, known_kinds, target_of
from treewright.cli.options import as_json, plain_letters, table_options
from treewright.cli.output import said_beside
from treewright.cli.tables import learning_table, opened


@click.command("prune")
@click.argument("model", shell_complete=file_names)
@click.option("-o", "--output", metavar="MODEL", required=True, help="Where the smaller tree goes.")
@click.option("--rule", type=click.Choice(["1se", "min"]), help="By cross-validated error.")
@click.option("--alpha", type=float, help="The price of a leaf.")
@click.option("--leaves", type=click.IntRange(1), help="Most leaves.")
@click.option(
    "--data", metavar="FILE", help="The training table, for --rule where the model holds no errors."
)
@click.option("--cv", type=click.IntRange(2), help="Folds of --rule with --data.")
@click.option(
    "--target", "-t", metavar="NAME", help="The target in --data, if the model does not know its name."
)
@click.option("--weight", metavar="NAME", help="The column with the weights in --data.")
@table_options
@plain_letters
@as_json
def command(
    model: str, output: str, rule: str | None, alpha: float | None, leaves: int | None, **given: Any
) -> None:
    """Make the tree in the file MODEL smaller: by a rule, a price of leaves, or a number of leaves."""
    if sum(choice is not None for choice in (rule, alpha, leaves)) != 1:
        raise Mistyped("Choose one of --rule, --alpha and --leaves.")
    estimator = loaded(model)
    if not hasattr(estimator, "pruned"):
        raise ValueError(f"{model} holds a {type(estimator).__name__}: only single trees are pruned.")
    rows: dict[str, Any] = {}
    if given["data"] is not None:
        file = opened(given["data"], given)
        table = learning_table(
            file, target=target_of(estimator, given["target"], file), weight=given["weight"],
            kinds=known_kinds(estimator, file.names), task=estimator.model_.task, quiet=True,
        )  # fmt: skip
        rows = {"X": known_columns(estimator, table.X, file.name), "y": table.target_column()}
        rows |= {"sample_weight": table.weights, "cv": given["cv"] or 10}
    with typed_by_user():
        smaller = estimator.pruned(rule=rule, alpha=alpha, n_leaves=leaves, **rows)
    saved(smaller, output)
    say = said_beside(output)
    if given["as_json"]:
        say(json.dumps(smaller.explain_pruning().to_dict(), ensure_ascii=False))
        return
    text = f"{estimator.get_n_leaves()} → {smaller.get_n_leaves()} leaves, depth {smaller.get_depth()}"
    if output != "-":
        text += f"\nsaved {output}   ·   next:  treewright show {output}"
    say(plain_text(text) if given["plain_letters"] else text)
