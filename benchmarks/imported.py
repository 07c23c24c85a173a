"""Contests of prediction: models of other libraries, imported, against the libraries that fitted them.

Both predict the same rows with one thread in turns; the value is the ratio of processor time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import treewright
from benchmarks.boosters import library
from benchmarks.contest import take_turns
from benchmarks.outcome import Contest, Outcome, Size

N_FEATURES = 28
TURNS = 5
ROUNDS = 300


@cache
def rows(n: int) -> tuple[Any, Any]:
    """Return rows and two classes."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, N_FEATURES)).astype(np.float32)
    score = x[:, 0] * x[:, 1] + np.abs(x[:, 2]) + x[:, 3:10].sum(axis=1) + rng.standard_normal(n)
    return x, (score > np.median(score)).astype(int)


def compared(size: Size, ours: Any, theirs: Callable[[Any], Any], peer: str, work: str) -> Outcome:
    """Let both sides predict in turns."""
    x, _ = rows(size.rows(100_000))
    (own, own_result), (other, other_result) = take_turns(
        (lambda: ours.predict_proba(x), lambda: theirs(x)), turns=size.repeats(TURNS)
    )
    gap = float(np.abs(own_result[:, 1] - np.asarray(other_result).reshape(len(x), -1)[:, -1]).max())
    return Outcome(
        work=f"{len(x)} rows, {work}, imported, against {peer}",
        value=own.cpu / other.cpu,
        target=1.0,
        ours={**own.facts(), "side": "ours"},
        theirs={**other.facts(), "side": peer},
        notes=[f"probabilities differ by at most {gap:.1g}; one thread each, ratio of processor time"],
    )


def measure_lightgbm(size: Size) -> Outcome:
    """Predict with LightGBM's trees."""
    lightgbm = library("lightgbm", "lightgbm")
    x, y = rows(size.rows(100_000))
    n = 5 if size.quick else ROUNDS
    settings = {"objective": "binary", "num_leaves": 31, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(x[:20_000], y[:20_000]), n)
    ours = treewright.from_lightgbm(booster).set_params(n_jobs=1)
    return compared(size, ours, booster.predict, "LightGBM", f"{n} trees × 31 leaves")


def measure_xgboost(size: Size) -> Outcome:
    """Predict with XGBoost's trees."""
    xgboost = library("xgboost", "xgboost")
    x, y = rows(size.rows(100_000))
    n = 5 if size.quick else ROUNDS
    settings = {"objective": "binary:logistic", "max_depth": 6, "nthread": 1}
    booster = xgboost.train(settings, xgboost.DMatrix(x[:20_000], y[:20_000]), n)
    ours = treewright.from_xgboost(booster).set_params(n_jobs=1)
    return compared(size, ours, booster.inplace_predict, "XGBoost", f"{n} trees of depth 6")


def measure_catboost(size: Size) -> Outcome:
    """Predict with CatBoost's symmetric trees."""
    catboost = library("catboost", "catboost")
    x, y = rows(size.rows(100_000))
    n = 5 if size.quick else ROUNDS
    peer = catboost.CatBoostClassifier(
        iterations=n, depth=6, verbose=0, thread_count=1, allow_writing_files=False
    )
    peer.fit(x[:20_000], y[:20_000])
    ours = treewright.from_catboost(peer).set_params(n_jobs=1)
    ask = lambda rows: peer.predict_proba(rows, thread_count=1)  # noqa: E731
    return compared(size, ours, ask, "CatBoost", f"{n} symmetric trees of depth 6")


def measure_forest(size: Size) -> Outcome:
    """Predict with a forest of scikit-learn."""
    x, y = rows(size.rows(100_000))
    n = 5 if size.quick else 100
    peer = RandomForestClassifier(n, random_state=0, n_jobs=1).fit(x[:20_000], y[:20_000])
    ours = treewright.from_sklearn(peer).set_params(n_jobs=1)
    return compared(size, ours, peer.predict_proba, "scikit-learn", f"forest of {n} full trees")


def measure_histogram(size: Size) -> Outcome:
    """Predict with scikit-learn's histogram booster."""
    x, y = rows(size.rows(100_000))
    n = 5 if size.quick else ROUNDS
    peer = HistGradientBoostingClassifier(max_iter=n, early_stopping=False).fit(x[:20_000], y[:20_000])
    ours = treewright.from_sklearn(peer).set_params(n_jobs=1)
    return compared(size, ours, peer.predict_proba, "scikit-learn", f"HistGradientBoosting, {n} trees")


CONTESTS = (
    Contest("imported-lightgbm", "predict, LightGBM's trees", measure_lightgbm),
    Contest("imported-xgboost", "predict, XGBoost's trees", measure_xgboost),
    Contest("imported-catboost", "predict, CatBoost's trees", measure_catboost),
    Contest("imported-forest", "predict, scikit-learn's forest", measure_forest),
    Contest("imported-histogram", "predict, scikit-learn's histogram booster", measure_histogram),
)
