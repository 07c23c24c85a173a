"""How sums travel between workers: through handlers on the workers' own connections, around the first one.

No port is opened and TLS is that of the cluster. Every wait has a deadline, after which the error names who
did not come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from distributed import Worker, get_worker
from distributed.protocol import ToPickle
from distributed.utils import sync
from numpy.typing import NDArray

__all__ = ["ExchangeError", "NoAnswerError", "WorkerExchange", "abort", "install", "leave"]

HANDLER = "treewright_exchange"
MEETINGS = "_treewright_meetings"
WANTED = ("executing", "long-running")  # states of a task that somebody waits for
WORKING = ("running", "paused", "closing_gracefully")  # states of a worker that does not end


class ExchangeError(RuntimeError):
    """Workers could not add up their sums: one is gone."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class NoAnswerError(RuntimeError):
    """A worker is there and does not answer: nobody can tell whether it ever will."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Meeting:
    """What workers of one run have laid down, on the first of them."""

    def __init__(self, members: list[str], deadline: float) -> None:
        self.members, self._deadline = members, deadline
        self._sums: dict[int, NDArray[Any]] = {}
        self._come: dict[int, set[int]] = {}
        self._done: dict[int, asyncio.Event] = {}
        self._left: dict[int, int] = {}
        self._parts: dict[int, dict[int, NDArray[Any]]] = {}
        self._all_parts: dict[int, asyncio.Event] = {}
        self.error: str | None = None
        self.is_silent = False  # the error is that somebody does not answer

    def lay_down(self, number: int, rank: int, numbers: NDArray[Any]) -> None:
        """Lay numbers down for the first member, who puts them in a row."""
        self._parts.setdefault(number, {})[rank] = numbers
        event = self._all_parts.setdefault(number, asyncio.Event())
        if len(self._parts[number]) == len(self.members):
            event.set()

    async def collected(self, number: int, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return what all members have laid down, in their order; for the first of them."""
        self.lay_down(number, 0, numbers)
        await self._come_together(self._all_parts[number], lambda: self._parts[number])
        del self._all_parts[number]
        parts = self._parts.pop(number)
        return np.concatenate([parts[rank] for rank in range(len(self.members))])

    async def _come_together(self, event: asyncio.Event, come: Callable[[], Collection[int]]) -> None:
        """Wait for everybody; who is missing after the deadline is named."""
        if self.error is None:
            try:
                await asyncio.wait_for(event.wait(), self._deadline)
            except TimeoutError:
                missing = [m for i, m in enumerate(self.members) if i not in come()]
                if self.error is None:
                    self.is_silent = True
                self.abort(f"no answer within {self._deadline:g} s from {', '.join(missing)}")
        if self.error is not None:
            raise NoAnswerError(self.error) if self.is_silent else ExchangeError(self.error)

    async def add_up(self, number: int, rank: int, numbers: NDArray[Any]) -> NDArray[Any]:
        """Lay numbers down and return the sums of all members."""
        if number not in self._sums:
            self._sums[number] = numbers
            self._come[number], self._done[number] = set(), asyncio.Event()
            self._left[number] = len(self.members)
        elif len(self._come[number]) == 1:  # what others have laid down is theirs
            self._sums[number] = self._sums[number] + numbers
        else:
            self._sums[number] += numbers
        self._come[number].add(rank)
        if len(self._come[number]) == len(self.members):
            self._done[number].set()
        await self._come_together(self._done[number], lambda: self._come[number])
        total = self._sums[number]
        self._left[number] -= 1
        if self._left[number] == 0:
            for kept in (self._sums, self._come, self._done, self._left):
                del kept[number]
        return total

    def abort(self, why: str) -> None:
        """Let everybody who waits go with an error."""
        self.error = self.error or why
        for event in (*self._done.values(), *self._all_parts.values()):
            event.set()


def _meetings(worker: Worker) -> dict[str, Meeting]:
    if not hasattr(worker, MEETINGS):
        setattr(worker, MEETINGS, {})
    found: dict[str, Meeting] = getattr(worker, MEETINGS)
    return found


def install(run: str, members: list[str], deadline: float, dask_worker: Worker) -> None:
    """Prepare a worker for a run; to be run on every worker by the client."""

    async def handle(
        run: str, number: int, rank: int, numbers: NDArray[Any], adds_up: bool
    ) -> dict[str, Any]:
        meeting = _meetings(dask_worker).get(run)
        if meeting is None:
            return {"error": "the run was ended"}
        if not adds_up:
            meeting.lay_down(number, rank, numbers)
            return {"numbers": None}
        try:
            total = await meeting.add_up(number, rank, numbers)
        except ExchangeError as error:
            return {"error": error.why}
        except NoAnswerError as error:
            return {"silent": error.why}
        return {"numbers": ToPickle(total)}

    dask_worker.handlers[HANDLER] = handle
    _meetings(dask_worker)[run] = Meeting(members, deadline)


