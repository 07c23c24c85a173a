"""One task per worker boosts its share of the rows; when a worker is lost, the others start again."""

from __future__ import annotations

import pickle
import time
import uuid
from dataclasses import dataclass
from typing import Any

import numpy as np
from distributed import Client, Future, Lock, Queue, get_client, get_worker
from numpy.typing import NDArray

from treewright import _core
from treewright._core import Dataset
from treewright.boosting.losses import loss_of
from treewright.dask.exchange import ExchangeError, NoAnswerError, WorkerExchange, abort, install
from treewright.dask.partition import Codes
from treewright.dask.shares import Share, shares_of
from treewright.dask.watching import LOOK_EVERY, run_on
from treewright.version import VERSION

__all__ = ["boost_shares"]

MOST_TRIES = 5
CLEAN_UP_SECONDS = 5.0
LOCK = "treewright-training"


@dataclass(frozen=True)
class ShareTask:
    """What one worker gets besides codes."""

    run: str
    rank: int
    members: list[str]
    share: Share
    n_rows: int
    columns: list[Any]
    estimator: Any
    n_classes: int | None
    plan: dict[str, Any]
    n_rounds: int
    settings: dict[str, Any]
    target: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    raw: NDArray[np.float64]
    deadline: float
    checksums: list[list[int]]  # of the codes of each piece
    reports: str | None = None  # where rounds are reported to, for callbacks of the client


def boost_shares(
    client: Client,
    codes: list[Future],
    part_rows: list[int],
    checksums: list[list[int]],
    columns: list[Any],
    estimator: Any,
    task: tuple[Any, ...],
    deadline: float,
) -> dict[str, Any]:
    """Boost on all workers and return what the engine returns.

    Parameters
    ----------
    client : Client
        The cluster.
    codes : list of Future
        The codes of every partition.
    part_rows : list of int
        Their rows.
    checksums : list of list of int
        What the codes of every partition were made from: those that are recomputed must be the same.
    columns : list of tuple
        What the codes stand for.
    estimator : object
        The booster, for its loss.
    task : tuple
        Targets, weights, raw scores, plan, rounds and settings, as `_core.boost` takes them.
    deadline : float
        Seconds after which a worker that does not answer counts as lost.
    """
    target, weights, raw, plan, n_rounds, settings = task
    if settings.get("gradients") is not None or settings.get("exact") or settings.get("tree") is not None:
        raise ValueError("Only trees by histograms, of a loss of the library, can be grown on a cluster.")
    if settings.get("metric") is not None:
        raise ValueError(
            "Metrics other than the loss, and several validation sets, cannot be used on a cluster yet: they "
            "would run on the workers."
        )
    settings = dict(settings)
    after_round = settings.pop("after_round", None)
    # Two classes have one raw score.
    n_classes = max(2, raw.shape[1]) if estimator._task == "classification" else None
    with Lock(
        LOCK, scheduler_rpc=client.scheduler, loop=client.loop
    ):  # two fits at once would wait for each other's workers
        for attempt in range(MOST_TRIES):
            members = _members(client, deadline)
            shares = shares_of(part_rows, len(members))
            members = [m for m, share in zip(members, shares, strict=True) if share.pieces]
            shares = [share for share in shares if share.pieces]
            run = uuid.uuid4().hex
            tasks = [
                ShareTask(
                    run,
                    rank,
                    members,
                    share,
                    sum(part_rows),
                    columns,
                    estimator,
                    n_classes,
                    _plain(plan),
                    n_rounds,
                    settings,
                    target[share.first_row : share.end_row],
                    None if weights is None else weights[share.first_row : share.end_row],
                    np.ascontiguousarray(raw[share.first_row : share.end_row]),
                    deadline,
                    [checksums[piece.part] for piece in share.pieces],
                    f"treewright-rounds-{run}" if after_round is not None and rank == 0 else None,
                )
                for rank, share in enumerate(shares)
            ]
            try:
                return _run(client, tasks, codes, after_round)
            except NoAnswerError as error:
                raise RuntimeError(
                    f"The fit was ended: {error}. Restart that worker, or give it more time, and fit again."
                ) from error
            except ExchangeError as error:
                if attempt + 1 == MOST_TRIES:
                    raise RuntimeError(
                        f"The fit was started {MOST_TRIES} times, and each time a worker was lost or did not "
                        f"answer; the last time: {error}."
                    ) from error
    raise AssertionError("unreachable")


def _plain(plan: _core.BoostPlan) -> dict[str, Any]:
    """Return a plan as plain values, for the way to workers."""
    names = [name for name in dir(plan) if not name.startswith("_")]
    found = {name: getattr(plan, name) for name in names}
    found["order"] = found["order"].name
    return found


def _plan_of(plain: dict[str, Any]) -> _core.BoostPlan:
    plan = _core.BoostPlan()
    for name, value in plain.items():
        setattr(plan, name, getattr(_core.BoostOrder, value) if name == "order" else value)
    return plan


