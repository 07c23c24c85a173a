"""Waiting for workers with an end: whoever does not answer is named."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from distributed import Client, Future

from treewright.dask.exchange import NoAnswerError

__all__ = ["gathered", "run_on"]

LOOK_EVERY = 0.1  # seconds


def gathered(client: Client, futures: list[Future]) -> list[Any]:
    """Return the results of tasks, or raise when the scheduler is gone."""
    try:
        while not all(future.done() for future in futures):
            if any(future.status in ("error", "cancelled", "lost") for future in futures):
                break
            if client.status != "running":
                raise RuntimeError("The connection to the scheduler is gone.")
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
