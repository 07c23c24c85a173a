"""What target statistics do on tables with columns of many categories, beside LightGBM and CatBoost.

``python -m benchmarks.many_categories`` goes on where it was stopped: losses are kept by table, seed, method.
Columns are shuffled by the seed; the loss is that of rows held out, log loss or RMSE. The rules were chosen
on the tables of the first half and are confirmed on those of the second.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import log_loss

import treewright
from benchmarks.datasets import FOLDER

RESULTS = Path(__file__).resolve().parent / "results" / "many_categories"
MAX_ROWS = 12_000
SEEDS = 3
#: Seeds of peers that take long.
PEER_SEEDS = {"CatBoost": 1}
#: More categories than this are many.
MANY = 50

Table = tuple[pd.DataFrame, NDArray[Any], bool]


def real(name: str, n_rows: int, seed: int, *, without: tuple[str, ...] = ()) -> Table:
    """Return features, target and whether it is a class, of a random part of a real table."""
    about = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    frame = pd.read_parquet(FOLDER / f"{name}.parquet")
    frame = frame.sample(min(len(frame), n_rows), random_state=seed).reset_index(drop=True)
    is_class = about["task"] != "regression"
    target = frame[about["target"]]
    y = pd.factorize(target, sort=True)[0] if is_class else target.to_numpy(dtype=np.float64)
    features = [
        column
        for column, facts in about["columns"].items()
        if facts["kind"] in ("numeric", "categorical") and column not in without and column in frame
    ]
    return frame[features], y, is_class


def joined(table: Table, name: str, columns: list[Any], *, keep: bool = True) -> Table:
    """Return a table with one more column of categories, made of others."""
    frame, y, is_class = table
    parts = [column if isinstance(column, pd.Series) else frame[column] for column in columns]
    label = parts[0].astype(str)
    for part in parts[1:]:
        label = label + " / " + part.astype(str)
    frame = frame.assign(**{name: label})
    used = [column for column in columns if isinstance(column, str)]
    return (frame if keep else frame.drop(columns=used)), y, is_class


def california(n_rows: int, seed: int) -> Table:
    """Return houses with a cell of a tenth of a degree in place of their coordinates."""
    frame, y, is_class = real("california_housing", n_rows, seed)
    place = [column for column in frame if column.lower() in ("latitude", "longitude")]
    cells = [(frame[column] * 10).round().astype(int) for column in place]
    return joined((frame.drop(columns=place), y, is_class), "cell", cells)


def made(n_rows: int, seed: int) -> Table:
    """Return two columns of 1 000 and 3 000 categories with effects of their own, and four numbers."""
    effects, random = np.random.default_rng(5), np.random.default_rng(seed)
    a, b = random.integers(0, 1000, n_rows), random.integers(0, 3000, n_rows)
    x = random.normal(size=(n_rows, 4))
    of_a, of_b = effects.normal(size=1000), effects.normal(size=3000) * 0.7
    y = (
        0.6 * (of_a[a] + of_b[b])
        + np.sin(x[:, 0])
        + 0.5 * x[:, 1] * (of_a[a] > 0)
        + random.normal(size=n_rows)
    )
    frame = pd.DataFrame(x, columns=list("pqrs"))
    return frame.assign(a=[f"a{i}" for i in a], b=[f"b{i}" for i in b]), y, False


TABLES: dict[str, tuple[str, Callable[[int, int], Table]]] = {
    "amazon_access": ("first", lambda n, s: real("amazon_access", n, s)),
    "titanic": ("first", lambda n, s: real("titanic", n, s)),
    "california cells": ("first", california),
    "two made columns": ("first", made),
    "flights_3m": ("first", lambda n, s: real("flights_3m", n, s, without=("delay",))),
    "nycflights": ("second", lambda n, s: real("nycflights", n, s)),
    "nycflights before departure": (
        "second",
        lambda n, s: real("nycflights", n, s, without=("dep_time", "dep_delay")),
    ),
    "census_income_kdd": ("second", lambda n, s: real("census_income_kdd", n, s)),
    "kddcup99": ("second", lambda n, s: real("kddcup99_10pct", n, s)),
    "adult groups": (
        "second",
        lambda n, s: joined(real("adult", n, s), "group", ["native-country", "education", "occupation"]),
    ),
    "diamonds lots": (
        "second",
        lambda n, s: joined(real("diamonds", n, s), "lot", ["cut", "color", "clarity"], keep=False),
    ),
}


def ours(name: str, statistics: Any) -> Callable[[bool, int], Any]:
    """Return a maker of one of our estimators."""

    def make(is_class: bool, seed: int) -> Any:
        kind = getattr(treewright, f"{name}{'Classifier' if is_class else 'Regressor'}")
        return kind(target_statistics=statistics, n_jobs=1, random_state=seed)

    return make


def lightgbm(is_class: bool, seed: int) -> Any:
    """Return LightGBM at its defaults."""
    import lightgbm as peer  # noqa: PLC0415 - a peer that need not be there

    kind = peer.LGBMClassifier if is_class else peer.LGBMRegressor
    return kind(n_jobs=1, random_state=seed, verbose=-1)


def catboost(is_class: bool, seed: int) -> Any:
    """Return CatBoost at its defaults."""
    import catboost as peer  # noqa: PLC0415 - a peer that need not be there

    kind = peer.CatBoostClassifier if is_class else peer.CatBoostRegressor
    return kind(thread_count=1, random_seed=seed, verbose=False, allow_writing_files=False)


METHODS: dict[str, Callable[[bool, int], Any]] = {
    "leaf-wise, off": ours("LeafwiseBoosting", False),
    "leaf-wise, on": ours("LeafwiseBoosting", True),
    "leaf-wise, auto": ours("LeafwiseBoosting", "auto"),
    "Newton, off": ours("NewtonBoosting", False),
    "Newton, on": ours("NewtonBoosting", True),
    "Newton, auto": ours("NewtonBoosting", "auto"),
    "forest, off": ours("RandomForest", False),
    "forest, on": ours("RandomForest", True),
    "forest, auto": ours("RandomForest", "auto"),
    "LightGBM": lightgbm,
    "CatBoost": catboost,
}


def divided(table: Table, seed: int) -> tuple[Any, ...]:
    """Return rows to learn from and rows held out, with shuffled columns."""
    frame, y, is_class = table
    random = np.random.default_rng(seed)
    frame = frame[list(random.permutation(frame.columns))]
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame = frame.assign(**{column: frame[column].astype(str).where(frame[column].notna())})
    order = random.permutation(len(frame))
    n = min(MAX_ROWS, int(0.6 * len(frame)))
    learned, held = order[:n], order[n : n + MAX_ROWS]
    if is_class:
        held = held[np.isin(y[held], y[learned])]
    return frame.iloc[learned], y[learned], frame.iloc[held], y[held], is_class


def loss_of(method: str, rows: tuple[Any, ...], seed: int) -> tuple[float, float]:
    """Return the loss of rows held out, and the processor's seconds of the fit."""
    X, y, X_held, y_held, is_class = rows
    estimator = METHODS[method](is_class, seed)
    texts = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    options: dict[str, Any] = {}
    if method == "CatBoost":
        X, X_held = (part.fillna(dict.fromkeys(texts, "missing")) for part in (X, X_held))
        options = {"cat_features": texts}
    else:
        kinds = {column: pd.CategoricalDtype(sorted(X[column].dropna().unique())) for column in texts}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # categories that only rows held out have are missing there
            X, X_held = X.astype(kinds), X_held.astype(kinds)
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y, **options)
        seconds = time.process_time() - begin
        if not is_class:
            return float(np.sqrt(np.mean((np.asarray(estimator.predict(X_held)) - y_held) ** 2))), seconds
        shares = np.clip(estimator.predict_proba(X_held), 1e-15, 1.0)
        return float(
            log_loss(y_held, shares / shares.sum(axis=1, keepdims=True), labels=estimator.classes_)
        ), seconds


