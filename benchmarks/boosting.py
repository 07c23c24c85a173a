"""Contests of boosting: fitting against every library, two threads, equal settings, from raw rows.

Every contest holds rows out. A peer counts when its loss there is at most 1 % above the lowest of all sides:
a ratio to a faster and worse model means nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks import boosters
from benchmarks.boosters import CLASSES, COUNTS, LOSS_NAMES, NUMBERS, Settings, Side
from benchmarks.contest import Times, race, take_turns
from benchmarks.datasets import DataMissingError, real_counts, real_features, synthetic_classes
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.peers import N_JOBS

N_ROWS = 1_000_000
NARROW = "\u202f"  # the space between thousands
#: How much higher than the lowest loss that of a peer may be.
WORSE = 0.01
TABLES = ("covertype", "flights_3m", "census_income_kdd", "nycflights", "fremtpl2_freq")

LIGHTGBM_QUANTISED = Side(
    "LightGBM, quantised gradients",
    boosters.LIGHTGBM.prepare,
    lambda *about: boosters.LIGHTGBM.make(*about).set_params(use_quantized_grad=True),
)
LIGHTGBM_GOSS = Side(
    "LightGBM, GOSS",
    boosters.LIGHTGBM.prepare,
    lambda *about: boosters.LIGHTGBM.make(*about).set_params(
        data_sample_strategy="goss", top_rate=0.2, other_rate=0.1
    ),
)
OURS_GOSS = Side(
    "Leafwise (ours), GOSS",
    boosters.LEAFWISE.prepare,
    lambda *about: boosters.LEAFWISE.make(*about).set_params(goss=True, goss_top=0.2, goss_other=0.1),
)
MILLION = (boosters.LEAFWISE, boosters.LIGHTGBM, LIGHTGBM_QUANTISED, boosters.XGBOOST, boosters.HISTGB)


@dataclass(frozen=True)
class Rows:
    """A table, or a part of it."""

    x: Any
    y: NDArray[Any]
    weight: NDArray[Any] | None = None

    def part(self, chosen: NDArray[np.bool_]) -> Rows:
        """Return some rows."""
        rows = np.flatnonzero(chosen)
        x = np.ascontiguousarray(self.x[rows]) if isinstance(self.x, np.ndarray) else self.x.iloc[rows]
        return Rows(x, self.y[rows], None if self.weight is None else self.weight[rows])

    def prepared(self, side: Side) -> Rows:
        """Return the rows as a user of a library has them."""
        return Rows(side.prepare(self.x), self.y, self.weight)


@dataclass(frozen=True)
class Task:
    """Rows to learn from, rows held out, and what is predicted."""

    name: str
    predicts: str
    train: Rows
    test: Rows
    settings: Settings

    @property
    def work(self) -> str:
        """What is done, in words."""
        shape = f"{len(self.train.y):_} × {self.train.x.shape[1]}".replace("_", NARROW)
        return f"{self.name}, {shape}, {self.settings.rounds} rounds, {self.settings.leaves} leaves"


@dataclass
class Entry:
    """What one side did."""

    side: str
    times: Times
    loss: float
    fitted: Any

    def facts(self) -> dict[str, Any]:
        """Return what is stored."""
        return {**self.times.facts(), "side": self.side, "loss": self.loss}


def settings_of(size: Size) -> Settings:
    return Settings(rounds=5) if size.quick else Settings()


def synthetic(size: Size, n_rows: int = N_ROWS, n_features: int = 28) -> Task:
    """Return the synthetic table; a fifth as many rows again are held out."""
    n_rows = size.rows(n_rows)
    whole = synthetic_classes(n_rows + n_rows // 5, n_features)
    is_test = np.arange(len(whole.y)) >= n_rows
    rows = Rows(whole.x, whole.y)
    return Task(whole.name, CLASSES, rows.part(~is_test), rows.part(is_test), settings_of(size))


def real(size: Size, name: str) -> Task:
    """Return a real table, every tenth row held out; one without categories as a float32 matrix."""
    weight = None
    if name == "fremtpl2_freq":
        x, y, weight = real_counts(name, size.part())
        predicts = COUNTS
    else:
        x, y = real_features(name, size.part())
        predicts = CLASSES if y.dtype.kind == "i" else NUMBERS
    if not any(boosters.is_category(dtype) for dtype in x.dtypes):
        x = x.to_numpy(dtype=np.float32)
    rows = Rows(x, y, weight)
    is_test = np.arange(len(y)) % 10 == 0
    return Task(name.replace("_", " "), predicts, rows.part(~is_test), rows.part(is_test), settings_of(size))


def installed(sides: Sequence[Side], task: Task) -> tuple[list[Side], list[str]]:
    """Return the sides that this machine has, and why others are missing."""
    found, reasons = [], []
    for side in sides:
        try:
            side.make(task.predicts, task.settings, 0, task.train.x[:1])
        except DataMissingError as reason:
            reasons.append(str(reason))
        else:
            found.append(side)
    return found, reasons


def contend(task: Task, sides: Sequence[Side], turns: int) -> list[Entry]:
    """Let sides fit in turns; those that are slow beyond hope only once."""

    def work(side: Side) -> Callable[[], Any]:
        rows = task.train.prepared(side)
        return lambda: boosters.fit(
            side.make(task.predicts, task.settings, 0, rows.x), rows.x, rows.y, rows.weight
        )

    with threadpool_limits(N_JOBS, user_api="openmp"):  # HistGradientBoosting has no parameter for it
        played = race([work(side) for side in sides], turns=turns)
    entries = []
    for side, (times, fitted) in zip(sides, played, strict=True):
        test = task.test.prepared(side)
        answer = boosters.predicted(fitted, test.x, task.predicts)
        loss = boosters.loss_of(answer, test.y, task.predicts, test.weight)
        entries.append(Entry(side.name, times, loss, fitted))
    return entries


def counts(entry: Entry, entries: Sequence[Entry]) -> bool:
    """Return whether a side is good enough to be compared with."""
    return entry.loss <= (1 + WORSE) * min(other.loss for other in entries)


def quality(task: Task, ours: Entry, peer: Entry, entries: Sequence[Entry]) -> list[str]:
    """Return sentences about losses."""
    lowest = min(entry.loss for entry in entries)
    name = LOSS_NAMES[task.predicts]
    notes = []
    if not counts(ours, entries):
        notes.append(f"ours is worse: {name} {ours.loss:.5g}, the lowest is {lowest:.5g}")
    if not counts(peer, entries):
        notes.append(f"{peer.side} does not count: {name} {peer.loss:.5g}, the lowest is {lowest:.5g}")
    return notes


def free_cores(ours: Times, theirs: Times) -> str:
    ratio = ours.undisturbed(N_JOBS) / (theirs.cpu / N_JOBS)
    return f"free cores would give a ratio of {ratio:.3g}, by the processor times"


def in_a_line(task: Task, entry: Entry) -> str:
    return (
        f"{entry.side} {entry.times.wall:.3g} s, CPU {entry.times.cpu:.3g} s, "
        f"{LOSS_NAMES[task.predicts]} {entry.loss:.5g}"
    )


def against(task: Task, ours: Entry, peer: Entry, entries: Sequence[Entry], target: float) -> Outcome:
    """Return our time as a share of one peer's."""
    return Outcome(
        work=f"fit {task.work}",
        value=ours.times.wall / peer.times.wall,
        target=target,
        ours=ours.facts(),
        theirs=peer.facts(),
        notes=[*quality(task, ours, peer, entries), free_cores(ours.times, peer.times)],
    )


