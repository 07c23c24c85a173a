"""One task per worker boosts its share of the rows; when a worker is lost, the others start again."""

from __future__ import annotations

import pickle
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from distributed import Client, Future, Lock, Queue, get_client, get_worker
from distributed.protocol.pickle import loads
from numpy.typing import NDArray

from treewright import _core
from treewright._core import Dataset
from treewright.boosting.losses import loss_of
from treewright.dask.exchange import ExchangeError, NoAnswerError, WorkerExchange, abort, install, leave
from treewright.dask.partition import Codes, check_recomputed
from treewright.dask.room import check_room
from treewright.dask.shares import Share, shares_of
from treewright.dask.validation import Validation, WatchedShare, shared_score
from treewright.dask.watching import LOOK_EVERY, Pulse, let_go, run_on
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
    watched: WatchedShare | None = None


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
    settings = dict(settings)
    after_round = settings.pop("after_round", None)
    held_out: tuple[Any, Any, Any, Any] | None = settings.pop("held_out", None)
    board = settings.pop("metric", None)
    validation = None if held_out is None else Validation(*held_out, board)
    # Two classes have one raw score.
    n_classes = max(2, raw.shape[1]) if estimator._task == "classification" else None
    with _one_at_a_time(client):
        for attempt in range(MOST_TRIES):
            try:
                members = _members(client, deadline)
                _check_room(client, deadline, members, columns, sum(part_rows), raw.shape[1])
                shares = shares_of(part_rows, len(members))
                members = [m for m, share in zip(members, shares, strict=True) if share.pieces]
                shares = [share for share in shares if share.pieces]
                run = uuid.uuid4().hex
                watched = [None] * len(shares) if validation is None else validation.shares(len(shares))
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
                        watched[rank],
                    )
                    for rank, share in enumerate(shares)
                ]
                found = _run(client, tasks, codes, validation, after_round)
            except NoAnswerError as error:
                raise RuntimeError(
                    f"The fit was ended: {error}. Restart that worker, or give it more time, and fit again."
                ) from error
            except ExchangeError as error:
                if any(future.status == "cancelled" for future in codes):
                    raise RuntimeError("The fit was ended: its tasks were cancelled.") from error
                if attempt + 1 == MOST_TRIES:
                    raise RuntimeError(
                        f"The fit was started {MOST_TRIES} times, and each time a worker was lost; the last "
                        f"time: {error}. Logs of the workers tell why: memory is the usual reason."
                    ) from error
                time.sleep(LOOK_EVERY)  # the scheduler may not know yet who is gone
                continue
            if validation is not None:
                validation.adopt(found.pop("seen", None))
            return found
    raise AssertionError("unreachable")


@contextmanager
def _one_at_a_time(client: Client) -> Iterator[None]:
    """Keep other fits waiting: two at once would wait for each other's workers for ever."""
    lock = Lock(LOCK, scheduler_rpc=client.scheduler, loop=client.loop)
    lock.acquire()
    try:
        yield
    finally:
        if client.status == "running":  # otherwise nobody is there to take it back
            lock.release()


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


def _check_room(
    client: Client, deadline: float, members: list[str], columns: list[Any], n_rows: int, outputs: int
) -> None:
    """Refuse shares that cannot fit: codes twice (as they come, in one piece), targets, scores, records."""
    codes = sum(1 if n_codes < 255 else 2 if n_codes < 65_535 else 4 for _, n_codes, *_ in columns)
    needed = -(-n_rows // len(members)) * (2 * codes + 8 + 8 + 16 * outputs + -(-(codes + 4) // 32) * 32)
    alive = Pulse(client, deadline).alive()
    workers = {member: alive[member] for member in members if member in alive}
    check_room(workers, needed, f"its share of {n_rows} rows", "Add workers, or give them more memory.")


def _version() -> str:
    return VERSION


def _run(
    client: Client,
    tasks: list[ShareTask],
    codes: list[Future],
    validation: Validation | None,
    after_round: Any,
) -> dict[str, Any]:
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
            watched: list[Any] = []
            if task.watched is not None and validation is not None:
                watched = [validation.parts[piece.part] for piece in task.watched.pieces]
            futures.append(
                client.submit(
                    boost_share,
                    pickle.dumps(task),
                    pieces,
                    watched,
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
        alive = Pulse(client, CLEAN_UP_SECONDS).alive()
        members = [member for member in first.members if member in alive]
        if members:
            run_on(client, members, CLEAN_UP_SECONDS, abort, first.run, why)
    except (OSError, RuntimeError):
        pass  # the cluster itself is gone, or a worker does not answer
    let_go(client, futures)


def _wait(client: Client, futures: list[Future], first: ShareTask, after_round: Any) -> None:
    """Wait until all have finished; raise when one fails or its worker is gone."""
    reports = None if first.reports is None else Queue(first.reports, client=client)
    answers = None if first.reports is None else Queue(f"{first.reports}-answers", client=client)
    pulse = Pulse(client, first.deadline, needed=first.members)
    while True:
        states = [future.status for future in futures]
        errors = [
            future.exception() for future, state in zip(futures, states, strict=True) if state == "error"
        ]
        for error in errors:  # the others stopped because of this one
            if not isinstance(error, ExchangeError | OSError):
                raise error
        if errors:
            raise ExchangeError(str(errors[0])) from errors[0]
        alive = pulse.alive()
        if any(state in ("cancelled", "lost") for state in states):
            raise ExchangeError("a task was lost")
        if all(state == "finished" for state in states):
            return
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


def boost_share(pickled: bytes, pieces: list[Codes], watched: list[Any]) -> dict[str, Any] | None:
    """Boost the rows of one worker together with the others; the first one returns the trees."""
    task: ShareTask = pickle.loads(pickled)
    try:
        grown = _boosted(task, pieces, watched)
    except BaseException as error:
        leave(task.run, f"another worker was stopped: {error}")
        raise
    leave(task.run, None)
    return grown


def _boosted(task: ShareTask, pieces: list[Codes], watched: list[Any]) -> dict[str, Any] | None:
    check_recomputed((piece.part for piece in task.share.pieces), pieces, task.checksums)
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
    scorer = None
    if task.watched is not None:
        raw = task.watched.raw
        matrix = task.watched.matrix(watched, len(task.columns))
        settings["held_out"] = (matrix, np.zeros(len(raw)), None, raw)
        scorer = None if task.watched.scorer is None else loads(task.watched.scorer)
        settings["metric"] = shared_score(scorer, loss, exchange)
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
    if task.rank > 0:
        return None
    board = None if scorer is None else scorer.board
    return {**grown, "n_exchanges": exchange.n_exchanges, "seen": None if board is None else board.seen}