def run(tables: list[str], methods: list[str], seeds: int) -> None:
    """Compute what is not known yet."""
    path = RESULTS.with_suffix(".json")
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for seed in range(seeds):
        for name in tables:
            rows = None
            for method in methods:
                key = f"{name} | {seed} | {method}"
                if key in known or seed >= PEER_SEEDS.get(method, seeds) or not _is_there(method):
                    continue
                if rows is None:
                    rows = divided(TABLES[name][1](2 * MAX_ROWS, seed), seed)
                loss, seconds = loss_of(method, rows, seed)
                known[key] = {"loss": loss, "seconds": round(seconds, 2)}
                path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text(page(known), encoding="utf-8")


def _is_there(method: str) -> bool:
    return method not in ("LightGBM", "CatBoost") or importlib.util.find_spec(method.lower()) is not None


def page(known: dict[str, Any]) -> str:
    """Return the page of results."""
    lines = [
        "# Columns of many categories",
        "",
        f"Loss on rows held out (log loss or RMSE), defaults, up to {MAX_ROWS} rows, mean over up to",
        f"{SEEDS} seeds (CatBoost: 1; the JSON file has all). Off, on, auto: `target_statistics`. Columns",
        "are shuffled by the seed. The rules were chosen on the first half of the tables.",
        "",
        f"| table | half | {' | '.join(METHODS)} |",
        f"|---|---|{'---:|' * len(METHODS)}",
    ]
    for name, (half, _) in TABLES.items():
        cells = []
        for method in METHODS:
            found = [entry["loss"] for key, entry in known.items() if _parts(key) == (name, method)]
            cells.append(f"{np.mean(found):.5g}" if found else "–")
        if set(cells) == {"–"}:
            continue
        lines.append(f"| {name} | {half} | {' | '.join(cells)} |")
    lines += ["", "Loss with statistics ÷ loss without, geometric mean over tables and seeds:", ""]
    lines += [
        "| | on, first half | auto, first half | on, second half | auto, second half |",
        "|---|---:|---:|---:|---:|",
    ]
    for family in ("leaf-wise", "Newton", "forest"):
        cells = [
            _ratio(known, half, f"{family}, {how}", f"{family}, off")
            for half in ("first", "second")
            for how in ("on", "auto")
        ]
        lines.append(f"| {family} | {' | '.join(cells)} |")
    lines += ["", "Leaf-wise, auto ÷ the peer, on the seeds that both have:", ""]
    lines += ["| table | LightGBM | CatBoost |", "|---|---:|---:|"]
    for name in TABLES:
        cells = [_ratio(known, "", "leaf-wise, auto", peer, name) for peer in ("LightGBM", "CatBoost")]
        if set(cells) != {"–"}:
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _parts(key: str) -> tuple[str, str]:
    name, _, method = key.split(" | ")
    return name, method


def _ratio(known: dict[str, Any], half: str, method: str, other: str, table: str = "") -> str:
    found = [
        np.log(entry["loss"] / known[key.replace(method, other)]["loss"])
        for key, entry in known.items()
        if _parts(key)[1] == method
        and (TABLES[_parts(key)[0]][0] == half or _parts(key)[0] == table)
        and key.replace(method, other) in known
    ]
    return f"{np.exp(np.mean(found)):.3f}" if found else "–"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    chosen = parser.parse_args()
    run(chosen.tables, chosen.methods, chosen.seeds)
