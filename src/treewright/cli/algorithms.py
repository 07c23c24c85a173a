"""`treewright algorithms`: what there is, and the parameters of one."""

from __future__ import annotations

import inspect

import click

from treewright.algorithms import ALGORITHMS
from treewright.cli.estimators import ALIASES, algorithm_name


@click.command("algorithms")
@click.argument("name", required=False)
@click.option(
    "--task", type=click.Choice(["classification", "regression"]), help="Of NAME.  [default: the first]"
)
def command(name: str | None, task: str | None) -> None:
    """List the algorithms; with a NAME its description, parameters and defaults."""
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
    click.echo(f"{cls.__name__}\n\n{(inspect.getdoc(cls) or '').rstrip()}")