@functools.lru_cache(maxsize=1)
def million(size: Size) -> tuple[Task, dict[str, Entry]]:
    """Fit the large synthetic table with all sides in turns; several contests look at the models."""
    task = synthetic(size)
    sides, _ = installed(MILLION, task)
    entries = contend(task, sides, size.repeats(3))
    return task, {entry.side: entry for entry in entries}


def entry_of(entries: dict[str, Entry], side: Side) -> Entry:
    """Return the entry of a side, or say why there is none."""
    if side.name not in entries:
        raise DataMissingError(f"{side.name} is not installed (it is in the extra bench)")
    return entries[side.name]


def of_million(name: str, peer: Side, target: float) -> Contest:
    """Return the contest with one peer on the large synthetic table."""

    def measure(size: Size) -> Outcome:
        task, entries = million(size)
        ours, theirs = (entry_of(entries, side) for side in (boosters.LEAFWISE, peer))
        return against(task, ours, theirs, list(entries.values()), target)

    return Contest(name, f"LeafwiseBoosting and {peer.name}, 1 M × 28, two classes", measure)


def measure_real(size: Size, name: str) -> Outcome:
    """Fit a real table with all sides; the fastest peer that counts is the one to compare with."""
    task = real(size, name)
    sides, reasons = installed((boosters.LEAFWISE, *boosters.PEERS), task)
    entries = contend(task, sides, size.repeats(3))
    ours, peers = entries[0], [entry for entry in entries[1:] if counts(entry, entries)]
    if not peers:  # then ours is the best by far; the best of the others is at least a number
        peers = sorted(entries[1:], key=lambda entry: entry.loss)[:1]
    fastest = min(peers, key=lambda entry: entry.times.wall)
    outcome = against(task, ours, fastest, entries, 0.60)
    if not counts(fastest, entries):
        needed = rounds_to(task, ours, fastest.loss)
        outcome.notes.append(f"ours has the loss of {fastest.side} after {needed} rounds")
    outcome.notes.append("; ".join(in_a_line(task, entry) for entry in entries))
    uncounted = [entry.side for entry in entries[1:] if not counts(entry, entries)]
    if uncounted:
        outcome.notes.append(f"over 1 % worse than the best and not counted: {', '.join(uncounted)}")
    outcome.notes += reasons
    return outcome


