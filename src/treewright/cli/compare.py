"""`treewright compare`: several algorithms side by side, cross-validated on the same folds."""

from __future__ import annotations

import json
from typing import Any

import click

from treewright.algorithms import ALGORITHMS
from treewright.cli.completion import algorithm_names, column_names, file_names
from treewright.cli.estimators import algorithm_name, made
from treewright.cli.failures import Mistyped, note
from treewright.cli.letters import plain_text
from treewright.cli.options import as_json, kinds, parsed_kinds, plain_letters, table_options
from treewright.cli.progress import on_terminal
from treewright.cli.tables import learning_table, opened
from treewright.learning import cross_validated, folds


@click.command("compare")
@click.argument("file", shell_complete=file_names)
@click.option(
    "-t",
    "--target",
    metavar="NAME",
    required=True,
    help="The column to predict.",
    shell_complete=column_names(),
)
@click.option(
    "-a", "--algorithms", metavar="A,B,…", help="[default: all of the task]", shell_complete=algorithm_names
)
@click.option("--cv", type=click.IntRange(2), default=10, show_default=True, help="Folds.")
@click.option("--task", type=click.Choice(["classification", "regression"]), help="Instead of the guess.")
@click.option("--weight", metavar="NAME", help="The column with the weights of the rows.")
@click.option("--ignore", multiple=True, metavar="NAME", help="A column to leave out.")
@kinds
@click.option("--seed", type=int, default=0, show_default=True, help="random_state of the algorithms.")
@table_options
@plain_letters
@as_json
def command(file: str, target: str, algorithms: str | None, cv: int, seed: int, **given: Any) -> None:
    """Cross-validate algorithms on FILE; print their scores, best first, with standard errors and times."""
    words = [word for word in (algorithms or "").split(",") if word.strip()]
    names = list(dict.fromkeys(algorithm_name(word) for word in words))
    source = opened(file, given)
    table = learning_table(
        source, target=target, weight=given["weight"], ignore=given["ignore"],
        kinds=parsed_kinds(given["kinds"]), task=given["task"],
    )  # fmt: skip
    names = names or [name for name, tasks in ALGORITHMS.items() if table.task in tasks]
    for name in names:
        if table.task not in ALGORITHMS[name]:
            raise Mistyped(
                f"{name} does classification only, and {target!r} holds numbers (--task classification)."
            )
    found = {}
    folds(table, cv)  # refuses a table that is too short, before anything is said
    with on_terminal() as watcher:
        for place, name in enumerate(names, 1):
            if watcher is None:
                note(f"{name} ({place} of {len(names)}) …")
            else:
                watcher("compare", place - 1, len(names), f"algorithms, now {name}")
            found[name] = cross_validated(lambda name=name: made(name, table.task, {}, seed), table, cv)  # type: ignore[misc]
    first, larger_is_better = ("accuracy", True) if table.task == "classification" else ("rmse", False)
    order = sorted(names, key=lambda name: found[name]["scores"][first]["mean"], reverse=larger_is_better)
    if given["as_json"]:
        click.echo(
            json.dumps({"file": source.name, "rows": table.X.n_rows, "folds": cv, "algorithms": found})
        )
        return
    text = _table(
        f"{source.name}   {table.X.n_rows} rows, {len(table.X.names)} features   {cv} folds", order, found
    )
    click.echo(plain_text(text) if given["plain_letters"] else text)


def _table(title: str, order: list[str], found: dict[str, Any]) -> str:
    lines = [f"{title}, mean ± SE"]
    columns = list(dict.fromkeys(score for name in order for score in found[name]["scores"]))
    width = max(len("algorithm"), *map(len, order))
    head = f"  {'algorithm':<{width}}" + "".join(f"   {score:>17}" for score in columns)
    lines.append(f"{head}   fit seconds")
    for name in order:
        cells = []
        for score in columns:
            value = found[name]["scores"].get(score)
            cells.append("–" if value is None else f"{value['mean']:.4f} ± {value['se']:.4f}")
        line = f"  {name:<{width}}" + "".join(f"   {cell:>17}" for cell in cells)
        lines.append(f"{line}   {found[name]['fit_seconds']:>11.3f}")
    return "\n".join(lines)
