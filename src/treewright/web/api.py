"""The calls of the page by name: pure functions over a session, the same for the server and the notebook."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from treewright.version import VERSION
from treewright.web import calls_compare, calls_data, calls_grow, calls_predict, calls_prune
from treewright.web.bundled import BUNDLED
from treewright.web.calls import Body, Call, Progress, need_revision
from treewright.web.choices import algorithms
from treewright.web.session import ConflictError, Session
from treewright.web.state import state

__all__ = ["CALLS", "CHANGES", "REFUSALS", "answer", "hello"]

#: What a caller may have done wrong: answered with its sentence.
REFUSALS = (ValueError, TypeError, LookupError, ImportError, AttributeError, OverflowError)


def show_state(session: Session, body: Body, progress: Progress) -> Any:
    """Return the session as it is."""
    return state(session)


CALLS: MappingProxyType[str, Call] = MappingProxyType(
    {
        "state": show_state,
        **calls_data.CALLS,
        **calls_grow.CALLS,
        **calls_prune.CALLS,
        **calls_predict.CALLS,
        **calls_compare.CALLS,
    }
)
#: Calls that change the session: one at a time.
CHANGES = frozenset(
    {"bundled", "columns", "bring_back", "start", "act", "validate", "choose", "confidence", "ensemble"}
)
WAIT_SECONDS = 20.0


def hello() -> dict[str, Any]:
    """Return what the page needs before anything is loaded."""
    return {
        "version": VERSION,
        "bundled": [{"name": name, "words": words} for name, words in BUNDLED.items()],
        "algorithms": algorithms(),
    }


def silent(done: int, total: int | None, words: str) -> None:
    """Tell nobody how far the work is."""


def answer(session: Session, name: str, body: Body, progress: Progress = silent) -> Any:
    """Answer one call.

    Parameters
    ----------
    session : Session
        The session.
    name : str
        A key of `CALLS`.
    body : dict
        What is asked.
    progress : callable
        Told how far the work is; raises to stop it.
    """
    call = CALLS[name]
    if name not in CHANGES:
        return call(session, body, progress)
    if not session.lock.acquire(timeout=WAIT_SECONDS):
        raise ConflictError("Another change is still being worked on: wait for it, or cancel it.")
    try:
        need_revision(session, body)
        return call(session, body, progress)
    finally:
        session.lock.release()
