"""What calls share: how one is written, what it may tell while it works, and the current estimator."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeAlias

from joblib import parallel_config

from treewright.grower import Grower
from treewright.web.session import ConflictError, Session
from treewright.web.source import Source

__all__ = [
    "Body",
    "Call",
    "Progress",
    "all_cores",
    "base_estimator",
    "current_estimator",
    "need_grower",
    "need_revision",
    "need_source",
]

Body: TypeAlias = dict[str, Any]
#: Told how much is done, of how much (None: not known), and of what; raises when the work is cancelled.
Progress: TypeAlias = Callable[[int, int | None, str], None]
Call: TypeAlias = Callable[[Session, Body, Progress], Any]

ASK_FOR_DATA = "This needs the rows: load the table on the screen Data."


class _Quiet:
    """Ignores warnings while any thread is inside; the last to leave puts the filters of the process back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._filters = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._filters.enter_context(warnings.catch_warnings())
                warnings.simplefilter("ignore")
            self._inside += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._filters.close()


_QUIET = _Quiet()


@contextmanager
def all_cores() -> Iterator[None]:
    """Let estimators whose `n_jobs` is None use every core, and keep their warnings to themselves."""
    with parallel_config(backend="threading", n_jobs=-1), _QUIET:
        yield


def need_source(session: Session) -> Source:
    """Return the table; ValueError where there is none."""
    if session.source is None:
        raise ValueError(ASK_FOR_DATA)
    return session.source


def need_grower(session: Session) -> Grower:
    """Return the tree that is grown; ValueError where there is none."""
    if session.grower is None:
        raise ValueError(ASK_FOR_DATA if session.source is None else "Start a tree first.")
    return session.grower


def need_revision(session: Session, body: Body) -> None:
    """Refuse to change what another tab has changed meanwhile."""
    known = body.get("revision")
    if known is not None and known != session.revision:
        raise ConflictError("The tree was changed in another tab. This tab shows it now as it is.")


def base_estimator(session: Session) -> Any:
    """Return the fitted estimator of the tree as grown, or the model that was given."""
    if session.grower is None:
        if session.model is None:
            raise ValueError("There is no tree yet: grow one, or open a model.")
        return session.model
    if "base" not in session.kept:
        with all_cores():
            session.kept["base"] = session.grower.to_estimator()
    return session.kept["base"]


def current_estimator(session: Session) -> Any:
    """Return the fitted estimator after pruning."""
    return session.kept.get("pruned") or base_estimator(session)
