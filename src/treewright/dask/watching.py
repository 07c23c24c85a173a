"""Waiting for workers with an end: whoever is gone or does not answer is named."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from distributed import Client, Future

from treewright.dask.exchange import NoAnswerError
from treewright.data.memory import format_bytes

__all__ = ["LOOK_EVERY", "Pulse", "gathered", "let_go", "run_on"]

LOOK_EVERY = 0.1  # seconds
WAITING = ("ready", "waiting", "constrained")  # states of tasks that a worker has not begun
WORKED_ON = ("executing", "long-running")
LEAST_FOR_SCHEDULER = 60.0  # it may be busy with what others have sent


class Pulse:
    """Which workers are there, and whether they still breathe.

    Workers tell the scheduler every second or so that they are alive. One whose last word stays the same for
    as long as the deadline is frozen, or its machine is: Dask itself would wait for minutes.

    Parameters
    ----------
    client : Client
        The cluster.
    deadline : float
        Seconds of silence after which a worker counts as frozen.
    needed : collection of str, default=()
        Workers that have to begin a task of their own, which no other may take over.
    """

    def __init__(self, client: Client, deadline: float, needed: Collection[str] = ()) -> None:
        self._client, self._deadline, self._needed = client, deadline, needed
        self._of_scheduler = max(deadline, LEAST_FOR_SCHEDULER)
        self._words: dict[str, tuple[float, float]] = {}  # the last word of each, and when we first heard it
        self._full_since: dict[str, float] = {}
        self._next_look = 0.0
        self._alive: dict[str, Any] = {}

    def alive(self) -> dict[str, Any]:
        """Return the workers by address, with what the scheduler knows of them.

        Raises
        ------
        NoAnswerError
            When a worker is silent.
        RuntimeError
            When the scheduler is gone or does not answer.
        MemoryError
            When a worker begins no task because its memory is full, and does not get any freer.
        """
        if self._client.status != "running":
            raise RuntimeError("The connection to the scheduler is gone.")
        now = time.monotonic()
        if now < self._next_look:
            return self._alive
        try:
            self._alive = self._client.sync(self._workers)
        except TimeoutError:
            raise RuntimeError(f"The scheduler does not answer within {self._of_scheduler:g} s.") from None
        except OSError as error:
            raise RuntimeError(f"The connection to the scheduler is gone: {error}") from error
        now = time.monotonic()
        # A look costs the scheduler a sentence about every worker.
        self._next_look = now + LOOK_EVERY * max(1.0, len(self._alive) / 10)
        for address, facts in self._alive.items():
            word = float(facts["last_seen"])
            if self._words.get(address, (None, 0.0))[0] != word:
                self._words[address] = (word, now)
        silent = [m for m in self._alive if now - self._words[m][1] > self._deadline]
        if silent:
            raise NoAnswerError(f"no answer within {self._deadline:g} s from {', '.join(silent)}")
        self._check_memory(now)
        return self._alive

    def _check_memory(self, now: float) -> None:
        """Raise when tasks wait for a worker that Dask has paused: it would wait for ever.

        Half of the deadline is given to it, so that this is said before others miss it at an exchange.
        """
        full = {address for address, facts in self._alive.items() if _begins_nothing(facts)}
        self._full_since = {address: self._full_since.get(address, now) for address in full}
        stuck = [m for m, since in self._full_since.items() if now - since > self._deadline / 2]
        for address in stuck:
            facts = self._alive[address]
            if len(stuck) == len(self._alive) or address in self._needed or _has_tasks(facts, WAITING):
                raise MemoryError(
                    f"The worker {address} uses {format_bytes(int(facts['metrics']['memory']))}, may use "
                    f"{format_bytes(int(facts['memory_limit'] or 0))}, and begins no task before it has more "
                    "room. Give it more memory, add workers, or make partitions smaller."
                )

    async def _workers(self) -> dict[str, Any]:
        found = await asyncio.wait_for(self._client.scheduler.identity(n_workers=-1), self._of_scheduler)
        workers: dict[str, Any] = found["workers"]
        return workers


def _begins_nothing(facts: dict[str, Any]) -> bool:
    return facts["status"] == "paused" and not _has_tasks(facts, WORKED_ON)


def _has_tasks(facts: dict[str, Any], states: tuple[str, ...]) -> bool:
    counts = facts["metrics"].get("task_counts", {})
    return any(counts.get(state) for state in states)


def gathered(client: Client, futures: Sequence[Future], deadline: float) -> list[Any]:
    """Return the results of tasks.

    Raises
    ------
    RuntimeError
        When the scheduler is gone, a worker is frozen, or somebody has cancelled the tasks.
    """
    pulse = Pulse(client, deadline)
    try:
        while not all(future.done() for future in futures):
            if any(future.status in ("error", "cancelled", "lost") for future in futures):
                break
            pulse.alive()
            time.sleep(LOOK_EVERY / 5)
        if any(future.status == "cancelled" for future in futures):
            pulse.alive()
            raise RuntimeError("The fit was ended: its tasks were cancelled.")
        results: list[Any] = client.gather(list(futures))
    except NoAnswerError as error:
        let_go(client, futures)
        raise RuntimeError(
            f"The fit was ended: {error}. Restart that worker, or give it more time, and fit again."
        ) from error
    except BaseException:
        let_go(client, futures)
        raise
    return results


def let_go(client: Client, futures: Sequence[Future]) -> None:
    """Cancel what is not done and forget the rest, so that nothing is left on the workers."""
    for future in futures:
        if client.status == "running" and not future.done():
            future.cancel(force=True)
        future.release()


def run_on(
    client: Client, members: list[str], deadline: float, function: Callable[..., Any], *arguments: Any
) -> dict[str, Any]:
    """Run a function on workers; what it raised stands in place of its result.

    Raises
    ------
    NoAnswerError
        When a worker does not answer.
    """

    async def one(address: str) -> Any:
        call = client._run(function, *arguments, workers=[address], on_error="return")
        return (await asyncio.wait_for(call, deadline)).get(address)

    async def each() -> list[Any]:
        return await asyncio.gather(*(one(address) for address in members), return_exceptions=True)

    found = client.sync(each)
    silent = [m for m, answer in zip(members, found, strict=True) if isinstance(answer, TimeoutError)]
    if silent:
        raise NoAnswerError(f"no answer within {deadline:g} s from {', '.join(silent)}")
    return dict(zip(members, found, strict=True))