def rounds_to(task: Task, ours: Entry, loss: float) -> int | None:
    """Return after how many rounds our loss is no higher than a given one; None if it never is."""
    test = task.test.prepared(boosters.LEAFWISE)
    is_classes = task.predicts == CLASSES
    stages = (ours.fitted.staged_predict_proba if is_classes else ours.fitted.staged_predict)(test.x)
    for number, answer in enumerate(stages, 1):
        if boosters.loss_of(answer, test.y, task.predicts, test.weight) <= loss:
            return number
    return None


def of_table(name: str) -> Contest:
    about = f"LeafwiseBoosting and the fastest peer that counts, {name}"
    return Contest(f"boosting-{name.replace('_', '-')}", about, lambda size: measure_real(size, name))


def measure_small(size: Size) -> Outcome:
    """Fit 1 000 × 20 rows with the defaults of both sides, which are the same; two threads and one."""
    whole = synthetic_classes(1200, 20)
    is_test = np.arange(len(whole.y)) >= 1000
    rows = Rows(whole.x.astype(np.float64), whole.y)
    train, test = rows.part(~is_test), rows.part(is_test)
    settings = Settings(rounds=5 if size.quick else 100, leaves=31)
    sides = (boosters.LEAFWISE, boosters.LIGHTGBM)

    def work(side: Side, n_jobs: int) -> Callable[[], Any]:
        return lambda: boosters.fit(
            side.make(CLASSES, settings, 0, train.x).set_params(n_jobs=n_jobs), train.x, train.y
        )

    works = [work(side, n_jobs) for n_jobs in (N_JOBS, 1) for side in sides]
    played = take_turns(works, turns=size.repeats(9), calls=1 if size.quick else 3)
    losses = [
        boosters.loss_of(boosters.predicted(fitted, test.x, CLASSES), test.y, CLASSES) for _, fitted in played
    ]
    (ours, theirs, our_one, their_one) = (times for times, _ in played)
    return Outcome(
        work=f"fit 1{NARROW}000 × 20 rows, {settings.rounds} rounds, 31 leaves, all of Python included",
        value=ours.wall / theirs.wall,
        target=0.5,
        ours={**ours.facts(), "side": sides[0].name, "loss": losses[0]},
        theirs={**theirs.facts(), "side": sides[1].name, "loss": losses[1]},
        notes=[
            f"one thread: {our_one.wall * 1e3:.3g} ms and {their_one.wall * 1e3:.3g} ms, "
            f"a ratio of {our_one.wall / their_one.wall:.3g}",
            free_cores(ours, theirs),
        ],
    )


