"""Jobs: calls that take long run in threads of their own, tell how far they are, and can be cancelled."""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from treewright._core import Stopped, StopRequest
from treewright.web.calls import Progress

__all__ = ["CancelledError", "Job", "Jobs"]

MOST_JOBS = 32
SECONDS_BETWEEN = 0.1
SECONDS_OF_SILENCE = 5.0


class CancelledError(Exception):
    """The user does not want the result any more."""


class Job:
    """One call that runs in a thread.

    Parameters
    ----------
    work : callable
        Gets a function to report progress with, and returns the answer.
    """

    def __init__(self, work: Callable[[Progress], Any]) -> None:
        self.id = secrets.token_urlsafe(12)
        self._stop = StopRequest()
        self._cancelled = threading.Event()
        self._events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._last = 0.0
        self.thread = threading.Thread(target=self._run, args=(work,), name="treewright-job", daemon=True)
        self.thread.start()

    def _run(self, work: Callable[[Progress], Any]) -> None:
        try:
            with self._stop:
                answer = work(self._progress)
            self._events.put(("done", answer))
        except (CancelledError, Stopped):
            self._events.put(("cancelled", None))
        except BaseException as error:
            self._events.put(("failed", error))

    def _progress(self, done: int, total: int | None, words: str) -> None:
        if self._cancelled.is_set():
            raise CancelledError
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN:
            self._last = now
            self._events.put(("progress", {"done": done, "total": total, "words": words}))

    def cancel(self) -> None:
        """Ask the work to end: at its next report, or within the engine."""
        self._cancelled.set()
        self._stop.request()

    def events(self) -> Iterator[tuple[str, Any]]:
        """Yield what happens, to one listener: progress and in the end done, failed or cancelled.

        Now and then ("alive", None), so that a listener who left is noticed.
        """
        while True:
            try:
                kind, value = self._events.get(timeout=SECONDS_OF_SILENCE)
            except queue.Empty:
                yield "alive", None
                continue
            yield kind, value
            if kind in ("done", "failed", "cancelled"):
                return


class Jobs:
    """The jobs of a server, the oldest forgotten."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, work: Callable[[Progress], Any]) -> Job:
        """Start a job."""
        with self._lock:
            running = sum(job.thread.is_alive() for job in self._known.values())
            if running >= MOST_JOBS:
                raise ValueError(f"{running} jobs are running: wait for one, or cancel one.")
            job = Job(work)
            self._known[job.id] = job
            while len(self._known) > 2 * MOST_JOBS:
                self._known.popitem(last=False)
        return job

    def get(self, name: str) -> Job | None:
        """Return a job by its name."""
        with self._lock:
            return self._known.get(name)

    def cancel_all(self) -> None:
        """Ask all jobs to end."""
        with self._lock:
            for job in self._known.values():
                job.cancel()
