"""Rows in several processes, which are threads here, and exchanges that take their time."""

from __future__ import annotations

import threading
import time
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from treewright import _core
from treewright._core import Dataset
from treewright.boosting.losses import loss_of


class Meeting:
    """Where threads add up their numbers; `latency` seconds go by at each meeting."""

    def __init__(self, n_members: int, latency: float = 0.0) -> None:
        self._laid_down: list[Any] = [None] * n_members
        self._barrier = threading.Barrier(n_members)
        self._latency = latency
        self.slept = 0.0  # in truth: a busy machine sleeps longer than it was asked to

    def add_up(self, rank: int, numbers: NDArray[Any]) -> NDArray[Any]:
        self._laid_down[rank] = numbers
        if rank == 0:
            begin = time.perf_counter()
            time.sleep(self._latency)
            self.slept += time.perf_counter() - begin
        self._barrier.wait(120)
        total: NDArray[Any] = sum(self._laid_down[1:], start=self._laid_down[0])
        self._barrier.wait(120)
        return total


class Member:
    """The engine's exchange for one of the threads."""

    def __init__(self, meeting: Meeting, rank: int, n_rows: int, first_row: int) -> None:
        self.meeting, self._rank = meeting, rank
        self.n_rows, self.first_row = n_rows, first_row
        self.n_exchanges = self.n_bytes = 0

    def add_up(self, numbers: NDArray[Any]) -> NDArray[Any]:
        self.n_exchanges += 1
        self.n_bytes += numbers.nbytes
        return self.meeting.add_up(self._rank, numbers)

    gather = add_up


def described(dataset: Dataset) -> list[tuple[int, int, bool, None, None]]:
    """Columns of numbers as `from_codes` wants them; thresholds do not matter here."""
    edges = [np.arange(dataset.n_codes(f), dtype=np.float64) for f in range(dataset.n_features)]
    return [(0, len(edge), False, edge, edge) for edge in edges]  # type: ignore[misc]


def boost_shared(
    dataset: Dataset,
    y: NDArray[np.float64],
    plan: _core.BoostPlan,
    n_rounds: int,
    n_members: int,
    latency: float = 0.0,
) -> tuple[dict[str, Any], Member, float]:
    """Boost a share of the rows in each thread; return the trees, the first member and the seconds."""
    n, block = dataset.n_rows, int(_core.rows_per_block(dataset.n_rows))
    cuts = [min(n, round(-(-n // block) * i / n_members) * block) for i in range(n_members + 1)]
    codes = [np.array(dataset.codes(f)) for f in range(dataset.n_features)]
    meeting = Meeting(n_members, latency)
    members = [Member(meeting, rank, n, cuts[rank]) for rank in range(n_members)]
    found: dict[int, Any] = {}

    def work(rank: int) -> None:
        begin, end = cuts[rank], cuts[rank + 1]
        own = Dataset.from_codes([column[begin:end] for column in codes], described(dataset))
        found[rank] = boost(own, y[begin:end], plan, n_rounds, members[rank])

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(n_members)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found[0], members[0], time.perf_counter() - start


def boost(
    dataset: Dataset, y: NDArray[np.float64], plan: _core.BoostPlan, n_rounds: int, exchange: Any = None
) -> dict[str, Any]:
    objective = loss_of(tw.LeafwiseBoostingClassifier(), 2).objective
    raw = np.zeros((len(y), 1))
    return _core.boost(dataset, y, None, raw, objective, plan, n_rounds, score_rows=10_000, exchange=exchange)


def made(n: int, kind: str = "sum", n_columns: int = 12) -> tuple[Dataset, NDArray[np.float64]]:
    """A sum of columns, of which trees are bushy, or products and curves, of which they are deep."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_columns))
    score = X @ (1 / np.arange(1, n_columns + 1)) + 0.8
    if kind == "curves":
        score = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + X[:, 3] ** 2 - 1 + np.abs(X[:, 4] + X[:, 5])
    codes = Dataset.from_matrix(X, 255, 2)
    columns = [np.array(codes.codes(f)) for f in range(n_columns)]
    y = (score + rng.logistic(size=n) > 0.8).astype(np.float64)
    return Dataset.from_codes(columns, described(codes)), y


def plan_of(n_leaves: int) -> _core.BoostPlan:
    plan = _core.BoostPlan()
    plan.max_leaves = n_leaves
    plan.min_rows_leaf = 20
    plan.chance_gain = 0.3
    return plan


def depths(trees: dict[str, Any]) -> list[int]:
    """The depth of each tree of a forest."""
    found = []
    for begin, end in pairwise(trees["begin"].tolist()):
        depth = np.zeros(end - begin, dtype=int)
        for node, child in enumerate(trees["child"][begin:end].tolist()):
            if child > 0:
                depth[child : child + 2] = depth[node] + 1
        found.append(int(depth.max()))
    return found
