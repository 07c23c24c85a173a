"""XGBoost's models, imported: the same leaves, and every bit of raw scores, for rows at every threshold."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import treewright
from tests.imported.boundary_rows import boundary_rows
from tests.imported.tables import CATEGORIES, Rows, real_rows, synthetic_rows, target_for

xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")

OBJECTIVES = [
    "reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
    "reg:quantileerror", "reg:logistic", "binary:logistic", "binary:logitraw", "binary:hinge",
    "count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft", "multi:softmax",
    "multi:softprob", "rank:pairwise", "rank:ndcg", "rank:map",
]  # fmt: skip
BOOSTING: list[dict[str, Any]] = [
    {},
    {"booster": "dart", "rate_drop": 0.4},
    {"num_parallel_tree": 3, "subsample": 0.6, "learning_rate": 1},
    {"tree_method": "approx", "grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0},
    {"tree_method": "exact", "gamma": 1.0},
]
FEW = [
    ("reg:squarederror", BOOSTING[4], False),
    ("binary:logistic", BOOSTING[1], True),
    ("multi:softprob", BOOSTING[2], True),
    ("count:poisson", BOOSTING[3], False),
]


def matrix(X: NDArray[np.float64], categories: bool, **others: Any) -> Any:
    types = ["q"] * (X.shape[1] - 1) + ["c" if categories else "q"]
    return xgboost.DMatrix(X, feature_types=types, enable_categorical=True, nthread=1, **others)


def trained(rows: Rows, objective: str, options: dict[str, Any], categories: bool, weights: bool) -> Any:
    params = {
        "objective": objective,
        "nthread": 1,
        "max_depth": 4,
        "max_cat_to_onehot": 2,
        "seed": 1,
        **options,
    }
    if objective.startswith("multi"):
        params["num_class"] = 3
    if objective == "reg:quantileerror":
        params["quantile_alpha"] = 0.7
    n, y = len(rows.X), target_for(objective, rows.score)
    data = matrix(rows.X, categories)
    if objective == "survival:aft":
        data.set_float_info("label_lower_bound", y)
        data.set_float_info("label_upper_bound", y)
    else:
        data.set_label(y)
    if objective.startswith("rank"):
        data.set_group([n // 10] * 9 + [n - 9 * (n // 10)])
    elif weights:
        data.set_weight(np.random.default_rng(1).random(n) + 0.1)
    return xgboost.train(params, data, 4)


def thresholds_of(booster: Any) -> dict[int, NDArray[np.float64]]:
    found: dict[int, list[float]] = {}
    of_booster = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]
    for tree in of_booster.get("gbtree", of_booster)["model"]["trees"]:
        names = ("split_indices", "split_conditions", "left_children", "split_type")
        for feature, number, left, kind in zip(*(tree[name] for name in names), strict=True):
            if left >= 0 and not kind:
                found.setdefault(feature, []).append(number)
    return {feature: np.float32(values).astype(float) for feature, values in found.items()}


def compare(rows: Rows, booster: Any, categories: bool) -> Any:
    imported = treewright.from_xgboost(booster)
    odd = boundary_rows(thresholds_of(booster), rows.X.shape[1], infinite=False)
    if categories:
        odd[:, -1] = np.random.default_rng(2).choice([*range(CATEGORIES + 5), -1, np.nan], len(odd))
    X = np.vstack([rows.X, odd])
    data = matrix(X, categories)
    leaves = imported.apply(X)
    assert np.array_equal(leaves, booster.predict(data, pred_leaf=True).reshape(leaves.shape))
    assert np.array_equal(imported.raw_scores(X), booster.predict(data, output_margin=True).astype(float))
    theirs = booster.predict(data)
    ours = imported.predict_proba(X) if hasattr(imported, "predict_proba") else imported.predict(X)
    if ours.ndim > theirs.ndim:
        ours = ours[:, 1] if ours.shape[1] == 2 else ours.argmax(axis=1)
    assert np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))) <= 1e-5
    return imported


@pytest.mark.parametrize(("objective", "boosting", "categories"), FEW)
def test_a_few_models_have_the_same_leaves_and_scores(
    objective: str, boosting: dict[str, Any], categories: bool, tmp_path: Path
) -> None:
    rows = synthetic_rows()
    booster = trained(rows, objective, boosting, categories, weights=True)
    imported = compare(rows, booster, categories)
    for name in ("model.json", "model.ubj"):
        booster.save_model(tmp_path / name)
        again = treewright.from_xgboost(tmp_path / name)
        assert again.model_.trees.equals(imported.model_.trees)
        assert np.array_equal(again.raw_scores(rows.X), imported.raw_scores(rows.X))


@pytest.mark.formats
@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_models_of_every_objective_have_the_same_leaves_and_scores(objective: str) -> None:
    rows = synthetic_rows()
    for boosting, categories in itertools.product(BOOSTING, (False, True)):
        if not (categories and boosting.get("tree_method") == "exact"):
            compare(rows, trained(rows, objective, boosting, categories, True), categories)


@pytest.mark.formats
@pytest.mark.slow
@pytest.mark.parametrize("table", ["adult", "diamonds", "german_credit", "give_me_credit"])
def test_models_of_real_tables_have_the_same_leaves_and_scores(table: str) -> None:
    rows = real_rows(table)
    for objective, depth in itertools.product(
        ("reg:squarederror", "binary:logistic", "multi:softprob"), (2, 6, 10)
    ):
        compare(rows, trained(rows, objective, {"max_depth": depth}, True, False), True)


def test_names_and_categories_of_a_frame_are_kept() -> None:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    n = 300
    frame = pandas.DataFrame(
        {
            "size": random.normal(size=n),
            "city": pandas.Categorical(random.choice(["Rom", "Paris", "Oslo", "Bern"], n)),
            "grade": pandas.Categorical(random.integers(10, 40, n)),
        }
    )
    frame.loc[random.random(n) < 0.1, "city"] = np.nan
    good = (frame["size"] > 0) | (frame["city"] == "Rom") | (frame["grade"].astype(int) % 3 == 0)
    fitted = xgboost.XGBClassifier(n_estimators=5, n_jobs=1, enable_categorical=True, max_cat_to_onehot=1)
    fitted.fit(frame, good.astype(int))
    imported = treewright.from_xgboost(fitted)
    if imported.model_.schema.features[1].categories != ("Bern", "Oslo", "Paris", "Rom"):
        pytest.skip("before XGBoost 3.1 models keep no categories")
    shuffled = frame.sample(frac=1.0, random_state=0)
    assert np.array_equal(imported.apply(shuffled), fitted.apply(shuffled))
    assert np.allclose(imported.predict_proba(shuffled), fitted.predict_proba(shuffled), rtol=0, atol=1e-6)
    assert imported.feature_names_in_.tolist() == ["size", "city", "grade"]


def test_linear_boosters_vectors_and_several_targets_are_refused_by_name() -> None:
    rows = synthetic_rows()
    linear = xgboost.train(
        {"booster": "gblinear", "nthread": 1}, matrix(np.nan_to_num(rows.X), False, label=rows.score), 1
    )
    with pytest.raises(treewright.exceptions.UnsupportedModelError, match="gblinear"):
        treewright.from_xgboost(linear)
    both = np.column_stack([rows.score, -rows.score])
    for strategy in ("one_output_per_tree", "multi_output_tree"):
        several = xgboost.train(
            {"nthread": 1, "multi_strategy": strategy, "tree_method": "hist"},
            matrix(rows.X, False, label=both),
            1,
        )
        with pytest.raises(treewright.exceptions.UnsupportedModelError, match="several"):
            treewright.from_xgboost(several)


@pytest.mark.parametrize("several", [{}, {"booster": "dart", "rate_drop": 0.3}, {"num_parallel_tree": 2}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_after_early_stopping_rounds_end_where_predict_ends(
    several: dict[str, Any], n_classes: int, tmp_path: Path
) -> None:
    rows = synthetic_rows(300)
    y = np.digitize(rows.score, [0.0] if n_classes == 2 else [-0.5, 0.5])
    y[:100] = (y[:100] + 1) % n_classes  # what was learned there does not hold for the others
    fitted = xgboost.XGBClassifier(
        n_estimators=60, early_stopping_rounds=4, learning_rate=0.7, n_jobs=1, random_state=0, **several
    )
    fitted.fit(rows.X[:200], y[:200], eval_set=[(rows.X[200:], y[200:])], verbose=False)
    n_rounds = fitted.get_booster().num_boosted_rounds()
    assert fitted.best_iteration + 1 < n_rounds
    fitted.save_model(tmp_path / "estimator.json")
    loaded = xgboost.XGBClassifier()
    loaded.load_model(tmp_path / "estimator.json")
    theirs = fitted.predict(rows.X, output_margin=True)
    for model in (fitted, tmp_path / "estimator.json", loaded):
        np.testing.assert_array_equal(treewright.from_xgboost(model).raw_scores(rows.X), theirs)
    booster = fitted.get_booster()
    booster.save_model(tmp_path / "booster.json")
    theirs = booster.predict(xgboost.DMatrix(rows.X), output_margin=True)
    for model in (booster, tmp_path / "booster.json"):
        np.testing.assert_array_equal(treewright.from_xgboost(model).raw_scores(rows.X), theirs)


def test_a_best_round_that_is_no_round_is_refused(tmp_path: Path) -> None:
    stored = json.loads((Path(__file__).parent / "files" / "xgboost.json").read_text("utf-8"))
    for best in ("x", -1, [], "1.5"):
        stored["learner"]["attributes"] = {"best_iteration": best, "scikit_learn": "{}"}
        (tmp_path / "odd.json").write_text(json.dumps(stored), "utf-8")
        with pytest.raises(treewright.exceptions.ModelFileError, match="best_iteration"):
            treewright.from_xgboost(tmp_path / "odd.json")
