"""How well forests predict rows held out, on every real table, beside scikit-learn's; default settings.

scikit-learn gets categories as ordinal codes (sorted) and missing values as they are. Treewright runs twice:
with native categories, and on the same codes as plain numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata, t

from benchmarks import peers
from benchmarks.c45 import ordinal_codes
from benchmarks.datasets import real_features, real_tasks, shuffled_columns
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.report import NOTHING

MAX_ROWS = 10_000
N_TREES = 100
SEEDS = 5
#: Half a tree of a hundred: a forest that gives a class no vote does not know that it is impossible.
LEAST = 0.005

FAMILIES = ("RandomForest", "ExtraTrees")
OURS, CODES, THEIRS = "ours", "ours, codes", "scikit-learn"
#: What is shown of a table, with the loss that ranks are computed from.
MEASURES = {
    "log loss": "−ln of the probability of the true class",
    "error": "share of wrong classes",
    "RMSE": "root of the mean squared error",
}


@dataclass
class Losses:
    """Losses of every method on one table: measure → method → one number per seed."""

    table: str
    rows: int
    columns: int
    categories: int
    of: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def add(self, method: str, found: dict[str, float]) -> None:
        """Add the losses of one seed."""
        for measure, loss in found.items():
            self.of.setdefault(measure, {}).setdefault(method, []).append(loss)

    def mean(self, measure: str, method: str) -> float:
        """Return the mean over the seeds."""
        return float(np.mean(self.of[measure][method]))


def method(family: str, side: str) -> str:
    return f"{family} ({side})"


def losses_of(fitted: Any, x: Any, y: NDArray[Any], is_classes: bool) -> dict[str, float]:
    """Return what a forest loses on rows held out."""
    if not is_classes:
        return {"RMSE": float(np.sqrt(np.mean((fitted.predict(x) - y) ** 2)))}
    probabilities = np.zeros((len(y), max(int(y.max()), int(fitted.classes_.max())) + 1))
    probabilities[:, fitted.classes_] = fitted.predict_proba(x)
    of_true = probabilities[np.arange(len(y)), y]
    return {
        "log loss": float(-np.log(np.maximum(of_true, LEAST)).mean()),
        "error": float(np.mean(probabilities.argmax(axis=1) != y)),
    }


def sides(frame: pd.DataFrame, matrix: NDArray[np.float32]) -> Iterator[tuple[str, int, Any]]:
    """Return name, library and rows of each side; without categories, codes are what we get anyway."""
    has_categories = any(isinstance(dtype, pd.CategoricalDtype) for dtype in frame.dtypes)
    yield OURS, 0, frame if has_categories else matrix
    if has_categories:
        yield CODES, 0, matrix
    yield THEIRS, 1, matrix


def measure_table(name: str, is_classes: bool, size: Size) -> Outcome:
    """Grow and examine every forest for several seeds.

    The seed also draws the third held out and the order of the columns.
    """
    frame, y = real_features(name, min(MAX_ROWS, size.part() or MAX_ROWS))
    matrix = ordinal_codes(frame)
    n_categories = sum(isinstance(dtype, pd.CategoricalDtype) for dtype in frame.dtypes)
    losses = Losses(name, len(y), frame.shape[1], n_categories)
    for seed in range(size.repeats(SEEDS)):
        order = np.random.default_rng(seed).permutation(len(y))
        test, train = np.sort(order[: len(y) // 3]), np.sort(order[len(y) // 3 :])
        for family in FAMILIES:
            for side, library, rows in sides(frame, matrix):
                x = shuffled_columns(rows, seed)
                kind = family + ("Classifier" if is_classes else "Regressor")
                forest = peers.forests(kind, n_estimators=5 if size.quick else N_TREES)[library]
                take = x.iloc.__getitem__ if isinstance(x, pd.DataFrame) else x.__getitem__
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # categories that only rows held out have
                    forest.set_params(random_state=seed).fit(take(train), y[train])
                    losses.add(method(family, side), losses_of(forest, take(test), y[test], is_classes))
    return outcome_of(losses)


def outcome_of(losses: Losses) -> Outcome:
    """Return the ratio of our random forest's loss to scikit-learn's, and all losses."""
    first = next(iter(losses.of))
    ours, theirs = (losses.mean(first, method("RandomForest", side)) for side in (OURS, THEIRS))
    return Outcome(
        work=f"accuracy, {losses.table}",
        measure=f"× scikit-learn's {first}",
        value=ours / theirs if theirs > 0 else None,
        ours={
            "losses": losses.of,
            **{key: getattr(losses, key) for key in ("rows", "columns", "categories")},
        },
        notes=[
            f"{measure}: "
            + "; ".join(
                f"{name} {np.mean(found):.4g} ± {np.std(found):.2g}" for name, found in by_method.items()
            )
            for measure, by_method in losses.of.items()
        ],
    )


def contests() -> tuple[Contest, ...]:
    """Return one contest per real table on this machine."""

    def contest(name: str, is_classes: bool) -> Contest:
        task = "classes" if is_classes else "numbers"
        return Contest(name, f"forests on {name}, {task}", lambda size: measure_table(name, is_classes, size))

    return tuple(contest(name, is_classes) for name, is_classes in real_tasks().items())


Table = dict[str, list[float]]


def by_measure(outcomes: Sequence[Outcome], measure: str) -> dict[str, Table]:
    """Return the losses by table of those outcomes that have this measure."""
    return {
        outcome.name: outcome.ours["losses"][measure]
        for outcome in outcomes
        if measure in outcome.ours["losses"]
    }


def ranks(tables: Sequence[Table], methods: Sequence[str]) -> list[float]:
    """Return the mean rank of each method over tables; 1 is the lowest mean loss, equal ones share a rank."""
    found = [rankdata([round(float(np.mean(table[name])), 12) for name in methods]) for table in tables]
    return [float(rank) for rank in np.mean(found, axis=0)]


def duel(tables: Sequence[Table], ours: str, theirs: str) -> dict[str, float]:
    """Return how two methods compare: mean ranks, clear wins and losses, and the mean ratio of the losses.

    Clear is a difference over the seeds, which both share, that a paired t test finds at 5 %.
    """
    wins = defeats = 0
    ratios = []
    for table in tables:
        difference = np.subtract(table[ours], table[theirs])
        error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.inf
        clear = abs(difference.mean()) > t.ppf(0.975, max(1, len(difference) - 1)) * error
        wins += bool(clear and difference.mean() < 0)
        defeats += bool(clear and difference.mean() > 0)
        if min(np.mean(table[ours]), np.mean(table[theirs])) > 0:
            ratios.append(np.log(np.mean(table[ours]) / np.mean(table[theirs])))
    first, second = ranks(tables, (ours, theirs))
    ratio = float(np.exp(np.mean(ratios))) if ratios else float("nan")
    return {"rank": first, "other_rank": second, "wins": wins, "defeats": defeats, "ratio": ratio}


def line(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table_lines(outcomes: Sequence[Outcome], measure: str) -> list[str]:
    """Return the mean losses on every table; the lowest of a row is bold."""
    methods = [method(family, side) for family in FAMILIES for side in (OURS, CODES, THEIRS)]
    lines = [line("table", "rows", "columns", "categorical", *methods), "|" + "---|" * (len(methods) + 4)]
    for outcome in outcomes:
        if measure not in outcome.ours["losses"]:
            continue
        means = {name: float(np.mean(found)) for name, found in outcome.ours["losses"][measure].items()}
        cells = [f"{means[name]:.4g}" if name in means else NOTHING for name in methods]
        lowest = f"{min(means.values()):.4g}"
        facts = (outcome.ours[key] for key in ("rows", "columns", "categories"))
        lines.append(
            line(outcome.name, *facts, *(f"**{cell}**" if cell == lowest else cell for cell in cells))
        )
    return lines


def duel_lines(outcomes: Sequence[Outcome], measure: str) -> list[str]:
    """Return ours against scikit-learn's, and native categories against codes where a table has any."""
    tables = list(by_measure(outcomes, measure).values())
    if not tables:
        return []
    lines = []
    for family in FAMILIES:
        for ours, theirs in ((OURS, THEIRS), (OURS, CODES), (CODES, THEIRS)):
            names = method(family, ours), method(family, theirs)
            both = [table for table in tables if names[0] in table and names[1] in table]
            if both:
                found = duel(both, *names)
                cells = [measure, family, f"{ours} : {theirs}", len(both)]
                cells += [f"{found['rank']:.2f} : {found['other_rank']:.2f}"]
                cells += [f"{found['wins']} : {found['defeats']}", f"{found['ratio']:.4f}"]
                lines.append(line(*cells))
    return lines


