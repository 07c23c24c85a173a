"""Contests of Shapley values: the same trees explained by us and by LightGBM, XGBoost, shap and WOODELF.

Peers that take minutes explain fewer rows; times are per row, processor time of all threads.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import treewright
from benchmarks.boosters import library
from benchmarks.contest import Times, take_turns
from benchmarks.outcome import Contest, Outcome, Size
from benchmarks.peer_trees import lightgbm_attributions, xgboost_attributions
from benchmarks.peers import N_JOBS

N_FEATURES = 28
TURNS = 3


@cache
def rows(n: int) -> tuple[Any, Any, Any]:
    """Return rows, two classes and seven classes."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, N_FEATURES)).astype(np.float32)
    score = x[:, 0] * x[:, 1] + np.abs(x[:, 2]) + x[:, 3:10].sum(axis=1) + rng.standard_normal(n)
    seven = np.digitize(score, np.quantile(score, np.arange(1, 7) / 7))
    return x, (score > np.median(score)).astype(int), seven


def per_row(times: Times, n: int) -> float:
    """Return microseconds of processor time for a row."""
    return times.cpu / n * 1e6


def compared(
    size: Size,
    work: str,
    target: float,
    ours: tuple[Callable[[], Any], int],
    theirs: tuple[Callable[[], Any], int],
    gap: Callable[[Any, Any], float],
    peer: str,
) -> Outcome:
    """Let both sides work in turns; the value is the ratio of processor time per row."""
    (own, own_result), (other, other_result) = take_turns((ours[0], theirs[0]), turns=size.repeats(TURNS))
    own_row, other_row = per_row(own, ours[1]), per_row(other, theirs[1])
    return Outcome(
        work=f"{work}, against {peer}",
        value=own_row / other_row,
        target=target,
        ours={**own.facts(), "side": "ours"},
        theirs={**other.facts(), "side": peer},
        notes=[
            f"{own_row:.4g} µs a row ({ours[1]} rows) and {other_row:.4g} µs ({theirs[1]} rows), all threads",
            f"values differ by at most {gap(own_result, other_result):.1g}",
        ],
    )


def lightgbm_contest(n_classes: int, target: float) -> Callable[[Size], Outcome]:
    """Return the contest with LightGBM's pred_contrib."""

    def measure(size: Size) -> Outcome:
        lightgbm = library("lightgbm", "lightgbm")
        n = size.rows(20_000)
        x, two, seven = rows(n)
        settings: dict[str, Any] = {"num_leaves": 63, "verbose": -1, "num_threads": N_JOBS}
        goal = {"objective": "binary"} if n_classes == 2 else {"objective": "multiclass", "num_class": 7}
        rounds = 5 if size.quick else 100 if n_classes == 2 else 15
        data = lightgbm.Dataset(x, two if n_classes == 2 else seven)
        booster = lightgbm.train({**settings, **goal}, data, rounds)
        engine = lightgbm_attributions(booster, N_FEATURES)
        few = min(n, 500)

        def gap(own: Any, other: Any) -> float:
            k = 1 if n_classes == 2 else 7
            own = own.reshape(n, N_FEATURES, k)[:few].transpose(0, 2, 1)
            return float(np.abs(own - other.reshape(few, k, N_FEATURES + 1)[:, :, :-1]).max())

        return compared(
            size,
            f"values, {rounds} rounds × 63 leaves, {n_classes} classes",
            target,
            (lambda: engine.values(x, N_JOBS), n),
            (lambda: booster.predict(x[:few], pred_contrib=True), few),
            gap,
            "LightGBM pred_contrib",
        )

    return measure


def xgboost_booster(size: Size) -> tuple[Any, Any, Any]:
    """Return the library, rows and a booster of 100 rounds."""
    xgboost = library("xgboost", "xgboost")
    x, two, _ = rows(size.rows(20_000))
    settings = {
        "objective": "binary:logistic",
        "grow_policy": "lossguide",
        "max_leaves": 63,
        "max_depth": 0,
        "tree_method": "hist",
        "nthread": N_JOBS,
    }
    return xgboost, x, xgboost.train(settings, xgboost.DMatrix(x, two), 5 if size.quick else 100)


def measure_xgboost(size: Size) -> Outcome:
    """Explain values of the same trees as XGBoost."""
    xgboost, x, booster = xgboost_booster(size)
    engine, few = xgboost_attributions(booster, N_FEATURES), min(len(x), 500)
    some = xgboost.DMatrix(x[:few])
    return compared(
        size,
        "values, 63 leaves, 2 classes",
        0.5,
        (lambda: engine.values(x, N_JOBS), len(x)),
        (lambda: booster.predict(some, pred_contribs=True), few),
        lambda own, other: float(np.abs(own[:few] - other[:, :-1]).max()),
        "XGBoost pred_contribs",
    )


