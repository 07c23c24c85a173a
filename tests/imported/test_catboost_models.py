"""CatBoost's models, imported: every leaf the same, raw scores within 1e-12, for rows at every border."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import treewright
from tests.imported.boundary_rows import boundary_rows
from tests.imported.tables import synthetic_rows
from treewright.imported.catboost_hash import category_hash
from treewright.model.forest_arrays import FOREST_SUBSET

catboost = pytest.importorskip("catboost", reason="CatBoost is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")

LOSSES = [
    "RMSE", "MAE", "Quantile:alpha=0.7", "Poisson", "Tweedie:variance_power=1.5", "Logloss", "CrossEntropy",
    "MultiClass", "MultiClassOneVsAll", "Huber:delta=1.0", "LogCosh", "MAPE",
]  # fmt: skip
POLICIES = ("SymmetricTree", "Depthwise", "Lossguide")
USUAL = {"iterations": 4, "depth": 4, "verbose": 0, "thread_count": 1, "allow_writing_files": False}


def compare(loss: str, policy: str, nan_mode: str) -> None:
    X, score = synthetic_rows(300)
    of_classes = loss in ("Logloss", "CrossEntropy") or loss.startswith("Multi")
    y: Any = score
    if loss == "Logloss":
        y = np.where(score > 1, "b", "a")
    elif loss == "CrossEntropy":
        y = 1 / (1 + np.exp(-score))
    elif of_classes:
        y = np.digitize(score, [0, 2])
    elif loss.startswith(("Poisson", "Tweedie")):
        y = np.abs(score)
    kind = catboost.CatBoostClassifier if of_classes else catboost.CatBoostRegressor
    fitted = kind(loss_function=loss, grow_policy=policy, nan_mode=nan_mode, **USUAL).fit(X, y)
    imported = treewright.from_catboost(fitted)
    borders = fitted.get_borders()
    odd = boundary_rows({i: np.array(borders[i], dtype=float) for i in borders}, 6, infinite=False)
    rows = np.vstack([X, odd])
    leaves, ours = fitted.calc_leaf_indexes(rows), imported.apply(rows)
    assert np.array_equal(ours[:, :: ours.shape[1] // leaves.shape[1]], leaves)
    raw = fitted.predict(rows, prediction_type="RawFormulaVal")
    assert np.max(np.abs(imported.raw_scores(rows) - raw)) <= 1e-12 * max(1.0, np.abs(raw).max())
    asked = "predict_proba" if of_classes else "predict"
    assert np.allclose(getattr(imported, asked)(rows), getattr(fitted, asked)(rows), rtol=1e-12, atol=1e-12)
    if loss == "Logloss":
        assert np.array_equal(imported.predict(rows), fitted.predict(rows))


@pytest.mark.parametrize(("loss", "policy"), [("RMSE", "SymmetricTree"), ("MultiClass", "Lossguide")])
def test_a_few_models_have_the_same_leaves_and_scores(loss: str, policy: str) -> None:
    compare(loss, policy, "Max")


@pytest.mark.formats
@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
def test_models_of_every_loss_have_the_same_leaves_and_scores(loss: str) -> None:
    for policy, nan_mode in itertools.product(POLICIES, ("Min", "Max")):
        compare(loss, policy, nan_mode)


TEXTS = ["red", "blü", "", 'O\'Hara "x"', "1e5", "long " * 30, "nan", "a\nb"]


def rows_with_categories(n: int, seed: int) -> tuple[list[list[Any]], Any]:
    """Return rows of text, whole numbers and numbers with gaps, and a score that needs all of them."""
    random = np.random.default_rng(seed)
    X, score = synthetic_rows(n, seed)
    text, whole = random.integers(0, len(TEXTS), n), random.integers(-3, 9, n)
    rows = [[TEXTS[t], *x[:3], int(w)] for t, x, w in zip(text, X.tolist(), whole, strict=True)]
    return rows, score + text % 3 + np.abs(whole)


def compare_categories(loss: str, policy: str, depth: int, written: bool, folder: Path) -> None:
    rows, score = rows_with_categories(400, depth)
    y = np.digitize(score, [2, 5]) if loss == "MultiClass" else score > 4 if loss == "Logloss" else score
    kind = catboost.CatBoostRegressor if loss == "RMSE" else catboost.CatBoostClassifier
    options = {**USUAL, "depth": depth, "one_hot_max_size": 20, "grow_policy": policy}
    pool = catboost.Pool(rows, y, cat_features=[0, 4], feature_names=["text", "a", "b", "c", "whole"])
    fitted = kind(loss_function=loss, **options).fit(pool)
    if written:
        fitted.save_model(str(folder / "model.json"), format="json", pool=pool)
        imported = treewright.from_catboost(folder / "model.json")
    else:
        imported = treewright.from_catboost(fitted, categories={"text": TEXTS, "whole": [*range(-3, 9), 100]})
    for row in rows[:20]:
        row[0], row[4] = "never seen", 77
    names = ["text", "a", "b", "c", "whole"]
    frame = pandas.DataFrame(rows, columns=names)
    leaves, ours = fitted.calc_leaf_indexes(frame), imported.apply(frame)
    assert (imported.model_.trees.arrays["flags"] & FOREST_SUBSET).any(), "no test of a category came in"
    assert np.array_equal(ours[:, :: ours.shape[1] // leaves.shape[1]], leaves)
    raw = fitted.predict(frame, prediction_type="RawFormulaVal")
    assert np.max(np.abs(imported.raw_scores(frame) - raw)) <= 1e-12 * max(1.0, np.abs(raw).max())


@pytest.mark.parametrize(("loss", "policy"), [("RMSE", "SymmetricTree"), ("MultiClass", "Lossguide")])
@pytest.mark.parametrize("written", [True, False])
def test_tests_of_single_categories_have_the_same_leaves_and_scores(loss, policy, written, tmp_path) -> None:
    compare_categories(loss, policy, 4, written, tmp_path)


@pytest.mark.formats
@pytest.mark.slow
@pytest.mark.parametrize("loss", ["RMSE", "Logloss", "MultiClass"])
def test_every_policy_and_depth_keeps_tests_of_single_categories(loss: str, tmp_path: Path) -> None:
    for policy, depth, written in itertools.product(POLICIES, (1, 3, 6), (True, False)):
        compare_categories(loss, policy, depth, written, tmp_path)


def test_statistics_of_categories_are_refused_by_name() -> None:
    rows = [["a", 1.0], ["b", 2.0], ["c", 3.0], ["a", 4.0]] * 20
    fitted = catboost.CatBoostRegressor(**USUAL, one_hot_max_size=1)
    fitted.fit(rows, [1.0, 5.0, 1.0, 2.0] * 20, cat_features=[0])
    with pytest.raises(treewright.exceptions.UnsupportedModelError, match=r"\(CTR\).*one_hot_max_size"):
        treewright.from_catboost(fitted)


def test_categories_that_only_hashes_are_left_of_are_asked_for() -> None:
    rows = [["a", 1.0], ["b", 2.0], ["c", 3.0], ["a", 4.0]] * 20
    fitted = catboost.CatBoostRegressor(**USUAL, one_hot_max_size=10)
    fitted.fit(rows, [1.0, 5.0, 1.0, 2.0] * 20, cat_features=[0])
    with pytest.raises(treewright.exceptions.UnsupportedModelError, match="'x0' the model keeps hashes"):
        treewright.from_catboost(fitted)
    with pytest.raises(treewright.exceptions.ModelFileError, match=r"'x0': .* not among those named"):
        treewright.from_catboost(fitted, categories={"x0": ["a", "c"]})
    with pytest.raises(treewright.exceptions.ModelFileError, match="'colour', which is no column"):
        treewright.from_catboost(fitted, categories={"colour": ["a", "c"]})


def test_hashes_of_categories_are_those_of_catboost(tmp_path: Path) -> None:
    random = Random(0)
    texts = ["".join(random.choice("abc äö€7") for _ in range(n)) for n in range(200)]
    pool = catboost.Pool([[text] for text in texts], list(range(200)), cat_features=[0])
    fitted = catboost.CatBoostRegressor(**USUAL, one_hot_max_size=250).fit(pool)
    fitted.save_model(str(tmp_path / "model.json"), format="json", pool=pool)
    pairs = json.loads((tmp_path / "model.json").read_text("utf-8"))["features_info"]["cat_features_hash"]
    assert len(pairs) == 200
    assert [category_hash(one["value"]) for one in pairs] == [one["hash"] for one in pairs]