def _members(client: Client, deadline: float) -> list[str]:
    """Return the addresses of the workers, in an order of their own, after a look at their versions."""
    members = sorted(client.scheduler_info(n_workers=-1)["workers"])
    if not members:  # those that were lost may be on their way back
        try:
            client.wait_for_workers(1, timeout=deadline)
        except TimeoutError:
            raise RuntimeError("The cluster has no workers: add some and fit again.") from None
        members = sorted(client.scheduler_info(n_workers=-1)["workers"])
    for address, version in run_on(client, members, deadline, _version).items():
        if isinstance(version, OSError):
            raise ExchangeError(f"the worker {address} is gone")
        if isinstance(version, BaseException):
            raise ImportError(
                f"The worker {address} cannot import treewright ({version}): install treewright "
                f"{VERSION} there."
            )
        if version != VERSION:
            raise ImportError(
                f"The worker {address} has treewright {version} and the client {VERSION}: install the same."
            )
    return members


def _version() -> str:
    return VERSION


def _run(client: Client, tasks: list[ShareTask], codes: list[Future], after_round: Any) -> dict[str, Any]:
    first = tasks[0]
    why = "the run was ended"
    futures: list[Future] = []
    try:
        ready = run_on(
            client, first.members, first.deadline, install, first.run, first.members, first.deadline
        )
        for address, answer in ready.items():
            if isinstance(answer, BaseException):
                raise ExchangeError(f"the worker {address} could not be prepared: {answer}")
        for task in tasks:
            pieces = [codes[piece.part] for piece in task.share.pieces]
            futures.append(
                client.submit(
                    boost_share,
                    pickle.dumps(task),
                    pieces,
                    workers=[task.members[task.rank]],
                    allow_other_workers=False,
                    pure=False,
                    key=f"treewright-boost-{task.run}-{task.rank}",
                )
            )
        _wait(client, futures, first, after_round)
        found: dict[str, Any] = futures[0].result()
        return found
    except OSError as error:  # the connection of a worker while it was prepared
        why = f"a connection was lost: {error}"
        raise ExchangeError(why) from error
    except BaseException as error:
        why = f"the fit was ended by {type(error).__name__}"
        raise
    finally:
        _clean_up(client, first, futures, why)


def _clean_up(client: Client, first: ShareTask, futures: list[Future], why: str) -> None:
    """Leave nothing of a run on the workers, however it ended."""
    try:
        alive = [m for m in first.members if m in client.scheduler_info(n_workers=-1)["workers"]]
        if alive:
            run_on(client, alive, CLEAN_UP_SECONDS, abort, first.run, why)
    except (OSError, RuntimeError):
        pass  # the cluster itself is gone, or a worker does not answer
    for future in futures:
        if not future.done():
            future.cancel(force=True)
        future.release()


def _wait(client: Client, futures: list[Future], first: ShareTask, after_round: Any) -> None:
    """Wait until all have finished; raise when one fails or its worker is gone."""
    reports = None if first.reports is None else Queue(first.reports, client=client)
    answers = None if first.reports is None else Queue(f"{first.reports}-answers", client=client)
    while True:
        states = [future.status for future in futures]
        for future, state in zip(futures, states, strict=True):
            if state == "error":
                error = future.exception()
                if isinstance(error, ExchangeError | OSError):
                    raise ExchangeError(str(error)) from error
                raise error
            if state in ("cancelled", "lost"):
                raise ExchangeError("a task was lost")
        if all(state == "finished" for state in states):
            return
        if client.status != "running":
            raise RuntimeError("The connection to the scheduler is gone.")
        alive = client.scheduler_info(n_workers=-1)["workers"]
        gone = [member for member in first.members if member not in alive]
        if gone:
            raise ExchangeError(f"the worker {gone[0]} is gone")
        if reports is None or answers is None:
            time.sleep(LOOK_EVERY)
            continue
        try:
            report = reports.get(timeout=LOOK_EVERY)
        except TimeoutError:
            continue
        answers.put(bool(after_round(*report)))


def boost_share(pickled: bytes, pieces: list[Codes]) -> dict[str, Any] | None:
    """Boost the rows of one worker together with the others; the first one returns the trees."""
    task: ShareTask = pickle.loads(pickled)
    for piece, part, checksums in zip(task.share.pieces, pieces, task.checksums, strict=True):
        if part.checksums != checksums:
            raise ValueError(
                f"Partition {piece.part} was not the same when it was computed again. Partitions must be "
                "recomputed as they were."
            )
    codes = []
    for column in range(len(task.columns)):
        parts = [
            part.columns[column][piece.begin : piece.end]
            for piece, part in zip(task.share.pieces, pieces, strict=True)
        ]
        codes.append(np.concatenate(parts))
    dataset = Dataset.from_codes(codes, task.columns)
    del codes
    exchange = WorkerExchange(
        task.run, task.rank, task.members, task.n_rows, task.share.first_row, task.deadline
    )
    loss = loss_of(task.estimator, task.n_classes)
    settings = {**task.settings, "n_threads": get_worker().state.nthreads}
    if task.reports is not None:
        reports, answers = (Queue(task.reports + end, client=get_client()) for end in ("", "-answers"))

        def after_round(*report: float) -> bool:
            reports.put(report)
            return bool(answers.get(timeout=task.deadline))

        settings["after_round"] = after_round
    grown = _core.boost(
        dataset,
        np.ascontiguousarray(task.target),
        task.weights,
        task.raw,
        loss.objective,
        _plan_of(task.plan),
        task.n_rounds,
        **settings,
        exchange=exchange,
    )
    return {**grown, "n_exchanges": exchange.n_exchanges} if task.rank == 0 else None