def measure_interactions(size: Size) -> Outcome:
    """Explain interactions of the same trees as XGBoost."""
    xgboost, x, booster = xgboost_booster(size)
    engine, few, n = xgboost_attributions(booster, N_FEATURES), 10, size.rows(2000)
    some = xgboost.DMatrix(x[:few])
    return compared(
        size,
        "interactions, 63 leaves, 2 classes",
        0.2,
        (lambda: engine.interactions(x[:n], N_JOBS), n),
        (lambda: booster.predict(some, pred_interactions=True), few),
        lambda own, other: float(
            np.abs(own[:few].reshape(few, N_FEATURES, N_FEATURES) - other[:, :-1, :-1]).max()
        ),
        "XGBoost pred_interactions",
    )


def measure_forest(size: Size) -> Outcome:
    """Explain a forest of depth 20 that scikit-learn has grown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shap = library("shap", "shap")
    x, two, _ = rows(size.rows(20_000))
    n_trees = 5 if size.quick else 50
    peer = RandomForestClassifier(n_trees, max_depth=20, random_state=0, n_jobs=N_JOBS).fit(x, two)
    own = treewright.from_sklearn(peer).set_params(n_jobs=N_JOBS)
    explainer, few, n = shap.TreeExplainer(peer), 4, 200
    return compared(
        size,
        "values, 50 trees of depth 20, 2 classes",
        0.05,
        (lambda: own.shap(x[:n]).values, n),
        (lambda: explainer.shap_values(x[:few], check_additivity=False), few),
        lambda own, other: float(np.abs(own[:few] - other).max()),
        "shap.TreeExplainer",
    )


def measure_background(size: Size) -> Outcome:
    """Explain 10 000 rows against 1 000 rows of a background."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shap = library("shap", "shap")
    _, x, booster = xgboost_booster(size)
    engine, n = xgboost_attributions(booster, N_FEATURES), size.rows(10_000)
    others, few = x[: size.rows(1000)], 4
    # Given rows alone it would take 100 of them.
    explainer = shap.TreeExplainer(booster, shap.maskers.Independent(others, max_samples=len(others)))
    return compared(
        size,
        f"values of {n} rows against {len(others)} rows",
        0.1,
        (lambda: engine.values(x[:n], N_JOBS, engine.background(others, N_JOBS)), n),
        (lambda: explainer.shap_values(x[:few], check_additivity=False), few),
        lambda own, other: float(np.abs(own[:few] - other).max()),
        "shap.TreeExplainer",
    )


def measure_woodelf(size: Size) -> Outcome:
    """Explain against a background beside WOODELF, which also counts patterns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        woodelf = library("woodelf", "woodelf-explainer")
    pandas = library("pandas", "pandas")
    xgboost = library("xgboost", "xgboost")
    x, two, _ = rows(size.rows(20_000))
    settings = {"objective": "binary:logistic", "max_depth": 6, "nthread": N_JOBS}
    names = [f"f{i}" for i in range(N_FEATURES)]
    frame = pandas.DataFrame(x, columns=names)
    booster = xgboost.train(settings, xgboost.DMatrix(x, two), 5 if size.quick else 100)
    engine, n = xgboost_attributions(booster, N_FEATURES), size.rows(10_000)
    others = frame[: size.rows(1000)]
    return compared(
        size,
        f"values of {n} rows against {len(others)} rows, trees of depth 6",
        1.0,
        (lambda: engine.values(x[:n], N_JOBS, engine.background(x[: len(others)], N_JOBS)), n),
        (lambda: woodelf.WoodelfExplainer(booster, others).shap_values(frame[:n], verbose=False), n),
        lambda own, other: float(np.abs(own - np.asarray(other)).max()),
        "woodelf-explainer",
    )


def measure_one_row(size: Size) -> Outcome:
    """Explain one row at a time by the public method."""
    x, two, _ = rows(size.rows(20_000))
    booster = treewright.LeafwiseBoostingClassifier(
        n_estimators=5 if size.quick else 100, max_leaf_nodes=31, n_jobs=N_JOBS
    ).fit(x, two)
    row = x[:1].astype(np.float64)
    for _ in range(100):
        booster.shap(row)  # makes what is made on first use
    best = np.inf
    for _ in range(size.repeats(50)):
        begin = time.process_time()
        for _ in range(20):
            booster.shap(row)
        best = min(best, (time.process_time() - begin) / 20)
    return Outcome(
        work="one row by shap(row), 100 rounds × 31 leaves",
        measure="µs",
        value=best * 1e6,
        target=200.0,
        ours={"wall": best, "cpu": best, "side": "ours"},
        notes=["processor time"],
    )


CONTESTS = (
    Contest("shap-lightgbm", "values beside LightGBM's", lightgbm_contest(2, 0.15)),
    Contest("shap-lightgbm-seven", "values of seven classes beside LightGBM's", lightgbm_contest(7, 0.2)),
    Contest("shap-xgboost", "values beside XGBoost's", measure_xgboost),
    Contest("shap-forest", "a forest of depth 20 beside shap", measure_forest),
    Contest("shap-interactions", "interactions beside XGBoost's", measure_interactions),
    Contest("shap-background", "against a background beside shap", measure_background),
    Contest("shap-woodelf", "against a background beside WOODELF", measure_woodelf),
    Contest("shap-one", "one row by the public method", measure_one_row),
)
