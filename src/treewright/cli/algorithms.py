"""`treewright algorithms`: what there is, and the parameters of one."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

import click

from treewright.algorithms import ALGORITHMS
from treewright.cli.completion import algorithm_names
from treewright.cli.estimators import ALIASES, algorithm_name
from treewright.cli.options import as_json


@click.command("algorithms")
@click.argument("name", required=False, shell_complete=algorithm_names)
@click.option(
    "--task", type=click.Choice(["classification", "regression"]), help="Of NAME.  [default: the first]"
)
@as_json
def command(name: str | None, task: str | None, as_json: bool) -> None:
    """List the algorithms; with a NAME its description, parameters and defaults."""
    if name is None and as_json:
        click.echo(json.dumps({key: _described(tasks) for key, tasks in ALGORITHMS.items()}))
        return
    if name is None:
        short = {key: alias for alias, key in ALIASES.items()}
        width = max(len(key) for key in ALGORITHMS)
        for key, tasks in ALGORITHMS.items():
            words = f" (also: {short[key]})" if key in short else ""
            first = (inspect.getdoc(next(iter(tasks.values()))) or "").split("\n")[0]
            click.echo(f"{key:<{width}}   {', '.join(tasks)}{words}\n{'':<{width}}   {first}")
        return
    tasks = ALGORITHMS[algorithm_name(name)]
    chosen = task or next(iter(tasks))
    if chosen not in tasks:
        raise click.UsageError(f"{name} does {', '.join(tasks)} only.")
    cls = tasks[chosen]
    if as_json:
        click.echo(json.dumps({algorithm_name(name): _described({chosen: cls})}))
        return
    description = (inspect.getdoc(cls) or "").rstrip().replace("``", "`")  # two are for the book
    click.echo(f"{cls.__name__}\n\n{description}")


def _described(tasks: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of an algorithm, as plain values: for each task its class and the defaults."""
    return {
        task: {
            "class": cls.__name__,
            "defaults": {
                name: param.default
                if isinstance(param.default, str | int | float | None)
                else str(param.default)
                for name, param in inspect.signature(cls).parameters.items()
            },
        }
        for task, cls in tasks.items()
    }
