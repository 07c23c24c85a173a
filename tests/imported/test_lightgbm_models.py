"""LightGBM's models, imported: every leaf the same, raw scores within 1e-12, for rows at every threshold."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import treewright
from tests.imported.boundary_rows import boundary_rows
from tests.imported.tables import CATEGORIES, Rows, real_rows, synthetic_rows, target_for

lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")

OBJECTIVES = [
    "regression", "regression_l1", "huber", "fair", "quantile", "mape", "poisson", "gamma", "tweedie",
    "binary", "multiclass", "multiclassova", "cross_entropy", "cross_entropy_lambda",
    "lambdarank", "rank_xendcg",
]  # fmt: skip
MISSING: list[dict[str, Any]] = [{}, {"use_missing": False}, {"zero_as_missing": True}]
BOOSTING: list[dict[str, Any]] = [
    {"num_leaves": 15},
    {"boosting": "dart", "sigmoid": 0.7, "max_depth": 3},
    {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
]
FEW = [
    ("regression", MISSING[0], BOOSTING[0], True),
    ("binary", MISSING[2], BOOSTING[1], True),
    ("multiclassova", MISSING[1], BOOSTING[0], False),
    ("poisson", MISSING[2], BOOSTING[2], False),
]
RANKING = ("lambdarank", "rank_xendcg")


def trained(rows: Rows, objective: str, options: dict[str, Any], categories: bool, weights: bool) -> Any:
    params = {"objective": objective, "verbose": -1, "num_threads": 1, "min_data_in_leaf": 5, **options}
    if objective.startswith("multiclass"):
        params["num_class"] = 3
    n = len(rows.X)
    data = lightgbm.Dataset(
        rows.X,
        target_for(objective, rows.score),
        weight=np.random.default_rng(1).random(n) + 0.1 if weights else None,
        group=[n // 10] * 9 + [n - 9 * (n // 10)] if objective in RANKING else None,
        categorical_feature=[rows.last] if categories else [],
        params=params,
    )
    return lightgbm.train(params, data, 6)


def thresholds_of(booster: Any) -> dict[int, NDArray[np.float64]]:
    found: dict[int, list[float]] = {}
    for block in booster.model_to_string().split("\nTree=")[1:]:
        lines = dict(line.partition("=")[::2] for line in block.split("\n"))
        if "split_feature" in lines:
            names = ("split_feature", "threshold", "decision_type")
            for feature, threshold, kind in zip(*(lines[name].split() for name in names), strict=True):
                if not int(kind) & 1:
                    found.setdefault(int(feature), []).append(float(threshold))
    return {feature: np.array(values) for feature, values in found.items()}


def compare(rows: Rows, booster: Any, categories: bool, rounds: int = 1) -> Any:
    """Import and compare; `rounds`: what LightGBM's raw score of a forest has to be divided by."""
    imported = treewright.from_lightgbm(booster)
    odd = boundary_rows(thresholds_of(booster), rows.X.shape[1])
    if categories:
        random = np.random.default_rng(2)
        odd[:, -1] = random.choice([*range(CATEGORIES + 5), -1, np.nan], len(odd))
    X = np.vstack([rows.X, odd])
    leaves = imported.apply(X)
    assert np.array_equal(leaves, booster.predict(X, pred_leaf=True).reshape(leaves.shape))
    raw = booster.predict(X, raw_score=True) / rounds
    assert np.max(np.abs(imported.raw_scores(X) - raw)) <= 1e-12 * max(1.0, np.abs(raw).max())
    theirs = booster.predict(X)
    ours = imported.predict_proba(X) if hasattr(imported, "predict_proba") else imported.predict(X)
    if ours.ndim > theirs.ndim:
        ours = ours[:, 1]
    assert np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))) <= 1e-12
    return imported


@pytest.mark.parametrize(("objective", "missing", "boosting", "categories"), FEW)
def test_a_few_models_have_the_same_leaves_and_scores(
    objective: str, missing: dict[str, Any], boosting: dict[str, Any], categories: bool
) -> None:
    rows = synthetic_rows()
    booster = trained(rows, objective, {**missing, **boosting}, categories, weights=True)
    compare(rows, booster, categories, 6 if boosting.get("boosting") == "rf" else 1)


@pytest.mark.formats
@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_models_of_every_objective_have_the_same_leaves_and_scores(objective: str) -> None:
    rows = synthetic_rows()
    for missing, boosting, categories in itertools.product(MISSING, BOOSTING, (False, True)):
        is_forest = boosting.get("boosting") == "rf"
        if is_forest and objective in RANKING:
            continue
        booster = trained(rows, objective, {**missing, **boosting}, categories, weights=not is_forest)
        compare(rows, booster, categories, 6 if is_forest else 1)


@pytest.mark.formats
@pytest.mark.slow
@pytest.mark.parametrize("table", ["adult", "diamonds", "german_credit", "give_me_credit"])
def test_models_of_real_tables_have_the_same_leaves_and_scores(table: str) -> None:
    rows = real_rows(table)
    for objective, missing in itertools.product(("regression", "binary", "multiclass"), MISSING):
        compare(rows, trained(rows, objective, {**missing, "num_leaves": 31}, True, False), True)


def test_roots_of_the_target_are_squared_again() -> None:
    rows = synthetic_rows()
    booster = trained(rows, "regression", {"reg_sqrt": True}, False, False)
    assert compare(rows, booster, False).model_.facts["link"] == "square"


def test_estimators_keep_labels_names_and_categories() -> None:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    n = 300
    frame = pandas.DataFrame(
        {
            "two words": random.normal(size=n),
            "city": pandas.Categorical(random.choice(["Rom", "Paris", "Köln", "Bern"], n)),
            "grade": pandas.Categorical(random.integers(10, 40, n)),
        }
    )
    frame.loc[random.random(n) < 0.1, "city"] = np.nan
    good = (frame["two words"] > 0) | (frame["city"] == "Rom") | (frame["grade"].astype(int) % 3 == 0)
    fitted = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1, min_child_samples=5)
    fitted.fit(frame, np.where(good, "yes", "no"))
    imported = treewright.from_lightgbm(fitted, feature_names=list(frame.columns))
    rows = frame.copy()
    rows["city"] = pandas.Categorical(random.choice(["Rom", "Paris", "Köln", "Bern", "Kiel"], n))
    assert np.array_equal(imported.apply(rows), fitted.predict(rows, pred_leaf=True))
    assert np.allclose(imported.predict_proba(rows), fitted.predict_proba(rows), rtol=0, atol=1e-12)
    assert np.array_equal(imported.predict(rows), fitted.predict(rows))
    assert imported.classes_.tolist() == ["no", "yes"]
    assert imported.model_.schema.features[1].categories == ("Bern", "Köln", "Paris", "Rom")


def test_linear_leaves_are_refused_by_name() -> None:
    rows = synthetic_rows()
    booster = trained(rows, "regression", {"linear_tree": True}, False, False)
    with pytest.raises(treewright.exceptions.UnsupportedModelError, match="linear leaves"):
        treewright.from_lightgbm(booster)


def test_attributions_are_those_of_lightgbm() -> None:
    rows = synthetic_rows()
    booster = trained(rows, "binary", {"num_leaves": 7}, True, False)
    imported = treewright.from_lightgbm(booster)
    theirs = booster.predict(rows.X[:50], pred_contrib=True)
    ours = imported.shap(rows.X[:50])
    assert np.allclose(np.asarray(ours.values).reshape(50, -1), theirs[:, :-1], rtol=0, atol=1e-9)
