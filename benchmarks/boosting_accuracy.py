"""How well boosters predict rows held out, on every real table, each library with its default settings.

Every library gets categories as its users pass them: see `boosters`. Fit times stand beside the ranks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import boosters
from benchmarks.boosters import CATBOOST, CATBOOST_100, CLASSES, COUNTS, LOSS_NAMES, NUMBERS, Side
from benchmarks.datasets import DataMissingError, real_counts, real_features, real_tasks, shuffled_columns
from benchmarks.forest_accuracy import duel, line, ranks
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.peers import N_JOBS
from benchmarks.report import NOTHING

MAX_ROWS = 8_000
SEEDS = 3
#: Tables with more rows are measured again with up to so many, with fewer seeds.
MORE_ROWS = 40_000
MORE_SEEDS = 2
#: What the names of those contests end with.
MORE = "-more-rows"
OURS = (boosters.LEAFWISE, boosters.NEWTON, boosters.GBM)
MODERN = OURS[:2]
SIDES = (*OURS, *boosters.PEERS, CATBOOST_100)
#: Classes beyond which CatBoost's thousand rounds are left out: they take minutes a fit.
CATBOOST_CLASSES = 15
#: Tables that are also learned as counts.
COUNTED = ("fremtpl2_freq",)
#: Ours beside the other libraries alone; then all sides, with CatBoost's thousand rounds and with as many as
#: most others have.
RANKINGS = {
    "Leafwise beside the other libraries": (boosters.LEAFWISE, *boosters.PEERS),
    "Newton beside the other libraries": (boosters.NEWTON, *boosters.PEERS),
    "All, CatBoost with its 1000 rounds": (*OURS, *boosters.PEERS),
    "All, CatBoost with 100 rounds": (*OURS, *(CATBOOST_100 if s is CATBOOST else s for s in boosters.PEERS)),
}

Found = dict[str, list[float]]


def parts(n_rows: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows to learn from and the random third that a seed holds out."""
    order = np.random.default_rng(seed).permutation(n_rows)
    return np.sort(order[n_rows // 3 :]), np.sort(order[: n_rows // 3])


def examine(
    side: Side, x: Any, y: NDArray[Any], task: str, seed: int, weight: NDArray[Any] | None = None
) -> tuple[float, float]:
    """Fit one side with its defaults; return its loss on rows held out and the seconds of fit."""
    train, test = parts(len(y), seed)
    x = shuffled_columns(x, seed)
    # Labels without gaps, which XGBoost insists on; a class that only rows held out have is nobody's.
    classes, target = np.unique(y[train], return_inverse=True) if task == CLASSES else (None, y[train])
    rows = boosters.take(x, train)
    booster = side.make(task, None, seed, rows)
    started = time.perf_counter()
    boosters.fit(booster, rows, target, None if weight is None else weight[train])
    seconds = time.perf_counter() - started
    answer = boosters.predicted(booster, boosters.take(x, test), task)
    of_test = None if weight is None else weight[test]
    return boosters.loss_of(answer, y[test], task, of_test, classes), seconds


def examine_all(
    frame: pd.DataFrame,
    y: NDArray[Any],
    task: str,
    n_seeds: int,
    weight: NDArray[Any] | None = None,
    sides: Sequence[Side] = SIDES,
) -> tuple[Found, Found, list[str]]:
    """Return losses and seconds of every side, one per seed, and why sides are missing."""
    losses: Found = {}
    seconds: Found = {}
    reasons: list[str] = []
    for side in sides:
        if side is CATBOOST and task == CLASSES and len(np.unique(y)) > CATBOOST_CLASSES:
            reasons.append(f"{side.name} with 1000 rounds is left out: more than {CATBOOST_CLASSES} classes")
            continue
        x = side.prepare(frame)
        for seed in range(n_seeds):
            try:
                loss, taken = examine(side, x, y, task, seed, weight)
            except DataMissingError as reason:
                reasons.append(str(reason))
                break
            losses.setdefault(side.name, []).append(loss)
            seconds.setdefault(side.name, []).append(taken)
    return losses, seconds, sorted(set(reasons))


def measure_table(name: str, is_classes: bool, size: Size) -> Outcome:
    """Fit and examine every booster for several seeds.

    The seed also draws the third held out and the order of the columns.
    """
    n_rows = min(MAX_ROWS, size.part() or MAX_ROWS)
    task = CLASSES if is_classes else NUMBERS
    frame, y = real_features(name, n_rows)
    losses, seconds, reasons = examine_all(frame, y, task, size.repeats(SEEDS, quick=2))
    return outcome_of(name, task, frame, losses, seconds, reasons)


def measure_more(name: str, is_classes: bool, size: Size) -> Outcome:
    """Do the same with more rows for the modern boosters.

    Raises
    ------
    DataMissingError
        When the table has no more rows, or too many classes for CatBoost.
    """
    task = CLASSES if is_classes else NUMBERS
    frame, y = real_features(name, min(MORE_ROWS, size.part() or MORE_ROWS))
    if len(y) <= MAX_ROWS and not size.quick:
        raise DataMissingError(f"{name} has no more than {MAX_ROWS} rows")
    if is_classes and len(np.unique(y)) > CATBOOST_CLASSES:
        raise DataMissingError(f"{name} has more than {CATBOOST_CLASSES} classes")
    n_seeds = size.repeats(MORE_SEEDS, quick=1)
    losses, seconds, reasons = examine_all(frame, y, task, n_seeds, sides=(*MODERN, *boosters.PEERS))
    return outcome_of(name, task, frame, losses, seconds, reasons)


def measure_counts(name: str, size: Size) -> Outcome:
    """Learn rates from counts and exposures with Poisson's loss, all else by default."""
    frame, rates, exposure = real_counts(name, min(MAX_ROWS, size.part() or MAX_ROWS))
    losses, seconds, reasons = examine_all(frame, rates, COUNTS, size.repeats(SEEDS, quick=2), exposure)
    return outcome_of(name, COUNTS, frame, losses, seconds, reasons)


def outcome_of(
    name: str, task: str, frame: pd.DataFrame, losses: Found, seconds: Found, reasons: Sequence[str]
) -> Outcome:
    """Return the better of our two modern boosters as a share of the best peer's loss, and all losses."""
    means = {side: float(np.mean(found)) for side, found in losses.items()}
    peers = [means[side.name] for side in boosters.PEERS if side.name in means]
    best, best_peer = min(means[side.name] for side in MODERN), min(peers)
    return Outcome(
        work=f"{LOSS_NAMES[task]}, {name}",
        measure="× the best peer's",
        value=best / best_peer if best_peer > 0 else None,
        ours={
            "losses": losses,
            "seconds": seconds,
            "loss": LOSS_NAMES[task],
            "rows": len(frame),
            "columns": frame.shape[1],
            "categories": sum(boosters.is_category(dtype) for dtype in frame.dtypes),
        },
        notes=[
            "; ".join(
                f"{side} {means[side]:.4g} ± {np.std(losses[side]):.2g} in {np.mean(seconds[side]):.2g} s"
                for side in losses
            ),
            *reasons,
        ],
    )


def contests() -> tuple[Contest, ...]:
    """Return contests for the real tables on this machine: of few rows, of counts, and of more rows."""

    def contest(name: str, is_classes: bool) -> Contest:
        task = "classes" if is_classes else "numbers"
        return Contest(
            name, f"boosters on {name}, {task}", lambda size: measure_table(name, is_classes, size)
        )

    def counted(name: str) -> Contest:
        return Contest(
            f"{name}-counts", f"boosters on {name}, counts", lambda size: measure_counts(name, size)
        )

    def larger(name: str, is_classes: bool) -> Contest:
        return Contest(
            f"{name}{MORE}",
            f"boosters on more rows of {name}",
            lambda size: measure_more(name, is_classes, size),
        )

    tasks = real_tasks()
    return (
        *(contest(name, is_classes) for name, is_classes in tasks.items()),
        *(counted(name) for name in COUNTED if name in tasks),
        *(larger(name, is_classes) for name, is_classes in tasks.items()),
    )


# --- the page
# ----------------------------------------------------------------------------------------------------


def of_names(outcomes: Sequence[Outcome], names: Sequence[str]) -> list[Outcome]:
    """Return the outcomes that have all these sides."""
    return [outcome for outcome in outcomes if all(name in outcome.ours["losses"] for name in names)]


def time_ratio(outcomes: Sequence[Outcome], name: str) -> float:
    """Return the time of a side as a share of our leaf-wise booster's: geometric mean over tables."""
    ours = boosters.LEAFWISE.name
    logs = [
        np.log(np.mean(outcome.ours["seconds"][name]) / np.mean(outcome.ours["seconds"][ours]))
        for outcome in outcomes
    ]
    return float(np.exp(np.mean(logs)))


def rank_lines(outcomes: Sequence[Outcome], title: str, sides: Sequence[Side]) -> list[str]:
    """Return mean ranks over all tables, over classes and over numbers, with total times of fit."""
    # A library that is not installed has no losses at all.
    names = [side.name for side in sides if any(side.name in o.ours["losses"] for o in outcomes)]
    chosen = of_names(outcomes, names)
    if not chosen:
        return []
    groups = {"all": chosen}
    for loss in LOSS_NAMES.values():
        groups[loss] = [outcome for outcome in chosen if outcome.ours["loss"] == loss]
    groups["with categories"] = [outcome for outcome in chosen if outcome.ours["categories"]]
    lines = ["", f"{title}:", "", line("tables", "", *names), "|" + "---|" * (len(names) + 2)]
    for group, members in groups.items():
        if members:
            found = ranks([outcome.ours["losses"] for outcome in members], names)
            best = min(found)
            cells = [f"**{rank:.2f}**" if rank == best else f"{rank:.2f}" for rank in found]
            lines.append(line(group, len(members), *cells))
    total = [sum(float(np.sum(o.ours["seconds"][name])) for o in chosen) for name in names]
    lines.append(line("seconds of all fits", "", *(f"{value:.0f}" for value in total)))
    ratio = [time_ratio(chosen, name) for name in names]
    lines.append(line("× time of Leafwise, mean", "", *(f"{value:.2g}" for value in ratio)))
    return lines


def duel_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """Return our two modern boosters against every peer."""
    lines = [
        line("sides", "tables", "mean rank", "clearly better", "mean ratio of losses"),
        "|" + "---|" * 5,
    ]
    for ours in MODERN:
        for peer in (*boosters.PEERS, CATBOOST_100):
            chosen = of_names(outcomes, (ours.name, peer.name))
            if chosen:
                found = duel([outcome.ours["losses"] for outcome in chosen], ours.name, peer.name)
                cells = [f"{ours.name} : {peer.name}", len(chosen)]
                cells += [f"{found['rank']:.2f} : {found['other_rank']:.2f}"]
                cells += [f"{found['wins']} : {found['defeats']}", f"{found['ratio']:.4f}"]
                lines.append(line(*cells))
    return lines


def table_lines(outcomes: Sequence[Outcome], fact: str) -> list[str]:
    """Return means over the seeds of losses or seconds on every table; the lowest of a row is bold."""
    names = [side.name for side in SIDES if any(side.name in o.ours[fact] for o in outcomes)]
    lines = [line("table", "loss", "rows", "columns", "categorical", *names), "|" + "---|" * (len(names) + 5)]
    for outcome in outcomes:
        means = {name: float(np.mean(found)) for name, found in outcome.ours[fact].items()}
        cells = [f"{means[name]:.4g}" if name in means else NOTHING for name in names]
        lowest = f"{min(means.values()):.4g}"
        facts = [outcome.ours[key] for key in ("loss", "rows", "columns", "categories")]
        cells = [f"**{cell}**" if cell == lowest else cell for cell in cells]
        lines.append(line(outcome.name.removesuffix(MORE), *facts, *cells))
    return lines


def part_lines(outcomes: Sequence[Outcome], level: str) -> list[str]:
    """Return ranks, duels, losses and seconds of some tables."""
    lines = [f"{level} Mean ranks"]
    for title, sides in RANKINGS.items():
        if all(any(side.name in o.ours["losses"] for o in outcomes) for side in sides if side in OURS):
            lines += rank_lines(outcomes, title, sides)
    lines += [
        "",
        "Rank 1 is the lowest mean loss of a table.",
        "",
        f"{level} Duels",
        "",
        *duel_lines(outcomes),
    ]
    lines += ["", "Clear is a paired t test over the seeds at 5 %; the ratio is a geometric mean."]
    lines += ["", f"{level} Losses", "", *table_lines(outcomes, "losses")]
    lines += ["", f"{level} Seconds of a fit", "", *table_lines(outcomes, "seconds")]
    return lines


def markdown(outcomes: list[Outcome], about: dict[str, Any]) -> str:
    """Return the whole page."""
    lines = ["# Accuracy of boosters", "", *(f"- {name}: {value}" for name, value in about.items()), ""]
    lines += [
        f"Default settings of every library, {N_JOBS} threads; each seed holds another random third of the",
        "rows out and shuffles the columns, for all sides alike. Losses are means over the seeds: log loss",
        "for classes, RMSE for numbers, mean Poisson",
        f"deviance for counts. Probabilities below {boosters.LEAST:g} count as that in the log loss. By",
        "default CatBoost and our leaf-wise booster make 1000 rounds and all others 100;",
        "HistGradientBoosting stops early on more than 10 000 rows. Categories are native everywhere, except",
        f"that HistGradientBoosting gets codes of columns with more than {boosters.HIST_CATEGORIES} of them.",
        f"CatBoost's 1000 rounds are left out where there are more than {CATBOOST_CLASSES} classes and a fit",
        "takes minutes.",
        "",
    ]
    parts = {
        f"At most {MAX_ROWS} rows, {SEEDS} seeds": [o for o in outcomes if not o.name.endswith(MORE)],
        f"At most {MORE_ROWS} rows, {MORE_SEEDS} seeds": [o for o in outcomes if o.name.endswith(MORE)],
    }
    for title, part in parts.items():
        if part:
            lines += [f"## {title}", "", *part_lines(part, "###"), ""]
    return "\n".join(lines)


CONTESTS = contests()
