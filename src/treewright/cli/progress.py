"""Progress on a terminal: a bar of rich where it is installed, a line that is rewritten otherwise.

Only standard error is written to, and only when somebody looks at it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

import click

from treewright.fitting.progress import watched_by

__all__ = ["Watcher", "on_terminal"]

SECONDS = 0.1


class Watcher(Protocol):
    """What shows how far something is."""

    def __call__(self, owner: str, done: int, total: int, unit: str, note: str = "") -> None:
        """Show that so many of a total are done; a total of 0 is not known."""

    def close(self) -> None:
        """Leave the line clean."""


class PlainLine:
    """One line that is rewritten."""

    def __init__(self) -> None:
        self._start, self._last, self._width = time.monotonic(), 0.0, 0

    def __call__(self, owner: str, done: int, total: int, unit: str, note: str = "") -> None:
        """Rewrite the line, not too often."""
        now = time.monotonic()
        if now - self._last < SECONDS and done != total:
            return
        self._last = now
        of = f" of {total}" if total else ""
        line = f"{owner}: {done}{of} {unit}, {now - self._start:.1f} s{note}"
        click.echo("\r" + line.ljust(self._width), nl=False, err=True)
        self._width = len(line)

    def close(self) -> None:
        """Take the line away."""
        if self._width:
            click.echo("\r" + " " * self._width + "\r", nl=False, err=True)


@contextmanager
def on_terminal() -> Iterator[Watcher | None]:
    """Show the progress of fits, and yield what shows that of other work; None: nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    has_rich = find_spec("rich") is not None
    watcher: Watcher = import_module("treewright.cli.rich_progress").RichBar() if has_rich else PlainLine()
    try:
        with watched_by(watcher):
            yield watcher
    finally:
        watcher.close()
