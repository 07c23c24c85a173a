"""Progress of a fit: on standard error, for a watcher, and for scikit-learn's callbacks.

`est.set_callbacks(ProgressBar())` works where scikit-learn has callbacks (1.9 and later): the fit is a task,
each tree of a forest or round of a booster a task inside it.
"""

from __future__ import annotations

import functools
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from numbers import Integral
from types import TracebackType
from typing import Any, Self, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an earlier scikit-learn

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to set: this scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "Progress", "heard_by", "is_heard", "watched_by", "with_tasks"]

Fit = TypeVar("Fit", bound=Callable[..., Any])

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


# --- scikit-learn's callbacks
# ----------------------------------------------------------------------------------------------------------


def with_tasks(fit: Fit) -> Fit:
    """Let a fit tell the callbacks that were set what it is about; without any it is as it was.

    Parameters
    ----------
    fit : callable
        The method.
    """

    @functools.wraps(fit)  # keeps the signature, which scikit-learn reads
    def told(self: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(self, "_skl_callbacks", None):
            return _fit_as_task(self, fit, args, kwargs)
        with heard_by(None):  # a fit inside another one is not that one's progress
            return fit(self, *args, **kwargs)

    return told  # type: ignore[return-value]


@with_callbacks  # type: ignore[untyped-decorator]
def _fit_as_task(estimator: Any, fit: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    n_parts = getattr(estimator, "n_estimators", 0)
    task = estimator._init_callback_context(max_subtasks=int(n_parts) if isinstance(n_parts, Integral) else 0)
    data: dict[str, Any] = dict(zip(("X", "y"), args, strict=False))
    data |= {name: kwargs[name] for name in ("X", "y") if name in kwargs}
    task.call_on_fit_task_begin(estimator=estimator, **data)

    told = 0

    def tell(done: int, unit: str) -> bool:
        """Tell of the parts that were finished since the last time; return whether somebody wants to stop."""
        nonlocal told
        stop = False
        for _ in range(told, done):
            told += 1
            part = task.subcontext(task_name=unit.removesuffix("s"))
            part.call_on_fit_task_begin(estimator=estimator, **data)
            stop |= part.call_on_fit_task_end(estimator=estimator, **data)
        return stop

    with heard_by(tell):
        fitted = fit(estimator, *args, **kwargs)
    task.call_on_fit_task_end(
        estimator=estimator, reconstruction_attributes=lambda: dict(vars(estimator)), **data
    )
    return fitted
