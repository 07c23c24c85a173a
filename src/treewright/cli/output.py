"""Where results go: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO

import click

from treewright.cli.failures import Mistyped
from treewright.store.whole_file import whole_file, write_whole

__all__ = ["bytes_to", "said_beside", "write_text"]


@contextmanager
def bytes_to(path: str | None) -> Iterator[IO[bytes]]:
    """Open standard output (None or "-"), or a file that appears when all of it is written."""
    if path is None or path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole_file(path) as file:
        yield file


def said_beside(path: str | None) -> Callable[[str], None]:
    """Return what prints a text about a result: on standard error where the result itself is on the other."""
    return partial(click.echo, err=path == "-")


def write_text(text: str | bytes, path: str | None) -> None:
    """Print a text, or write it to a file."""
    if path is None or path == "-":
        if isinstance(text, str):
            click.echo(text)
            return
        if sys.stdout.isatty():
            raise Mistyped("-o: this form is no text for a terminal; name a file with -o FILE.")
        with bytes_to(path) as file:
            file.write(text)
        return
    write_whole(path, text if isinstance(text, bytes) else text.encode("utf-8"))