def measure_goss(size: Size) -> Outcome:
    """Fit the large synthetic table with and without one-side sampling, on our side and LightGBM's."""
    task = synthetic(size)
    pairs = ((OURS_GOSS, boosters.LEAFWISE), (LIGHTGBM_GOSS, boosters.LIGHTGBM))
    sides, reasons = installed([side for pair in pairs for side in pair], task)
    entries = {entry.side: entry for entry in contend(task, sides, size.repeats(3))}
    drawn, full = (entries[side.name] for side in pairs[0])
    return Outcome(
        work=f"GOSS (0.2 and 0.1 of the rows) ÷ all rows: fit {task.work}",
        measure="× time of all rows",
        value=drawn.times.wall / full.times.wall,
        ours=drawn.facts(),
        theirs=full.facts(),
        notes=[
            "the other side is ours with all rows",
            "; ".join(in_a_line(task, entry) for entry in entries.values()),
            *reasons,
        ],
    )


def measure_threads(size: Size) -> Outcome:
    """Fit with one thread and with two; the models must be equal to the last bit."""
    million.cache_clear()  # the last contest that needs those models is over
    task = synthetic(size)

    def work(n_jobs: int) -> Callable[[], Any]:
        made = boosters.LEAFWISE.make(CLASSES, task.settings, 0, task.train.x)
        return lambda: made.set_params(n_jobs=n_jobs).fit(task.train.x, task.train.y)

    (two, two_answer), (one, one_answer) = (
        (times, boosters.predicted(fitted, task.test.x, CLASSES))
        for times, fitted in take_turns([work(2), work(1)], turns=size.repeats(3))
    )
    same = "equal" if one_answer.tobytes() == two_answer.tobytes() else "DIFFERENT"
    return Outcome(
        work=f"two threads ÷ one thread: fit {task.work}",
        measure="× one thread",
        value=two.wall / one.wall,
        target=round(1 / 1.7, 3),
        ours={**two.facts(), "side": "two threads"},
        theirs={**one.facts(), "side": "one thread"},
        notes=[
            f"two are {one.wall / two.wall:.2f} × faster (≥ 1.7); the predictions of both are {same}",
            f"free cores would give {two.undisturbed(2) / one.cpu:.3g}, by the processor times",
        ],
    )


OF_MILLION = (
    of_million("boosting-lightgbm", boosters.LIGHTGBM, 0.33),
    of_million("boosting-lightgbm-quantised", LIGHTGBM_QUANTISED, 0.48),
    of_million("boosting-xgboost", boosters.XGBOOST, 0.35),
    of_million("boosting-histgb", boosters.HISTGB, 0.28),
)
OTHERS = (
    Contest("boosting-threads", "one thread and two, 1 M × 28", measure_threads),
    Contest("boosting-goss", "with and without one-side sampling, 1 M × 28", measure_goss),
    Contest("boosting-small", "LeafwiseBoosting and LightGBM, 1 000 × 20", measure_small),
    *(of_table(name) for name in TABLES),
)
