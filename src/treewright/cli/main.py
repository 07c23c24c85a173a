"""`treewright`: the list of commands, and what becomes of errors."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import click

from treewright.cli.failures import run_guarded

__all__ = ["COMMANDS", "main", "treewright"]

#: Command → what it does, in the order of a session; each is `command` in the module of its name.
COMMANDS: Final = {
    "data": "What the columns of a table look like, and their problems.",
    "fit": "Learn a model from a table and save it.",
    "show": "Print a model.",
    "explain": "Work out a split, or the prediction for a row.",
    "prune": "Make a tree smaller.",
    "evaluate": "How well a model predicts the rows of a table.",
    "predict": "Predict the rows of a table, however long it is.",
    "export": "Write a model in another form.",
    "import": "Take over a model of LightGBM, XGBoost or CatBoost.",
    "compare": "Cross-validate several algorithms side by side.",
    "algorithms": "List the algorithms, or one algorithm's parameters.",
    "app": "Grow, prune and question a tree in the browser.",
}
#: Commands of other folders, and the name that no module can have; all others are here.
ELSEWHERE: Final = {"app": "treewright.web.command", "import": "treewright.cli.importing"}


HELP: Final = """Decision trees, forests and boosters that show their work.

\b
A session:
  treewright data table.csv
  treewright fit table.csv -t target -a cart -o model.tree
  treewright show model.tree
  treewright explain model.tree --node 0
  treewright predict model.tree new.csv
"""


class LazyGroup(click.Group):
    """Loads a command when it is called; help is printed from the list alone."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the list."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(ELSEWHERE.get(cmd_name, f"treewright.cli.{cmd_name}")).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"treewright {import_module('treewright.version').VERSION}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    callback=_print_version,
    expose_value=False,
    is_eager=True,
    help="Print the version.",
)
def treewright() -> None:
    """Decision trees, forests and boosters that show their work."""


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line and leave with its status."""
    run_guarded(treewright, arguments)
