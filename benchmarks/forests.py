"""Contests of forests: growing and predicting against scikit-learn's, both with two threads.

Every growing contest holds rows out and compares how well both sides predict them: a ratio between forests of
different quality means nothing.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import peers
from benchmarks.contest import Played, Times, play, take_turns
from benchmarks.datasets import Data, DataMissingError, real_table, synthetic_classes
from benchmarks.outcome import Contest, Outcome, Size

N_ROWS = 100_000
MAX_BINS = 255
NARROW = "\u202f"  # the space between thousands
#: Standard errors of the paired difference above which our side counts as worse.
NOISE = 2.0


@dataclass(frozen=True)
class Task:
    """Rows to learn from, rows held out, and the forest to grow."""

    data: Data
    test: Data
    name: str
    n_trees: int

    def sides(self, **params: Any) -> tuple[Any, Any]:
        """Return both unfitted forests."""
        return peers.forests(self.name, n_estimators=self.n_trees, **params)

    @property
    def work(self) -> str:
        """What is done, in words."""
        return f"{self.name}, {self.n_trees} trees, {self.data.name}, {self.data.shape}"


def held_out(data: Data, test: NDArray[np.bool_]) -> tuple[Data, Data]:
    """Divide a table."""
    parts = [
        Data(data.name, np.ascontiguousarray(data.x[rows]), data.y[rows], data.is_classes)
        for rows in (~test, test)
    ]
    return parts[0], parts[1]


def trees(size: Size, full: int) -> int:
    """Return a number of trees."""
    return min(full, 5) if size.quick else full


def synthetic(size: Size, name: str, n_trees: int = 100, rows: int = N_ROWS) -> Task:
    """Return the synthetic table; a fifth as many rows again are held out."""
    n_rows = size.rows(rows)
    whole = synthetic_classes(n_rows + n_rows // 5)
    return Task(*held_out(whole, np.arange(len(whole.y)) >= n_rows), name, trees(size, n_trees))


def real(size: Size, table: str, name: str, n_trees: int = 20) -> Task:
    """Return a real table, every tenth row held out."""
    whole = real_table(table, size.part())
    return Task(*held_out(whole, np.arange(len(whole.y)) % 10 == 0), name, trees(size, n_trees))


def losses(fitted: Any, test: Data) -> NDArray[np.float64]:
    """Return the loss of each row held out: 0 or 1 for classes, the squared error for numbers."""
    predicted = fitted.predict(test.x)
    return (predicted != test.y).astype(np.float64) if test.is_classes else (predicted - test.y) ** 2


def quality(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> list[str]:
    """Return a sentence when our losses are higher by more than noise. Rows are paired: both predict them."""
    difference = ours - theirs
    error = difference.std() / np.sqrt(len(difference))
    if difference.mean() <= NOISE * error:
        return []
    return [
        f"ours is worse on rows held out: mean loss {ours.mean():.5g} and {theirs.mean():.5g}, "
        f"{difference.mean() / error:.1f} standard errors"
    ]


def score(loss: NDArray[np.float64], test: Data) -> float:
    """Return accuracy or R²."""
    return float(1 - loss.mean() / (1.0 if test.is_classes else test.y.var()))


def growing_outcome(task: Task, played: Played, target: float, note: str = "") -> Outcome:
    """Return times, sizes and held-out scores of two grown forests."""
    found = [losses(fitted, task.test) for fitted in (played.our_result, played.their_result)]
    ours, theirs = (
        {**peers.describe_forest(fitted), "score": score(loss, task.test)}
        for fitted, loss in zip((played.our_result, played.their_result), found, strict=True)
    )
    notes = quality(found[0], found[1])
    if abs(ours["leaves"] - theirs["leaves"]) > 0.05 * theirs["leaves"] + 1:
        notes.append(f"leaves differ by more than 5 %: {ours['leaves']} and {theirs['leaves']}")
    measure = "accuracy" if task.data.is_classes else "R²"
    notes.append(f"score is the {measure} on {len(task.test.y)} rows held out, leaves the mean of the trees")
    free = played.ours.undisturbed(peers.N_JOBS) / (played.theirs.cpu / peers.N_JOBS)
    notes.append(f"free cores would give a ratio of {free:.3g}, by the processor times")
    return Outcome(
        work=f"fit {task.work}{note}",
        value=played.ours.wall / played.theirs.wall,
        target=target,
        ours={**played.ours.facts(), **ours},
        theirs={**played.theirs.facts(), **theirs},
        notes=notes,
    )


def grow(task: Task, turns: int, **ours: Any) -> Played:
    """Grow both sides in turns; `ours` are parameters that scikit-learn does not have."""
    return play(
        lambda: task.sides()[0].set_params(**ours).fit(task.data.x, task.data.y),
        lambda: task.sides()[1].fit(task.data.x, task.data.y),
        turns=turns,
    )


def growing(name: str, about: str, task: Callable[[Size], Task], target: float, turns: int) -> Contest:
    """Return a contest that grows one forest exactly."""

    def measure(size: Size) -> Outcome:
        made = task(size)
        return growing_outcome(made, grow(made, size.repeats(turns)), target)

    return Contest(name, about, measure)


@functools.lru_cache(maxsize=1)
def hundred_trees(size: Size) -> tuple[Task, Played]:
    """Grow the forests of the first contest; the contests of prediction and size use them again."""
    task = synthetic(size, "RandomForestClassifier")
    return task, grow(task, size.repeats(2))


def measure_exact(size: Size) -> Outcome:
    """Grow 100 full trees exactly."""
    task, played = hundred_trees(size)
    return growing_outcome(task, played, 0.15)


def measure_bins(size: Size) -> Outcome:
    """Grow 100 full trees on 255 bins against scikit-learn-intelex, which always bins."""
    try:
        from sklearnex.ensemble import RandomForestClassifier as Intelex  # noqa: PLC0415 - it is optional
    except ImportError:
        raise DataMissingError("scikit-learn-intelex (sklearnex) is not installed") from None
    task = synthetic(size, "RandomForestClassifier")
    played = play(
        lambda: task.sides()[0].set_params(max_bins=MAX_BINS).fit(task.data.x, task.data.y),
        lambda: Intelex(task.n_trees, n_jobs=peers.N_JOBS, random_state=0).fit(task.data.x, task.data.y),
        turns=size.repeats(3),
    )
    outcome = growing_outcome(task, played, 0.35, ", 255 bins")
    outcome.notes.append("the other side is scikit-learn-intelex with its default bins")
    return outcome


@functools.lru_cache(maxsize=1)
def covertype(size: Size) -> tuple[Task, Played, Played]:
    """Grow exactly, on bins, and with scikit-learn, all three in turns."""
    task = real(size, "covertype", "RandomForestClassifier")
    x, y = task.data.x, task.data.y
    exact, bins, theirs = take_turns(
        (
            lambda: task.sides()[0].fit(x, y),
            lambda: task.sides()[0].set_params(max_bins=MAX_BINS).fit(x, y),
            lambda: task.sides()[1].fit(x, y),
        ),
        turns=size.repeats(2),
    )
    return (
        task,
        Played(exact[0], theirs[0], exact[1], theirs[1]),
        Played(bins[0], theirs[0], bins[1], theirs[1]),
    )


def measure_covertype(size: Size) -> Outcome:
    """Grow 20 full trees exactly."""
    task, exact, _ = covertype(size)
    return growing_outcome(task, exact, 0.20)


def measure_covertype_bins(size: Size) -> Outcome:
    """Grow 20 full trees on 255 bins against scikit-learn's exact ones."""
    task, _, bins = covertype(size)
    covertype.cache_clear()  # these forests are large, and nothing needs them any more
    return growing_outcome(task, bins, 0.10, ", 255 bins")


