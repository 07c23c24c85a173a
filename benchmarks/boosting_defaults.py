"""Evidence for the defaults of LeafwiseBoosting and NewtonBoosting: alternatives, on every real table.

A script, no suite: ``python -m benchmarks.boosting_defaults RESULTS``; --help lists its options.
RESULTS is a file with one JSON line per fit; what it has already is not computed again. Every alternative
differs from the defaults (the base) in what its name says. The losses are compared with those of LightGBM at
its defaults on the same rows.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from benchmarks import boosters
from benchmarks.boosters import CLASSES, NUMBERS, Side
from benchmarks.boosting_accuracy import examine
from benchmarks.datasets import real_features, real_tasks
from treewright.boosting.plans import Plans

BASE = "base"
FAMILIES = {"Leafwise": boosters.make_leafwise, "Newton": boosters.make_newton}
#: Attributes of the native plan that are no parameters of the estimators.
OF_PLAN = {
    "chance_gain",
    "few_categories",
    "one_against_rest",
    "category_smoothing",
    "category_l2",
    "max_categories_side",
    "min_rows_category",
}

Change = dict[str, Any]

SHARED: dict[str, list[Change]] = {
    "min_samples_leaf": [{"min_samples_leaf": rows} for rows in (5, 20)],
    "min_child_weight": [{"min_child_weight": least} for least in (1e-3, 1.0)],
    "reg_lambda": [{"reg_lambda": l2} for l2 in (0.0, 1.0, 5.0, 10.0)],
    "sampling": [{"max_features": share} for share in (0.3, 0.7, 1.0)] + [{"subsample": 0.8}],
    "one_against_rest": [{"one_against_rest": n} for n in (1, 8)],
    "few_categories": [{"few_categories": n} for n in (4, 16, 50)],
    "category_smoothing": [{"category_smoothing": more} for more in (1.0, 100.0)],
    "category_l2": [{"category_l2": more} for more in (0.0, 1.0, 30.0)],
    "max_categories_side": [{"max_categories_side": n} for n in (16, 1000)],
    "min_rows_category": [{"min_rows_category": n} for n in (5, 20, 50, 200)],
}
OF_LIGHTGBM: Change = {**boosters.OF_LIGHTGBM, "n_estimators": 100, "learning_rate": 0.1}
ALTERNATIVES: dict[str, dict[str, list[Change]]] = {
    "Leafwise": {
        **SHARED,
        "rounds": [{"n_estimators": n} for n in (100, 200, 800)],
        "learning_rate": [
            {"learning_rate": 0.02, "n_estimators": 800},
            {"learning_rate": 0.1, "n_estimators": 160},
        ],
        "gamma": [{"gamma": 0.0}, *({"chance_gain": times} for times in (0.2, 0.5, 1.0))],
        "max_leaf_nodes": [{"max_leaf_nodes": n} for n in (15, 63)],
        "together": [
            # The defaults of LightGBM, and those before gamma="auto".
            {**OF_LIGHTGBM, "reg_lambda": 0.0},
            {**OF_LIGHTGBM, "reg_lambda": 1.0},
            {"gamma": 0.0, "n_estimators": 100, "learning_rate": 0.1},
        ],
    },
    "Newton": {
        **SHARED,
        "max_depth": [{"max_depth": n} for n in (4, 5, 8)],
        "learning_rate": [{"learning_rate": rate} for rate in (0.05, 0.2, 0.3)],
        "together": [{"reg_lambda": 5.0, "min_samples_leaf": 10}],
    },
}
#: Alternatives of these matter only where there are categories.
OF_CATEGORIES = OF_PLAN


def words(change: Change) -> str:
    """Return the name of an alternative."""
    return ", ".join(f"{name}={value:g}" for name, value in change.items()) or BASE


def changed(estimator: Any, change: Change) -> Any:
    """Return the estimator with parameters and attributes of the native plan set."""
    estimator.set_params(**{name: value for name, value in change.items() if name not in OF_PLAN})
    of_plan = {name: value for name, value in change.items() if name in OF_PLAN}
    inherited = estimator._plans

    def plans(rows: Any, seed: int) -> Plans:
        made: Plans = inherited(rows, seed)
        for name, value in of_plan.items():
            setattr(made.boost, name, value)
        return made

    if of_plan:
        estimator._plans = plans
    return estimator


def side_of(family: str, change: Change) -> Side:
    make = FAMILIES[family]
    return Side(
        f"{family}: {words(change)}",
        boosters.as_it_is,
        lambda task, settings, seed, x: changed(make(task, settings, seed, x), {**change, "n_jobs": 1}),
    )


#: One thread each: thousands of short fits, and nobody reads their times.
REFERENCE = Side(
    boosters.LIGHTGBM.name,
    boosters.LIGHTGBM.prepare,
    lambda *about: boosters.LIGHTGBM.make(*about).set_params(n_jobs=1),
)


def sides(has_categories: bool, only: Sequence[str]) -> Iterator[Side]:
    """Return LightGBM, and all alternatives that can matter to a table."""
    yield REFERENCE
    for family, groups in ALTERNATIVES.items():
        made = [{}, *(change for group in groups.values() for change in group)]
        for change in made:
            if has_categories or not change or change.keys() - OF_CATEGORIES:
                side = side_of(family, change)
                if not only or change == {} or any(word in side.name for word in only):
                    yield side


def measure(path: Path, rows: int, seeds: int, only: Sequence[str], tables: Sequence[str]) -> None:
    """Fit what the file does not have yet."""
    known = {(line["side"], line["table"], line["seed"], line["rows"]) for line in read(path)}
    for seed in range(seeds):
        for name, is_classes in real_tasks().items():
            if tables and name not in tables:
                continue
            task = CLASSES if is_classes else NUMBERS
            frame, y = real_features(name, rows)
            n_categories = sum(boosters.is_category(dtype) for dtype in frame.dtypes)
            scale = boosters.constant_loss(y, task)
            for side in sides(n_categories > 0, only):
                if (side.name, name, seed, rows) in known:
                    continue
                loss, seconds = examine(side, side.prepare(frame), y, task, seed)
                line = {"side": side.name, "table": name, "seed": seed, "rows": rows, "loss": loss}
                line.update(scale=scale, seconds=seconds, categories=n_categories)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            print(f"seed {seed}, {name}: done", file=sys.stderr, flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def relative(losses: pd.DataFrame, scale: pd.Series, reference: str) -> pd.DataFrame:
    """Return log(loss / reference's) by table and side.

    A hundredth of the constant's loss is added to both, so that tables that everybody predicts almost without
    errors do not decide alone.
    """
    padded = losses.add(0.01 * scale, axis=0)
    return np.log(padded.div(padded[reference], axis=0))


def report(path: Path, rows: int) -> str:
    """Return a table: each alternative against LightGBM and against the base."""
    lines = pd.DataFrame(read(path))
    lines = lines[lines["rows"] == rows]
    losses = lines.pivot_table(index="table", columns="side", values="loss")
    scale = lines.groupby("table")["scale"].first()
    has_categories = lines.groupby("table")["categories"].first() > 0
    reference = REFERENCE.name
    text = [f"{len(losses)} tables of at most {rows} rows, {lines['seed'].nunique()} seeds.", ""]
    for family, groups in ALTERNATIVES.items():
        base = f"{family}: {BASE}"
        text += [
            f"## {family}", "",
            "| alternative | tables | ÷ LightGBM's loss | better : worse than LightGBM | ÷ base | "
            "better : worse than base | worst table | rank |",
            "|---|---|---|---|---|---|---|---|",
        ]  # fmt: skip
        for name, group in {BASE: [], **groups}.items():
            members = [base, *(f"{family}: {words(change)}" for change in group)]
            members = [member for member in members if member in losses]
            if base not in members or (name != BASE and len(members) == 1):
                continue
            chosen = losses[has_categories] if name in OF_CATEGORIES else losses
            chosen = chosen[[reference, *members]].dropna()
            if chosen.empty:
                continue
            against, own = (relative(chosen, scale.loc[chosen.index], other) for other in (reference, base))
            ranks = np.mean([rankdata(row) for row in chosen[members].to_numpy().round(12)], axis=0)
            for member, rank in zip(members, ranks, strict=True):
                if member == base and name != BASE:
                    label = f"{name}: base"
                else:
                    label = member.split(": ", 1)[1]
                text.append(line_of(label, against[member], own[member], float(rank)))
        text.append("")
    return "\n".join(text)


def line_of(label: str, against: pd.Series, own: pd.Series, rank: float) -> str:
    cells = [label, len(against), f"{np.exp(against.mean()):.4f}"]
    cells += [f"{(against < 0).sum()} : {(against > 0).sum()}", f"{np.exp(own.mean()):.4f}"]
    cells += [f"{(own < -1e-3).sum()} : {(own > 1e-3).sum()}"]
    cells += [f"{own.idxmax()} {np.exp(own.max()):.3f}", f"{rank:.2f}"]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boosting_defaults", description=__doc__)
    parser.add_argument("results", type=Path, help="file with one JSON line per fit")
    parser.add_argument("--rows", type=int, default=8000, help="most rows of a table (8000)")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], help="part of an alternative's name")
    parser.add_argument("--table", action="append", default=[], help="one table; may be repeated")
    parser.add_argument("--report", action="store_true", help="fit nothing, print what is known")
    chosen = parser.parse_args(arguments)
    if not chosen.report:
        measure(chosen.results, chosen.rows, chosen.seeds, chosen.only, chosen.table)
    print(report(chosen.results, chosen.rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
