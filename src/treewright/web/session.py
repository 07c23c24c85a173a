"""Session: what one tab of the page works on. Sessions: those of all tabs, the oldest forgotten."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from treewright.grower import Grower
from treewright.grower.looking import fresh_copy
from treewright.web.source import Source

__all__ = ["ConflictError", "Session", "Sessions"]

MOST_SESSIONS = 12
_WORK = ("source", "algorithm", "params", "grower", "model", "ensemble")


class ConflictError(Exception):
    """The session is not as the caller believes: changed in another tab, busy, or forgotten."""


@dataclass
class Session:
    """What one tab works on.

    Attributes
    ----------
    id : str
        Its name, which cannot be guessed.
    revision : int
        Counts changes; a tab that speaks of an older one is told so.
    source : Source or None
        The table.
    algorithm : str
        A key of `ALGORITHMS`.
    params : dict
        Parameters of the algorithm that differ from its defaults.
    grower : Grower or None
        The tree that is grown.
    model : object
        A fitted estimator that was given, instead of a tree that is grown.
    pruned : dict
        How the tree is pruned: ``{"alpha": …}``, ``{"rule": …, "cv": …}``, ``{"confidence_factor": …}``;
        empty where it is not.
    kept : dict
        What was worked out and may be asked again; empty after a change.
    ensemble : object
        The forest or booster that is looked at.
    before : dict or None
        The table and the tree that another one has taken the place of, to bring it back.
    """

    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    revision: int = 0
    source: Source | None = None
    algorithm: str = "cart"
    params: dict[str, Any] = field(default_factory=dict)
    grower: Grower | None = None
    model: Any = None
    pruned: dict[str, Any] = field(default_factory=dict)
    kept: dict[Any, Any] = field(default_factory=dict)
    ensemble: Any = None
    before: dict[str, Any] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def changed(self) -> None:
        """Forget what was worked out for the tree as it was."""
        self.revision += 1
        self.kept = {}
        self.pruned = {}

    def keep_before(self) -> None:
        """Remember a tree with splits before another table or another tree takes its place."""
        if self.grower is not None and self.grower.log:
            self.before = {name: getattr(self, name) for name in _WORK}

    def bring_back(self) -> None:
        """Go back to the tree that was remembered; the one of now is remembered in its place."""
        if self.before is None:
            raise ValueError("There is no tree of before.")
        before, self.before = self.before, None
        self.keep_before()
        for name, value in before.items():
            setattr(self, name, value)
        self.changed()


class Sessions:
    """The sessions of a server; each starts as a copy of what the server was started with.

    Parameters
    ----------
    start : Session
        What every new tab sees first.
    """

    def __init__(self, start: Session | None = None) -> None:
        self.start = start or Session()
        self._known: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def new(self) -> Session:
        """Return a session for a new tab."""
        start = self.start
        session = Session(
            source=start.source,
            algorithm=start.algorithm,
            params=dict(start.params),
            model=start.model,
            ensemble=start.ensemble,
            grower=None if start.grower is None else fresh_copy(start.grower),
        )
        with self._lock:
            self._known[session.id] = session
            while len(self._known) > MOST_SESSIONS:
                self._known.popitem(last=False)
        return session

    def __getitem__(self, name: Any) -> Session:
        with self._lock:
            if not isinstance(name, str) or name not in self._known:
                raise ConflictError("This tab's work is not known here any more.")
            self._known.move_to_end(name)
            return self._known[name]