def measure_many_rows(size: Size) -> Outcome:
    """Predict probabilities of rows that the forests have not seen."""
    task, grown = hundred_trees(size)
    n_rows = size.rows(200_000)
    x = np.random.default_rng(1).standard_normal((n_rows, task.data.x.shape[1]), dtype=np.float32)
    ours, theirs = grown.our_result, grown.their_result
    played = play(lambda: ours.predict_proba(x), lambda: theirs.predict_proba(x), turns=size.repeats(3))
    gap = float(np.abs(played.our_result - played.their_result).mean())
    return Outcome(
        work=f"predict_proba, {f'{n_rows:_}'.replace('_', NARROW)} rows, {task.n_trees} trees",
        value=played.ours.wall / played.theirs.wall,
        target=0.3,
        ours={**played.ours.facts(), **peers.describe_forest(ours)},
        theirs={**played.theirs.facts(), **peers.describe_forest(theirs)},
        notes=[f"the forests differ by chance; their probabilities by {gap:.3f} on average"],
    )


def measure_one_row(size: Size) -> Outcome:
    """Predict one row at a time, float64 as a user's code has it; one thread, which suits one row best."""
    _, grown = hundred_trees(size)
    row = np.random.default_rng(1).standard_normal((1, grown.our_result.n_features_in_))
    ours, theirs = (
        copy.copy(fitted).set_params(n_jobs=1) for fitted in (grown.our_result, grown.their_result)
    )
    ours.predict_proba(row)  # makes what is made on first use
    our_calls, their_calls = (5, 1) if size.quick else (1000, 20)
    ((our_times, _),) = take_turns((lambda: ours.predict_proba(row),), turns=size.repeats(9), calls=our_calls)
    ((their_times, _),) = take_turns(
        (lambda: theirs.predict_proba(row),), turns=size.repeats(5), calls=their_calls
    )
    return Outcome(
        work=f"predict_proba, one row, {len(grown.our_result.model_.trees)} trees",
        measure="µs",
        value=our_times.wall * 1e6,
        target=100.0,
        ours=our_times.facts(),
        theirs=their_times.facts(),
        notes=["both sides with n_jobs=1"],
    )