def markdown(outcomes: list[Outcome], about: dict[str, Any]) -> str:
    """Return the whole page."""
    lines = ["# Accuracy of forests", "", *(f"- {name}: {value}" for name, value in about.items()), ""]
    lines += [
        f"Default settings, {N_TREES} trees, {SEEDS} seeds; each seed holds another random third of the rows "
        "out and shuffles the columns, for all sides alike. "
        f"Of tables with more than {MAX_ROWS} rows a random part of that many is taken. Losses are "
        "means over the seeds: "
        + "; ".join(f"{name} ({words})" for name, words in MEASURES.items())
        + f". Probabilities below {LEAST:g} count as {LEAST:g} in the log loss.",
    ]
    lines += ["", "## Who is better", ""]
    lines += [
        line("loss", "forest", "sides", "tables", "mean rank", "clearly better", "mean ratio of losses"),
        "|" + "---|" * 7,
        *(row for measure in MEASURES for row in duel_lines(outcomes, measure)),
        "",
        "Rank 1 is better; clear is a paired t test over the seeds at 5 %; the ratio is a geometric mean.",
        "",
        line("loss", "tables", *(method(family, side) for family in FAMILIES for side in (OURS, THEIRS))),
        "|" + "---|" * (2 + 2 * len(FAMILIES)),
    ]
    four = [method(family, side) for family in FAMILIES for side in (OURS, THEIRS)]
    for measure in MEASURES:
        tables = list(by_measure(outcomes, measure).values())
        if tables:
            lines.append(line(measure, len(tables), *(f"{rank:.2f}" for rank in ranks(tables, four))))
    lines += ["", "Mean rank among these four."]
    for measure in MEASURES:
        if by_measure(outcomes, measure):
            lines += ["", f"## {measure[0].upper()}{measure[1:]}", "", *table_lines(outcomes, measure)]
    return "\n".join(lines) + "\n"


CONTESTS = contests()
