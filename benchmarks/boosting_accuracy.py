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
from benchmarks.datasets import DataMissingError, real_counts, real_features, real_tasks
from benchmarks.forest_accuracy import duel, line, ranks
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.peers import N_JOBS
from benchmarks.report import NOTHING

MAX_ROWS = 8_000
SEEDS = 3
OURS = (boosters.LEAFWISE, boosters.NEWTON, boosters.GBM)
MODERN = OURS[:2]
SIDES = (*OURS, *boosters.PEERS, CATBOOST_100)
#: Classes beyond which CatBoost's thousand rounds are left out: they take minutes a fit.
CATBOOST_CLASSES = 15
#: Tables that are also learned as counts.
COUNTED = ("fremtpl2_freq",)
#: Two rankings: with CatBoost as it comes, a thousand rounds, and with as many as the others.
RANKINGS = {
    "CatBoost with its 1000 rounds": (*OURS, *boosters.PEERS),
    "CatBoost with 100 rounds": (*OURS, *(CATBOOST_100 if s is CATBOOST else s for s in boosters.PEERS)),
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
    size: Size,
    weight: NDArray[Any] | None = None,
) -> tuple[Found, Found, list[str]]:
    """Return losses and seconds of every side, one per seed, and why sides are missing."""
    losses: Found = {}
    seconds: Found = {}
    reasons: list[str] = []
    for side in SIDES:
        if side is CATBOOST and task == CLASSES and len(np.unique(y)) > CATBOOST_CLASSES:
            reasons.append(f"{side.name} with 1000 rounds is left out: more than {CATBOOST_CLASSES} classes")
            continue
        x = side.prepare(frame)
        for seed in range(size.repeats(SEEDS, quick=2)):
            try:
                loss, taken = examine(side, x, y, task, seed, weight)
            except DataMissingError as reason:
                reasons.append(str(reason))
                break
            losses.setdefault(side.name, []).append(loss)
            seconds.setdefault(side.name, []).append(taken)
    return losses, seconds, sorted(set(reasons))


def measure_table(name: str, is_classes: bool, size: Size) -> Outcome:
    """Fit and examine every booster for several seeds; the seed also draws the third held out."""
    n_rows = min(MAX_ROWS, size.part() or MAX_ROWS)
    task = CLASSES if is_classes else NUMBERS
    frame, y = real_features(name, n_rows)
    losses, seconds, reasons = examine_all(frame, y, task, size)
    return outcome_of(name, task, frame, losses, seconds, reasons)


def measure_counts(name: str, size: Size) -> Outcome:
    """Learn rates from counts and exposures with Poisson's loss, all else by default."""
    frame, rates, exposure = real_counts(name, min(MAX_ROWS, size.part() or MAX_ROWS))
    losses, seconds, reasons = examine_all(frame, rates, COUNTS, size, exposure)
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
    """Return one contest per real table on this machine, and one more for counts."""

    def contest(name: str, is_classes: bool) -> Contest:
        task = "classes" if is_classes else "numbers"
        return Contest(
            name, f"boosters on {name}, {task}", lambda size: measure_table(name, is_classes, size)
        )

    def counted(name: str) -> Contest:
        return Contest(
            f"{name}-counts", f"boosters on {name}, counts", lambda size: measure_counts(name, size)
        )

    tasks = real_tasks()
    return (
        *(contest(name, is_classes) for name, is_classes in tasks.items()),
        *(counted(name) for name in COUNTED if name in tasks),
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
    names = [side.name for side in SIDES]
    lines = [line("table", "loss", "rows", "columns", "categorical", *names), "|" + "---|" * (len(names) + 5)]
    for outcome in outcomes:
        means = {name: float(np.mean(found)) for name, found in outcome.ours[fact].items()}
        cells = [f"{means[name]:.4g}" if name in means else NOTHING for name in names]
        lowest = f"{min(means.values()):.4g}"
        facts = [outcome.ours[key] for key in ("loss", "rows", "columns", "categories")]
        cells = [f"**{cell}**" if cell == lowest else cell for cell in cells]
        lines.append(line(outcome.name, *facts, *cells))
    return lines


def markdown(outcomes: list[Outcome], about: dict[str, Any]) -> str:
    """Return the whole page."""
    lines = ["# Accuracy of boosters", "", *(f"- {name}: {value}" for name, value in about.items()), ""]
    lines += [
        f"Default settings of every library, {N_JOBS} threads, {SEEDS} seeds; each seed holds another random",
        f"third of the rows out. Of tables with more than {MAX_ROWS} rows a random part of so many is taken.",
        "Losses are means over the seeds: log loss for classes, RMSE for numbers, mean Poisson deviance for",
        f"counts. Probabilities below {boosters.LEAST:g} count as that in the log loss. By default CatBoost",
        "makes 1000 rounds, our leaf-wise booster 400 and all others 100; HistGradientBoosting stops early",
        "on more than 10 000 rows.",
        "Categories are native everywhere, except that HistGradientBoosting gets codes of columns with more",
        f"than {boosters.HIST_CATEGORIES} of them. CatBoost's 1000 rounds are left out where there are more",
        f"than {CATBOOST_CLASSES} classes and a fit takes minutes; the ranking with 100 has all tables.",
        "",
        "## Mean ranks",
    ]
    for title, sides in RANKINGS.items():
        lines += rank_lines(outcomes, title, sides)
    lines += ["", "Rank 1 is the lowest mean loss of a table.", "", "## Duels", "", *duel_lines(outcomes)]
    lines += ["", "Clear is a paired t test over the seeds at 5 %; the ratio is a geometric mean."]
    lines += ["", "## Losses", "", *table_lines(outcomes, "losses")]
    lines += ["", "## Seconds of a fit", "", *table_lines(outcomes, "seconds")]
    return "\n".join(lines) + "\n"


CONTESTS = contests()
