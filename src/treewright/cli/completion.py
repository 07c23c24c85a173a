"""What a shell offers when somebody presses the tabulator: files, algorithms, columns of the named table."""

from __future__ import annotations

from collections.abc import Callable

import click
from click.shell_completion import CompletionItem

from treewright.algorithms import ALGORITHMS
from treewright.cli.estimators import ALIASES
from treewright.exceptions import DataFileError
from treewright.files.table_file import open_table

__all__ = ["algorithm_names", "column_names", "file_names"]


def file_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell offer files."""
    return [CompletionItem(incomplete, type="file")]


def algorithm_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the words for algorithms; of several with commas between them the last."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in (*ALGORITHMS, *ALIASES) if name.startswith(last)]


def column_names(option: str = "file") -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Offer the columns of the table that an argument or option names."""

    def offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        # An option without its value yet leaves arguments where they were typed.
        path = ctx.params.get(option) or next((arg for arg in ctx.args if not arg.startswith("-")), None)
        if not path or path == "-":
            return []
        try:
            names = open_table(path).names
        except (OSError, ValueError, ImportError, DataFileError):
            return []  # whoever types is told when the command runs
        return [name for name in names if name.startswith(incomplete)]

    return offered
