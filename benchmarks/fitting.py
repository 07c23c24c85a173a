"""Contests of `fit`: fully grown trees on large tables, and a small table where only overhead counts."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import peers
from benchmarks.contest import play
from benchmarks.datasets import Data, iris, real_table, synthetic_classes, synthetic_numbers
from benchmarks.outcome import Contest, Outcome, Size


def fit_contest(name: str, about: str, data: Callable[[Size], Data], target: float, turns: int) -> Contest:
    """Return a contest that grows one full tree on a table."""

    def measure(size: Size) -> Outcome:
        return compare_fits(data(size), target, turns=size.repeats(turns))

    return Contest(name, about, measure)


def compare_fits(data: Data, target: float, *, turns: int, calls: int = 1) -> Outcome:
    """Fit both sides in turns; the estimator's construction is part of the work."""
    played = play(
        lambda: peers.ours(data.is_classes).fit(data.x, data.y),
        lambda: peers.theirs(data.is_classes).fit(data.x, data.y),
        turns=turns,
        calls=calls,
    )
    undisturbed = played.ours.undisturbed(peers.N_JOBS) / played.theirs.cpu
    ours, theirs = (peers.describe(fit, data) for fit in (played.our_result, played.their_result))
    return Outcome(
        work=f"fit {data.name}, {data.shape}",
        value=played.ours.wall / played.theirs.wall,
        target=target,
        ours={**played.ours.facts(), **ours},
        theirs={**played.theirs.facts(), **theirs},
        notes=[
            *peers.differences(ours, theirs),
            f"free cores would give a ratio of {undisturbed:.3g}, by the processor times of each thread",
        ],
    )


def measure_iris(size: Size) -> Outcome:
    """Fit 150 rows many times: what Python around the engine costs."""
    calls = 10 if size.quick else 200
    return compare_fits(iris(), 1.0, turns=size.repeats(15), calls=calls)


CONTESTS = (
    fit_contest(
        "fit-classes", "CARTClassifier, fully grown, 100 k × 28 synthetic",
        lambda size: synthetic_classes(size.rows(100_000)), target=0.12, turns=5,
    ),
    fit_contest(
        "fit-covertype", "CARTClassifier, fully grown, covertype",
        lambda size: real_table("covertype", size.part()), target=0.12, turns=3,
    ),
    fit_contest(
        "fit-california", "CARTRegressor, fully grown, California housing",
        lambda size: real_table("california_housing", size.part()), target=0.20, turns=15,
    ),
    fit_contest(
        "fit-nycflights", "CARTRegressor, fully grown, numeric columns of nycflights with missing values",
        lambda size: real_table("nycflights", size.part()), target=0.20, turns=3,
    ),
    fit_contest(
        "fit-numbers", "CARTRegressor, fully grown, 1 M × 10 synthetic",
        lambda size: synthetic_numbers(size.rows(1_000_000)), target=0.20, turns=3,
    ),
    Contest("fit-iris", "CARTClassifier on iris, all overhead included", measure_iris),
)  # fmt: skip
