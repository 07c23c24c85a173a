"""Shapley values equal those of shap, LightGBM and XGBoost for the same trees; shap plots our reports."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from benchmarks.peer_trees import lightgbm_attributions, xgboost_attributions
from sklearn import ensemble, tree

import treewright

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 8))
Y = X[:, 0] * X[:, 1] + np.where(X[:, 2] > 0, X[:, 3], 0) + 0.1 * RNG.normal(size=500)


def package(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its own imports
        return pytest.importorskip(name)


MODELS = [
    tree.DecisionTreeRegressor(random_state=0),
    tree.DecisionTreeClassifier(max_depth=5, random_state=0),
    ensemble.RandomForestRegressor(n_estimators=5, random_state=0),
    ensemble.ExtraTreesClassifier(n_estimators=5, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=20, random_state=0),
    ensemble.HistGradientBoostingClassifier(max_iter=10, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_values_equal_those_of_shap(model: Any) -> None:
    shap = package("shap")
    is_classes = hasattr(model, "predict_proba") or "Classifier" in type(model).__name__
    peer = model.fit(X, (Y > 0).astype(int) + (Y > 1) if is_classes else Y)
    own = treewright.from_sklearn(peer).shap(X[:40])
    assert own.values == pytest.approx(shap.TreeExplainer(peer).shap_values(X[:40]), abs=1e-10)


def test_values_against_a_background_equal_those_of_shap() -> None:
    shap = package("shap")
    peer = ensemble.GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, Y)
    own = treewright.from_sklearn(peer).shap(X[:40], background=X[100:140])
    # shap adds up in single precision here.
    assert own.values == pytest.approx(shap.TreeExplainer(peer, X[100:140]).shap_values(X[:40]), abs=1e-6)


def test_interactions_equal_those_of_shap() -> None:
    shap = package("shap")
    peer = ensemble.GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, Y)
    own = treewright.from_sklearn(peer).shap(X[:20], interactions=True)
    theirs = shap.TreeExplainer(peer).shap_interaction_values(X[:20])
    assert own.interactions == pytest.approx(theirs, abs=1e-6)


def test_values_equal_lightgbm() -> None:
    lightgbm = package("lightgbm")
    missing = X.copy()
    missing[RNG.random(X.shape) < 0.1] = np.nan
    settings = {
        "objective": "regression",
        "num_leaves": 63,
        "min_data_in_leaf": 3,
        "verbose": -1,
        "num_threads": 1,
    }
    peer = lightgbm.train(settings, lightgbm.Dataset(missing, Y), 30)
    engine = lightgbm_attributions(peer, 8)
    theirs = peer.predict(missing[:100], pred_contrib=True)
    assert engine.values(missing[:100]) == pytest.approx(theirs[:, :-1], abs=1e-10)
    assert engine.base()[0] == pytest.approx(theirs[0, -1], abs=1e-10)


def test_values_and_interactions_equal_xgboost() -> None:
    xgboost = package("xgboost")
    narrow = X.astype(np.float32)
    settings = {"max_depth": 7, "base_score": 0.0, "nthread": 1, "eta": 0.3}
    peer = xgboost.train(settings, xgboost.DMatrix(narrow, Y), 20)
    engine = xgboost_attributions(peer, 8)
    rows = xgboost.DMatrix(narrow[:50])
    theirs = peer.predict(rows, pred_contribs=True)
    assert engine.values(narrow[:50]) == pytest.approx(theirs[:, :-1], abs=2e-6)
    pairs = peer.predict(rows, pred_interactions=True)
    found = engine.interactions(narrow[:50]).reshape(50, 8, 8)
    assert found == pytest.approx(pairs[:, :-1, :-1], abs=5e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_plot_of_shap_takes_a_report() -> None:
    shap, matplotlib = package("shap"), package("matplotlib")
    matplotlib.use("Agg")
    pyplot = package("matplotlib.pyplot")
    frame = pd.DataFrame(X[:120, :3], columns=["a", "b", "c"])
    frame["colour"] = RNG.choice(["red", "green", "blue"], 120)
    target = frame["a"] + (frame["colour"] == "red") * frame["b"]
    booster = treewright.LeafwiseBoostingRegressor(n_estimators=10).fit(frame, target)
    found = booster.shap(frame).to_explanation()
    assert isinstance(found, shap.Explanation)
    assert found.display_data[0, 3] == frame["colour"][0]
    for draw in (shap.plots.beeswarm, shap.plots.bar, shap.plots.heatmap, shap.plots.violin):
        draw(found, show=False)
        pyplot.close("all")
    shap.plots.waterfall(found[0], show=False)
    shap.plots.bar(found[0], show=False)
    shap.plots.force(found[0], matplotlib=True, show=False)
    shap.plots.scatter(found[:, "colour"], color=found, show=False)
    shap.plots.scatter(found[:, "a"], show=False)
    shap.plots.decision(found.base_values[0], found.values, features=found.data, show=False)
    pyplot.close("all")
    classes = treewright.RandomForestClassifier(n_estimators=5, random_state=0)
    of_classes = classes.fit(frame, pd.qcut(target, 3, labels=False)).shap(frame).to_explanation()
    shap.plots.beeswarm(of_classes[:, :, 1], show=False)
    shap.plots.waterfall(of_classes[0, :, 2], show=False)
    pyplot.close("all")
