"""Contests of `predict`: many rows, and one row through the public method."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.contest import play
from benchmarks.datasets import Data, synthetic_classes
from benchmarks.outcome import Contest, Outcome, Size

DEPTH = 20


def _fitted(size: Size) -> tuple[Any, Any, Data]:
    """Return both sides' trees of depth 20 and the rows they learned from."""
    data = synthetic_classes(size.rows(100_000))
    sides = [make(True, max_depth=DEPTH).fit(data.x, data.y) for make in (peers.ours, peers.theirs)]
    return sides[0], sides[1], data


def measure_many_rows(size: Size) -> Outcome:
    """Predict rows that the trees have not seen, from another seed."""
    ours, theirs, data = _fitted(size)
    n_rows = size.rows(1_000_000)
    x = np.random.default_rng(1).standard_normal((n_rows, data.x.shape[1]), dtype=np.float32)
    played = play(lambda: ours.predict(x), lambda: theirs.predict(x), turns=size.repeats(7))
    same = float(np.mean(played.our_result == played.their_result))
    facts = [peers.describe(side, data) for side in (ours, theirs)]
    return Outcome(
        work=f"predict {n_rows:_} rows with a tree of depth {facts[0]['depth']}".replace("_", "\u202f"),
        value=played.ours.wall / played.theirs.wall,
        target=0.5,
        ours={**played.ours.facts(), **facts[0]},
        theirs={**played.theirs.facts(), **facts[1]},
        notes=[*peers.differences(*facts), f"{same:.2%} of the predictions are the same"],
    )


def measure_one_row(size: Size) -> Outcome:
    """Predict one row at a time, float64 as a user's code has it."""
    ours, theirs, data = _fitted(size)
    row = data.x[:1].astype(np.float64)
    calls = 20 if size.quick else 1000
    played = play(lambda: ours.predict(row), lambda: theirs.predict(row), turns=size.repeats(15), calls=calls)
    return Outcome(
        work="predict one row",
        measure="µs",
        value=played.ours.wall * 1e6,
        target=50.0,
        ours=played.ours.facts(),
        theirs=played.theirs.facts(),
    )


CONTESTS = (
    Contest("predict-many", "1 M rows through a tree of depth 20", measure_many_rows),
    Contest("predict-one", "one row through the public method", measure_one_row),
)
