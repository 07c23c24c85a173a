"""Waiting for workers with an end: whoever falls silent is named."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from distributed import Client, Future

from treewright.dask.exchange import NoAnswerError

__all__ = ["Silence", "gathered", "run_on"]

LOOK_EVERY = 0.1  # seconds


class Silence:
    """Notices workers that give no sign of life: the scheduler hears from each every few seconds.

    Parameters
    ----------
    client : Client
        The cluster.
    deadline : float
        Seconds without a sign after which a worker counts as silent.
    """

    def __init__(self, client: Client, deadline: float) -> None:
        self._client, self._deadline = client, deadline
        self._heard: dict[str, tuple[float, float]] = {}

    def check(self, members: Sequence[str] | None = None) -> None:
        """Raise where a worker is silent or the scheduler is gone."""
        if self._client.status != "running":
            raise RuntimeError("The connection to the scheduler is gone.")
        now = time.monotonic()
        for address, worker in self._client.scheduler_info(n_workers=-1)["workers"].items():
            if members is not None and address not in members:
                continue
            seen = float(worker.get("last_seen", 0))
            before = self._heard.get(address)
            # By this clock: that of the scheduler may be another.
            if before is None or before[0] != seen:
                self._heard[address] = (seen, now)
            elif now - before[1] > self._deadline:
                raise NoAnswerError(f"no sign of life within {self._deadline:g} s from {address}")


def gathered(client: Client, futures: list[Future], deadline: float) -> list[Any]:
    """Return the results of tasks, or raise when a worker is silent or the scheduler gone."""
    silence = Silence(client, deadline)
    try:
        while not all(future.done() for future in futures):
            if any(future.status in ("error", "cancelled", "lost") for future in futures):
                break
            silence.check()
            time.sleep(LOOK_EVERY / 5)
        results: list[Any] = client.gather(futures)
    except BaseException:
        for future in futures:
            if not future.done():
                future.cancel(force=True)
        raise
    return results


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
