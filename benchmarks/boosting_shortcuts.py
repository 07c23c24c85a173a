"""What the shortcuts of the leaf-wise booster cost: quantised gradients, one-side sampling, shared codes.

Losses of rows held out are compared with those of the same booster by fine steps, see `fine_steps`. Columns
that exclude each other share a code; that must change no prediction at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import boosters, fine_steps
from benchmarks.boosters import CLASSES, COUNTS, LOSS_NAMES, NUMBERS, Settings
from benchmarks.boosting_accuracy import parts
from benchmarks.datasets import real_counts, real_features, synthetic_classes, synthetic_numbers
from benchmarks.forest_accuracy import line
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.peers import N_JOBS
from treewright.boosting.leafwise_boosting import LeafwiseBoostingClassifier
from treewright.boosting.plans import Plans

MAX_ROWS = 100_000
#: With so many rows a packed step has 11 bits only.
MANY_ROWS = 1_500_000
SEEDS = 3
#: Up to here the engine takes fine steps itself.
FEW_ROWS = 16_384
QUANTISED, FINE, GOSS = "quantised", "fine", "GOSS"
SIDES = (QUANTISED, FINE, GOSS)
#: The loss by quantised gradients as a share of that by fine steps, mean over the seeds.
TARGET = 1.01


@dataclass(frozen=True)
class Rows:
    """A table: features, target, weights, and what rows held out are measured against."""

    x: Any
    y: NDArray[Any]
    task: str
    weight: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None  # None: the target itself


# --- tables
# ----------------------------------------------------------------------------------------------------


def most_rows(size: Size, full: int = MAX_ROWS) -> int:
    return min(full, size.part() or full)


def real(name: str, task: str) -> Callable[[Size], Rows]:
    def load(size: Size) -> Rows:
        if task == COUNTS:
            frame, rates, exposure = real_counts(name, most_rows(size))
            return Rows(frame, rates, task, exposure)
        frame, y = real_features(name, most_rows(size))
        return Rows(frame, y, task)

    return load


def outliers(size: Size) -> Rows:
    """Numbers with noise whose variance is infinite (Student's t, 1.5 degrees of freedom).

    One row has a gradient a thousand times the others', and sets the size of a step for all. Rows held out
    are measured without that noise: the few that are far off would decide alone otherwise.
    """
    data = synthetic_numbers(most_rows(size))
    random = np.random.default_rng(15)
    noise = random.standard_t(1.5, len(data.y))
    return Rows(data.x, data.y + noise, NUMBERS, truth=data.y)


def many(size: Size) -> Rows:
    data = synthetic_classes(most_rows(size, MANY_ROWS))
    return Rows(data.x, data.y, CLASSES)


def one_hot(size: Size) -> Rows:
    """Twelve variables of ten levels, a column for each level, and four numbers; two classes."""
    random = np.random.default_rng(120)
    n_rows = most_rows(size)
    levels = random.integers(0, 10, (n_rows, 12))
    numbers = random.standard_normal((n_rows, 4))
    effects = random.standard_normal((12, 10)) / 2
    score = effects[np.arange(12), levels].sum(axis=1) + numbers[:, 0] + (levels[:, 0] < 5) * numbers[:, 1]
    columns = (levels[:, :, np.newaxis] == np.arange(10)).reshape(n_rows, -1)
    y = (score + random.logistic(size=n_rows) > 0).astype(np.int64)
    return Rows(np.column_stack([columns, numbers]).astype(np.float32), y, CLASSES)


# --- losses
# ----------------------------------------------------------------------------------------------------


def settings_of(size: Size) -> Settings:
    return Settings(rounds=5) if size.quick else Settings()


def examine(rows: Rows, side: str, seed: int, settings: Settings) -> tuple[float, float]:
    """Fit one side; return its loss on the third that the seed holds out, and the seconds."""
    train, test = parts(len(rows.y), seed)
    x, other = boosters.take(rows.x, train), boosters.take(rows.x, test)
    weight, of_test = (None if rows.weight is None else rows.weight[part] for part in (train, test))
    classes, y = (
        np.unique(rows.y[train], return_inverse=True) if rows.task == CLASSES else (None, rows.y[train])
    )
    booster = boosters.LEAFWISE.make(rows.task, settings, seed, x)
    if side == GOSS:
        booster.set_params(goss=True)
    started = time.perf_counter()
    if side == FINE:
        answer = fine_steps.fit_predict(booster, x, y, weight, other)
        seconds = time.perf_counter() - started
    else:
        boosters.fit(booster, x, y, weight)
        seconds = time.perf_counter() - started
        answer = boosters.predicted(booster, other, rows.task)
    truth = rows.y if rows.truth is None else rows.truth
    return boosters.loss_of(answer, truth[test], rows.task, of_test, classes), seconds


def measure_losses(load: Callable[[Size], Rows], size: Size) -> Outcome:
    """Fit all sides for several seeds; the number that counts is that of quantised gradients."""
    rows = load(size)
    settings = settings_of(size)
    losses: dict[str, list[float]] = {side: [] for side in SIDES}
    seconds: dict[str, list[float]] = {side: [] for side in SIDES}
    for seed in range(size.repeats(SEEDS, quick=2)):
        for side in SIDES:
            loss, taken = examine(rows, side, seed, settings)
            losses[side].append(loss)
            seconds[side].append(taken)
    ratios = {
        side: [a / b for a, b in zip(losses[side], losses[FINE], strict=True)] for side in (QUANTISED, GOSS)
    }
    notes = [f"{side} : {FINE} {np.mean(found):.5f} ± {np.std(found):.5f}" for side, found in ratios.items()]
    n_train = len(rows.y) - len(rows.y) // 3
    if n_train <= FEW_ROWS:
        notes.append(f"{n_train} rows are few enough for the engine to take fine steps itself")
    return Outcome(
        work=f"{LOSS_NAMES[rows.task]}, {len(rows.y)} × {rows.x.shape[1]}, {settings.rounds} rounds",
        measure="× the loss by fine steps",
        value=float(np.mean(ratios[QUANTISED])),
        target=TARGET,
        ours={"losses": losses, "seconds": seconds, "ratios": ratios, "loss": LOSS_NAMES[rows.task]}
        | {"rows": len(rows.y), "columns": rows.x.shape[1]},
        notes=notes,
    )


# --- shared codes
# ----------------------------------------------------------------------------------------------------


class ApartClassifier(LeafwiseBoostingClassifier):
    """The booster with a code of its own for every column."""

    def _plans(self, rows: Any, seed: int) -> Plans:
        plans = super()._plans(rows, seed)
        plans.boost.share_codes = False
        return plans


def measure_sharing(size: Size) -> Outcome:
    """Fit one-hot columns that share codes and that do not; the predictions must be equal."""
    rows = one_hot(size)
    settings = settings_of(size)
    seconds: dict[str, list[float]] = {"shared": [], "apart": []}
    largest = 0.0
    for seed in range(size.repeats(SEEDS, quick=2)):
        train, test = parts(len(rows.y), seed)
        found = []
        for name, family in (("shared", LeafwiseBoostingClassifier), ("apart", ApartClassifier)):
            booster = family(**boosters.make_leafwise(CLASSES, settings, seed, None).get_params())
            started = time.perf_counter()
            booster.fit(rows.x[train], rows.y[train])
            seconds[name].append(time.perf_counter() - started)
            found.append(booster.predict_proba(rows.x[test]))
        largest = max(largest, float(np.abs(found[0] - found[1]).max()))
    return Outcome(
        work=f"one-hot columns that share codes or not, {len(rows.y)} × {rows.x.shape[1]}",
        measure="largest difference of predictions",
        value=largest,
        target=0.0,
        ours={"seconds": seconds, "largest": largest},
        notes=[
            f"the predictions are {'equal' if largest == 0 else 'DIFFERENT'}; "
            f"{min(seconds['shared']):.3g} s shared, {min(seconds['apart']):.3g} s apart"
        ],
    )


# --- the page
# ----------------------------------------------------------------------------------------------------


def spread(numbers: Sequence[float], form: str) -> str:
    return f"{np.mean(numbers):{form}} ± {np.std(numbers):.1g}"


def loss_lines(outcomes: Sequence[Outcome]) -> list[str]:
    head = ["table", "loss", "rows", "columns", *SIDES, f"{QUANTISED} : {FINE}", f"{GOSS} : {FINE}"]
    head += [f"s {QUANTISED}", f"s {GOSS}", f"s {FINE}, from Python"]
    lines = [line(*head), "|" + "---|" * len(head)]
    for outcome in outcomes:
        facts = outcome.ours
        cells = [outcome.name, *(facts[key] for key in ("loss", "rows", "columns"))]
        cells += [spread(facts["losses"][side], ".5g") for side in SIDES]
        cells += [spread(facts["ratios"][side], ".4f") for side in (QUANTISED, GOSS)]
        cells += [f"{min(facts['seconds'][side]):.3g}" for side in (QUANTISED, GOSS, FINE)]
        lines.append(line(*cells))
    return lines


def markdown(outcomes: list[Outcome], about: dict[str, Any]) -> str:
    """Return the whole page."""
    lines = [
        "# What the shortcuts of boosting cost",
        "",
        *(f"- {name}: {value}" for name, value in about.items()),
    ]
    lines += [
        "",
        f"`LeafwiseBoosting…`, {Settings().rounds} rounds, {Settings().leaves} leaves, "
        "λ = 1, γ = 0, at least 20 rows in a leaf, all columns, "
        f"{N_JOBS} threads, {SEEDS} seeds; each holds another random third of the rows out. *quantised*: the "
        "engine's own choice of packed steps; *fine*: 30 bits a row; *GOSS*: `goss=True` on quantised "
        "gradients. Means and standard deviations over the seeds; ratios are of the same seed; the best time "
        "counts.",
        "",
        *loss_lines([outcome for outcome in outcomes if "losses" in outcome.ours]),
        "",
    ]
    lines += [f"- {outcome.name}: {note}." for outcome in outcomes for note in outcome.notes]
    return "\n".join(lines) + "\n"


def contest(name: str, load: Callable[[Size], Rows]) -> Contest:
    return Contest(
        name, f"losses with and without shortcuts, {name}", lambda size: measure_losses(load, size)
    )


CONTESTS = (
    contest("nycflights", real("nycflights", NUMBERS)),
    contest("fremtpl2_freq", real("fremtpl2_freq", COUNTS)),
    contest("diamonds", real("diamonds", NUMBERS)),
    contest("covertype", real("covertype", CLASSES)),
    contest("outliers", outliers),
    contest("million", many),
    Contest("one-hot", "predictions with and without shared codes", measure_sharing),
)
