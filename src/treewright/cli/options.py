"""Options that several commands have, and their values as Python's."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeVar

import click

from treewright.cli.failures import Mistyped

__all__ = [
    "as_json",
    "kinds",
    "parsed_kinds",
    "parsed_pairs",
    "parsed_value",
    "plain_letters",
    "table_options",
]

Command = TypeVar("Command", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
kinds = click.option(
    "--kind", "kinds", multiple=True, metavar="NAME=KIND", help="numeric or nominal, instead of the guess."
)
plain_letters = click.option("--ascii", "plain_letters", is_flag=True, help="Draw with plain ASCII letters.")


def table_options(command: Command) -> Command:
    """Add the options that say how a table is read."""
    for option in reversed(
        [
            click.option(
                "--sep", "separator", metavar="CHAR", help="Between fields; guessed when not given."
            ),
            click.option(
                "--decimal",
                type=click.Choice([".", ","]),
                help="Between the digits of numbers; guessed when not given, a point when in doubt.",
            ),
            click.option("--encoding", default="utf-8", show_default=True, help="Of a text file."),
            click.option(
                "--missing",
                "missing",
                multiple=True,
                metavar="TEXT",
                help="Another cell that is a missing value (beside empty, NA, N/A, NaN, null, None, ?).",
            ),
        ]
    ):
        command = option(command)
    return command


def parsed_value(text: str) -> Any:
    """Return what a value on the command line means: a number, true, none, a list, or the text itself."""
    words = {"none": None, "null": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def parsed_kinds(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return column → kind from arguments like ``name=kind``; the name itself may hold the sign."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, sign, kind = pair.rpartition("=")
        if not sign or not name.strip():
            raise Mistyped(f"--kind takes name=kind, got {pair!r}.")
        found[name.strip()] = kind.strip()
    return found


def parsed_pairs(pairs: tuple[str, ...], option: str) -> dict[str, str]:
    """Return name → text from arguments like ``name=value``."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not name.strip():
            raise Mistyped(f"{option} takes name=value, got {pair!r}.")
        found[name.strip()] = text.strip()
    return found