def measure_threads(size: Size) -> Outcome:
    """Grow with one thread and with two."""
    hundred_trees.cache_clear()  # the last contest that needs those forests is over
    task = synthetic(size, "RandomForestClassifier")
    (two, _), (one, _) = take_turns(
        [
            lambda n_jobs=n_jobs: task.sides()[0].set_params(n_jobs=n_jobs).fit(task.data.x, task.data.y)
            for n_jobs in (2, 1)
        ],
        turns=size.repeats(3),
    )
    return Outcome(
        work=f"two threads ÷ one thread: fit {task.work}",
        measure="× one thread",
        value=two.wall / one.wall,
        target=round(1 / 1.7, 3),
        ours=two.facts(),
        theirs=one.facts(),
        notes=[f"the other side is ours with one thread; two are {one.wall / two.wall:.2f} × faster (≥ 1.7)"],
    )


def best_fit(task: Task, turns: int) -> Times:
    """Return our times."""
    ((times, _),) = take_turns((lambda: task.sides()[0].fit(task.data.x, task.data.y),), turns=turns)
    return times


def measure_rows(size: Size) -> Outcome:
    """Grow 20 full trees on 10⁴ to 10⁶ rows: seconds per row and doubling of the rows."""
    found = []
    for n_rows in (10_000, 30_000, 100_000, 300_000, 1_000_000):
        task = synthetic(size, "RandomForestClassifier", 20, n_rows)
        found.append((len(task.data.y), best_fit(task, size.repeats(3 if n_rows <= N_ROWS else 1)).wall))
    cost = [seconds / (rows * np.log2(rows)) for rows, seconds in found]
    return Outcome(
        work="RandomForestClassifier, 20 trees, synthetic classes, by rows",
        measure="× time per n·log2(n)",
        value=float(cost[-1] / cost[0]),
        ours={"wall": found[-1][1], "times": found},
        notes=[
            "; ".join(
                f"{rows} rows {seconds:.3g} s, {seconds / rows * 1e6:.3g} µs a row, "
                f"{seconds / (rows * np.log2(rows)) * 1e9:.3g} ns a row and log2(n)"
                for rows, seconds in found
            )
        ],
    )


def measure_trees(size: Size) -> Outcome:
    """Grow 10 and 100 trees: time per tree."""
    few, many = (synthetic(size, "RandomForestClassifier", n_trees) for n_trees in (10, 100))
    found = [(task.n_trees, best_fit(task, size.repeats(3)).wall) for task in (few, many)]
    cost = [seconds / n_trees for n_trees, seconds in found]
    return Outcome(
        work=f"RandomForestClassifier, {found[-1][0]} trees, time per tree ÷ that of {found[0][0]} trees",
        measure="× time per tree",
        value=cost[1] / cost[0],
        target=1.1,
        ours={"wall": found[-1][1], "times": found},
        notes=["; ".join(f"{n_trees} trees {seconds:.3g} s" for n_trees, seconds in found)],
    )


#: Contests about the forests of `hundred_trees`, which are kept for them.
OF_HUNDRED_TREES = (
    Contest("forest-exact", "RandomForestClassifier, 100 full trees, exact, 100 k × 28", measure_exact),
    Contest("forest-predict", "predict_proba, 200 k rows, 100 full trees", measure_many_rows),
    Contest("forest-predict-one", "predict_proba, one row, 100 full trees", measure_one_row),
)

OTHERS = (
    Contest("forest-threads", "one thread and two, 100 full trees", measure_threads),
    Contest("forest-bins", "the same with 255 bins against scikit-learn-intelex", measure_bins),
    growing(
        "forest-extra", "ExtraTreesClassifier, 100 full trees, 100 k × 28",
        lambda size: synthetic(size, "ExtraTreesClassifier"), target=0.40, turns=3,
    ),
    Contest("forest-covertype", "RandomForestClassifier, 20 full trees, exact, covertype", measure_covertype),
    Contest("forest-covertype-bins", "the same with 255 bins", measure_covertype_bins),
    growing(
        "forest-covertype-extra", "ExtraTreesClassifier, 20 full trees, covertype",
        lambda size: real(size, "covertype", "ExtraTreesClassifier"), target=0.40, turns=2,
    ),
    growing(
        "forest-nycflights", "RandomForestRegressor, 20 full trees, numeric columns of nycflights",
        lambda size: real(size, "nycflights", "RandomForestRegressor"), target=0.20, turns=2,
    ),
    Contest("forest-rows", "RandomForestClassifier, 20 full trees, 10⁴ to 10⁶ rows", measure_rows),
    Contest("forest-trees", "RandomForestClassifier, time per tree of 10 and 100 trees", measure_trees),
)  # fmt: skip