def abort(run: str, why: str, dask_worker: Worker) -> None:
    """End a run on a worker; to be run on every worker by the client."""
    meeting = _meetings(dask_worker).pop(run, None)
    if meeting is not None:
        dask_worker.loop.add_callback(meeting.abort, why)


def leave(run: str, why: str | None) -> None:
    """Forget a run on this worker; with a reason when it did not come to its end."""
    worker = get_worker()
    meeting = _meetings(worker).pop(run, None)
    if meeting is not None and why is not None:
        worker.loop.add_callback(meeting.abort, why)


class WorkerExchange:
    """The engine's exchange, for one worker of a run.

    Parameters
    ----------
    run : str
        Name of the run.
    rank : int
        Place of this worker among the members.
    members : list of str
        Their addresses; the first one adds up.
    n_rows, first_row : int
        Rows of all, and the place of this worker's first row among them.
    deadline : float
        Seconds that others may take.
    """

    def __init__(
        self, run: str, rank: int, members: list[str], n_rows: int, first_row: int, deadline: float
    ) -> None:
        self.n_rows, self.first_row = n_rows, first_row
        self._run, self._rank, self._members, self._deadline = run, rank, members, deadline
        self._worker = get_worker()
        self._key = self._worker.get_current_task()
        self._number = 0
        self.n_exchanges = 0

    def add_up(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of all members' numbers."""
        self._number += 1
        self.n_exchanges += 1
        self._check_wanted()
        if len(self._members) == 1:
            return numbers
        found: NDArray[Any] = sync(
            self._worker.loop, self._exchange, self._number, numbers, callback_timeout=2 * self._deadline
        )
        return found

    gather = add_up  # in every place all but one have 0

    def collect(self, numbers: NDArray[Any]) -> NDArray[Any] | None:
        """Return the rows of all members, one after the other, on the first of them; None on the others."""
        self._number += 1
        self.n_exchanges += 1
        self._check_wanted()
        if len(self._members) == 1:
            return numbers
        found: NDArray[Any] | None = sync(
            self._worker.loop, self._lay_down, self._number, numbers, callback_timeout=2 * self._deadline
        )
        return found

    async def _lay_down(self, number: int, numbers: NDArray[Any]) -> NDArray[Any] | None:
        if self._rank == 0:
            return await self._meeting().collected(number, numbers)
        await self._told_root(number, numbers, adds_up=False)
        return None

    def _meeting(self) -> Meeting:
        meeting = _meetings(self._worker).get(self._run)
        if meeting is None:
            raise ExchangeError("the run was ended")
        return meeting

    def _check_wanted(self) -> None:
        """Raise when nobody waits for this run any more: Dask cannot end a thread, it ends itself."""
        task = self._worker.state.tasks.get(self._key)
        if self._worker.status.name not in WORKING or task is None or task.state not in WANTED:
            raise ExchangeError("the run was ended")

    async def _exchange(self, number: int, numbers: NDArray[Any]) -> NDArray[Any]:
        if self._rank == 0:
            return await self._meeting().add_up(number, 0, numbers)
        total: NDArray[Any] = await self._told_root(number, numbers, adds_up=True)
        return total

    async def _told_root(self, number: int, numbers: NDArray[Any], *, adds_up: bool) -> Any:
        """Send numbers to the first member and return its answer."""
        root = self._members[0]
        call = getattr(self._worker.rpc(root), HANDLER)
        # Pickled arrays travel as they lie in memory; bytes in a message would be copied on both sides.
        message = {"run": self._run, "number": number, "rank": self._rank, "adds_up": adds_up}
        try:
            answer = await asyncio.wait_for(call(**message, numbers=ToPickle(numbers)), 1.5 * self._deadline)
        except TimeoutError:
            raise NoAnswerError(f"no answer within {self._deadline:g} s from {root}") from None
        except OSError as error:
            raise ExchangeError(f"the connection to {root} was lost: {error}") from error
        if "silent" in answer:
            raise NoAnswerError(answer["silent"])
        if "error" in answer:
            raise ExchangeError(answer["error"])
        return answer["numbers"]
