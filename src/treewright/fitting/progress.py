"""Progress: how many trees or rounds are done, on standard error; a line rewritten, or lines in a log."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Self

__all__ = ["Progress", "heard_by", "is_heard", "watched_by"]

Watcher = Callable[[str, int, int, str, str], None]
Listener = Callable[[int, str], bool]
_watcher: ContextVar[Watcher | None] = ContextVar("_watcher", default=None)
_listener: ContextVar[Listener | None] = ContextVar("_listener", default=None)

BAR = 30
# The line of a terminal is rewritten no more often than this, a log gets one line per second.
SECONDS = 0.1
LOG_SECONDS = 1.0


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Tell somebody else about the progress of all fits meanwhile, whatever their `verbose` is.

    Parameters
    ----------
    watcher : callable
        Called with the name of the estimator class, what is done, the total, the unit and a note.
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """Tell a listener about the progress of the fit that runs meanwhile, beside what is shown.

    Parameters
    ----------
    listener : callable or None
        Called with what is done and the unit; returns whether to stop. None: nobody listens.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def is_heard() -> bool:
    """Return whether somebody listens."""
    return _listener.get() is not None


class Progress:
    """Shows progress while it is entered; call it with the number of trees done.

    Parameters
    ----------
    owner : str
        Name of the estimator class.
    total : int
        Number of trees.
    shown : bool
        Whether anything is written at all.
    unit : str, default="trees"
        What is counted.
    """

    def __init__(self, owner: str, total: int, shown: bool, unit: str = "trees") -> None:
        self._owner = owner
        self._total = total
        self._unit = unit
        self._watcher, self._listener = _watcher.get(), _listener.get()
        self._stream = sys.stderr if shown and self._watcher is None else None
        self._is_terminal = False
        self._start = self._last = 0.0
        self._width = 0
        self._unwritten = ""

    @property
    def is_shown(self) -> bool:
        """Whether anybody wants to know."""
        return any(whom is not None for whom in (self._stream, self._watcher, self._listener))

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        if self._stream is not None:
            with suppress(AttributeError, ValueError, OSError):
                self._is_terminal = bool(self._stream.isatty())
        self._last = -math.inf if self._is_terminal else self._start
        return self

    def __call__(self, done: int, note: str = "") -> bool:
        """Show that so many are done, and a note; return whether somebody wants to stop."""
        if self._watcher is not None:
            self._watcher(self._owner, done, self._total, self._unit, note)
        if self._stream is not None:
            self._show(done, note)
        return self._listener is not None and self._listener(done, self._unit)

    def _show(self, done: int, note: str) -> None:
        now = time.monotonic()
        text = f"{self._owner}: {done} of {self._total} {self._unit}, {now - self._start:.1f} s{note}"
        is_due = done == self._total or now - self._last >= (SECONDS if self._is_terminal else LOG_SECONDS)
        self._unwritten = "" if is_due else text
        if not is_due:
            return
        self._last = now
        if not self._is_terminal:
            self._write(f"{text}\n")
        else:
            full = BAR * done // max(1, self._total)
            line = f"{text} [{'#' * full}{'.' * (BAR - full)}]"
            self._write("\r" + line.ljust(self._width))
            self._width = len(line)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None and not self._is_terminal and self._unwritten and kind is None:
            self._write(f"{self._unwritten}\n")  # rounds that ended early
        if self._stream is None or not self._width:
            return
        # After an error the line goes away: what follows must not stand behind half a bar.
        self._write("\n" if kind is None else "\r" + " " * self._width + "\r")

    def _write(self, text: str) -> None:
        try:
            assert self._stream is not None, "only asked when shown"
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # closed, or nobody reads any more: no reason to stop growing
            self._stream = None
