"""Contests of boosting beside the rounds: predicting with the models of the first contests, binning."""

from __future__ import annotations

import copy

import numpy as np

from benchmarks import boosters
from benchmarks.boosters import CLASSES, Side, library
from benchmarks.boosting import NARROW, entry_of, free_cores, million, synthetic
from benchmarks.contest import play, take_turns
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.peers import N_JOBS
from treewright import _core

MAX_BINS = 255


def of_many_rows(name: str, peer: Side, target: float) -> Contest:
    """Return the contest of predicting with one peer."""

    def measure(size: Size) -> Outcome:
        task, entries = million(size)
        ours, theirs = (entry_of(entries, side).fitted for side in (boosters.LEAFWISE, peer))
        n_rows = size.rows(200_000)
        x = np.random.default_rng(1).standard_normal((n_rows, task.train.x.shape[1]), dtype=np.float32)
        played = play(
            lambda: boosters.predicted(ours, x, CLASSES),
            lambda: boosters.predicted(theirs, x, CLASSES),
            turns=size.repeats(7),
        )
        gap = float(np.abs(played.our_result - played.their_result).mean())
        rows = f"{n_rows:_}".replace("_", NARROW)
        return Outcome(
            work=f"predict_proba, {rows} rows, {task.settings.rounds} rounds, {task.settings.leaves} leaves",
            value=played.ours.wall / played.theirs.wall,
            target=target,
            ours={**played.ours.facts(), "side": boosters.LEAFWISE.name},
            theirs={**played.theirs.facts(), "side": peer.name},
            notes=[
                f"the probabilities differ by {gap:.3f} on average",
                free_cores(played.ours, played.theirs),
            ],
        )

    return Contest(name, f"predict_proba of 200 k rows, ours and {peer.name}", measure)


def measure_one_row(size: Size) -> Outcome:
    """Predict one row at a time, float64 as a user's code has it; one thread, which suits one row best."""
    task, entries = million(size)
    row = np.random.default_rng(1).standard_normal((1, task.train.x.shape[1]))
    ours = copy.copy(entries[boosters.LEAFWISE.name].fitted).set_params(n_jobs=1)
    ours.predict_proba(row)  # makes what is made on first use
    calls = 5 if size.quick else 1000
    ((times, _),) = take_turns((lambda: ours.predict_proba(row),), turns=size.repeats(9), calls=calls)
    return Outcome(
        work=f"predict_proba, one row, {task.settings.rounds} rounds, {task.settings.leaves} leaves",
        measure="µs",
        value=times.wall * 1e6,
        target=50.0,
        ours={**times.facts(), "side": boosters.LEAFWISE.name},
        notes=["n_jobs=1"],
    )


def measure_binning(size: Size) -> Outcome:
    """Bin the large synthetic table: our data set and LightGBM's."""
    lightgbm = library("lightgbm", "lightgbm")
    x = synthetic(size).train.x
    params = {"num_threads": N_JOBS, "max_bin": MAX_BINS, "verbose": -1}
    played = play(
        lambda: _core.Dataset.from_matrix(x, MAX_BINS, N_JOBS),
        lambda: lightgbm.Dataset(x, params=params).construct(),
        turns=size.repeats(7),
    )
    shape = f"{x.shape[0]:_} × {x.shape[1]}".replace("_", NARROW)
    return Outcome(
        work=f"binning alone, {shape}, {MAX_BINS} bins",
        value=played.ours.wall / played.theirs.wall,
        target=0.2,
        ours={**played.ours.facts(), "side": "Dataset (ours)"},
        theirs={**played.theirs.facts(), "side": "LightGBM"},
        notes=[free_cores(played.ours, played.theirs)],
    )


CONTESTS = (
    of_many_rows("boosting-predict-xgboost", boosters.XGBOOST, 0.18),
    of_many_rows("boosting-predict-lightgbm", boosters.LIGHTGBM, 0.07),
    Contest("boosting-predict-one", "predict_proba, one row, 100 rounds", measure_one_row),
    Contest("boosting-binning", "our data set and LightGBM's, 1 M × 28", measure_binning),
)
