"""Calls side by side in threads that end with the caller: after an interrupt none is left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from joblib import effective_n_jobs

from treewright import _core

__all__ = ["run_side_by_side"]

Result = TypeVar("Result")


def run_side_by_side(
    function: Callable[..., Result], calls: Iterable[tuple[Any, ...]], n_jobs: int | None
) -> list[Result]:
    """Call a function several times and return the results in the order of the calls.

    An exception, Ctrl-C included, ends the calls that run inside the engine and takes back those that have
    not begun; the threads have ended when it leaves.

    Parameters
    ----------
    function : callable
        What to call. It may be called from several threads at once.
    calls : iterable of tuple
        The arguments of each call.
    n_jobs : int or None
        Most threads, as joblib counts them.
    """
    waiting = list(calls)
    n_threads = min(int(effective_n_jobs(n_jobs)), len(waiting))
    if n_threads <= 1:
        return [function(*arguments) for arguments in waiting]
    stop = _core.StopRequest()

    def run(*arguments: Any) -> Result:
        with stop:
            return function(*arguments)

    with ThreadPoolExecutor(n_threads) as pool:
        try:
            return [future.result() for future in [pool.submit(run, *arguments) for arguments in waiting]]
        except BaseException:
            stop.request()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
