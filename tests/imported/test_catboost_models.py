"""CatBoost's models, imported: every leaf the same, raw scores within 1e-12, for rows at every border."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import treewright
from tests.imported.boundary_rows import boundary_rows
from tests.imported.tables import synthetic_rows

catboost = pytest.importorskip("catboost", reason="CatBoost is not installed")

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


def test_categories_are_refused_by_name() -> None:
    rows = [["a", 1.0], ["b", 2.0], ["c", 3.0], ["a", 4.0]] * 20
    for options, word in (({"one_hot_max_size": 10}, "OneHotFeature"), ({"one_hot_max_size": 1}, "CTR")):
        fitted = catboost.CatBoostRegressor(**USUAL, **options)
        fitted.fit(rows, [1.0, 5.0, 1.0, 2.0] * 20, cat_features=[0])
        with pytest.raises(treewright.exceptions.UnsupportedModelError, match=word):
            treewright.from_catboost(fitted)
