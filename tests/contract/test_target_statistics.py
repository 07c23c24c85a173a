"""Whoever has `target_statistics`: answers, files, reports and exporters agree about the finished trees."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import treewright
from treewright.model.level_means import ARRAYS, LevelMeans

N_ROWS = 900
BOOSTERS = ("LeafwiseBoosting", "NewtonBoosting", "GradientBoosting")
TASKS = ("Regressor", "Classifier")
EVERYONE = [f"{name}{task}" for name in (*BOOSTERS, "RandomForest", "ExtraTrees") for task in TASKS]


def make_table(seed: int = 0, n_rows: int = N_ROWS) -> tuple[pd.DataFrame, pd.Series[float]]:
    random = np.random.default_rng(seed)
    effect = np.random.default_rng(7).normal(size=80)
    level = random.integers(0, 80, n_rows)
    frame = pd.DataFrame(
        {
            "x": random.normal(size=n_rows),
            "city": [f"city {number}" for number in level],
            "size": random.choice(["small", "large"], n_rows),
        }
    )
    frame.loc[random.random(n_rows) < 0.03, "city"] = None
    price = 2.0 * effect[level] + frame["x"] + (frame["size"] == "large") + random.normal(size=n_rows)
    return frame, price.rename("price")


def fitted(name: str, **params: Any) -> Any:
    X, y = make_table()
    target = y if name.endswith("Regressor") else (y > 0).astype(int).rename("dear")
    params = {"n_estimators": 12, "target_statistics": True, "random_state": 0, **params}
    return getattr(treewright, name)(**params).fit(X, target)


def answers(model: Any, X: pd.DataFrame) -> Any:
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def new_rows() -> pd.DataFrame:
    X, _ = make_table(1, 200)
    X.loc[:20, "city"] = "elsewhere"
    X.loc[21:40, "city"] = None
    return X


@pytest.mark.parametrize("name", EVERYONE)
def test_finished_trees_answer_as_the_statistics_would(name: str) -> None:
    model = fitted(name).model_
    means = LevelMeans.of(model)
    assert means is not None
    assert len(means.node) > 0
    grown = means.grown(model)
    matrix = fitted(name)._encode(new_rows())[1]
    extended = means.extended(matrix, model.schema.n_codes)
    assert extended.shape[1] > matrix.shape[1]
    np.testing.assert_array_equal(model.apply(matrix), grown.apply(extended))


@pytest.mark.parametrize("name", EVERYONE)
def test_files_and_pickles_keep_them(name: str, tmp_path: Path) -> None:
    estimator = fitted(name)
    path = tmp_path / "model.tw"
    estimator.save(path)
    loaded, copied = treewright.load(path), pickle.loads(pickle.dumps(estimator))
    for other in (loaded, copied):
        np.testing.assert_array_equal(answers(other, new_rows()), answers(estimator, new_rows()))
        for array in ARRAYS:
            np.testing.assert_array_equal(other.model_.arrays[array], estimator.model_.arrays[array])


@pytest.mark.parametrize("name", EVERYONE)
def test_threads_and_the_order_of_rows_do_not_matter(name: str) -> None:
    X, y = make_table()
    y = y if name.endswith("Regressor") else (y > 0).astype(int)
    order = np.random.default_rng(5).permutation(len(X))
    plain = fitted(name)
    two = clone(plain).set_params(n_jobs=2).fit(X, y)
    assert two.model_.trees.equals(plain.model_.trees)
    if not name.startswith(BOOSTERS):
        return  # forests draw rows by their numbers
    shuffled = clone(plain).fit(X.iloc[order], y.iloc[order])
    np.testing.assert_allclose(answers(shuffled, new_rows()), answers(plain, new_rows()), atol=1e-9)


@pytest.mark.parametrize("name", EVERYONE)
def test_a_warm_start_goes_on_as_one_fit_would(name: str) -> None:
    X, y = make_table()
    y = y if name.endswith("Regressor") else (y > 0).astype(int)
    whole = fitted(name)
    parted = clone(whole).set_params(n_estimators=5, warm_start=True).fit(X, y)
    parted.set_params(n_estimators=12).fit(X, y)
    assert parted.model_.trees.equals(whole.model_.trees)
    for array in ARRAYS:
        np.testing.assert_array_equal(parted.model_.arrays[array], whole.model_.arrays[array])


@pytest.mark.parametrize("name", ["LeafwiseBoostingRegressor", "NewtonBoostingClassifier"])
def test_a_warm_start_with_other_rows_has_statistics_of_its_own(name: str, tmp_path: Path) -> None:
    first = fitted(name, warm_start=True)
    X, y = make_table(3)
    y = y if name.endswith("Regressor") else (y > 0).astype(int)
    n_before = len(first.model_.arrays["statistic_feature"])
    first.set_params(n_estimators=20).fit(X, y)
    means = LevelMeans.of(first.model_)
    assert means is not None
    assert len(means) == 2 * n_before
    first.save(tmp_path / "model.tw")
    matrix = first._encode(new_rows())[1]
    extended = means.extended(matrix, first.model_.schema.n_codes)
    np.testing.assert_array_equal(first.model_.apply(matrix), means.grown(first.model_).apply(extended))


@pytest.mark.parametrize("name", EVERYONE)
def test_what_features_add_is_told_of_the_columns_of_the_table(name: str) -> None:
    estimator, rows = fitted(name), new_rows()
    assert estimator.n_features_in_ == 3
    assert estimator.feature_importances_.shape == (3,)
    assert estimator.feature_importances_[1] > 0.2
    for options in ({}, {"background": make_table()[0][:50]}):
        report = estimator.shap(rows, interactions=True, **options)
        assert report.values.shape[:2] == (len(rows), 3)
        sums = report.values.sum(axis=1) + report.base_values
        np.testing.assert_allclose(sums.ravel(), report.predictions.ravel(), atol=1e-9)
        np.testing.assert_allclose(report.interactions.sum(axis=2), report.values, atol=1e-9)


def test_reports_speak_of_the_statistics() -> None:
    estimator = fitted("LeafwiseBoostingRegressor")
    X, y = make_table()
    text = str(estimator.explain_prediction(X.iloc[[5]]))
    assert f"mean price of city: city = {X['city'][5]}, " in text
    assert "shrunk: " in text
    way = str(estimator.explain_prediction(X.iloc[[5]], tree=0))
    assert "mean price of city" in way
    report = estimator.explain_split(0, X, y, tree=3)
    assert "mean price of city" in str(report)
    stored = estimator.explain_split(0, tree=3)
    assert report.winner.gain == pytest.approx(stored.winner.gain, rel=1e-4)
    unseen = str(estimator.explain_prediction(new_rows().iloc[[0]]))
    assert "city not seen in training, 0 rows" in unseen
    classes = fitted("NewtonBoostingClassifier")
    assert "share of dear = 1 by city" in str(classes.explain_prediction(X.iloc[[5]]))


def test_auto_takes_them_where_they_pay_and_only_there() -> None:
    X, y = make_table(n_rows=3000)
    estimator = treewright.LeafwiseBoostingRegressor(n_estimators=40, learning_rate=0.1)
    assert "statistic_node" in clone(estimator).fit(X, y).model_.arrays
    noise = np.random.default_rng(0).normal(size=len(X))
    assert "statistic_node" not in clone(estimator).fit(X, noise).model_.arrays
    few = X.assign(city=X["city"].str.slice(0, 6))
    assert "statistic_node" not in clone(estimator).fit(few, y).model_.arrays


def test_rows_that_are_watched_get_the_statistics_of_the_rows_that_are_learned_from() -> None:
    X, y = make_table()
    X_val, y_val = make_table(4, 300)
    estimator = treewright.LeafwiseBoostingRegressor(n_estimators=15, target_statistics=["city"])
    estimator.fit(X, y, X_val=X_val, y_val=y_val)
    errors = [np.mean((p - y_val) ** 2) for p in estimator.staged_predict(X_val)]
    np.testing.assert_allclose(estimator.validation_score_, errors, rtol=1e-6)
    stopped = treewright.LeafwiseBoostingRegressor(
        n_estimators=30, learning_rate=0.3, target_statistics=True, early_stopping=True
    ).fit(X, y)
    assert 1 <= stopped.n_iter_ <= 30


def test_a_statistic_may_only_be_combined_with_what_its_column_may() -> None:
    estimator = fitted(
        "LeafwiseBoostingRegressor", interaction_cst=[["city"], ["x", "size"]], n_estimators=30
    )
    for tree in estimator.model_.trees:
        used = {int(feature) for feature in tree.feature if feature >= 0}
        assert used <= {1} or used <= {0, 2}


def test_a_scan_gives_the_same_model(tmp_path: Path) -> None:
    X, y = make_table()
    X.assign(price=y).to_csv(tmp_path / "rows.csv", index=False)
    estimator = treewright.LeafwiseBoostingRegressor(n_estimators=10, target_statistics=True)
    scan = treewright.scan(tmp_path / "rows.csv", target="price")
    frame = pd.read_csv(tmp_path / "rows.csv")
    plain = clone(estimator).fit(frame.drop(columns="price"), frame["price"])
    scanned = clone(estimator).fit(scan)
    assert scanned.model_.trees.equals(plain.model_.trees)


def test_a_sparse_matrix_is_refused_by_name() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(0)
    X = sparse.csc_matrix(np.column_stack([random.integers(0, 80, 400), random.normal(size=400)]))
    estimator = treewright.LeafwiseBoostingRegressor(n_estimators=3, categorical_features=[0])
    estimator.fit(X, random.normal(size=400))  # "auto" does without
    with pytest.raises(ValueError, match="sparse matrix, which has no room for target statistics"):
        clone(estimator).set_params(target_statistics=True).fit(X, random.normal(size=400))


@pytest.mark.parametrize(
    ("array", "change", "words"),
    [
        ("statistic_value", lambda a: a[:-1], "one value for each category"),
        ("statistic_value", lambda a: np.full_like(a, np.nan), "not a finite number"),
        ("statistic_feature", lambda a: a + 1, "has no categories|one value for each category"),
        ("statistic_output", lambda a: a + 5, "classes that do not exist"),
        ("statistic_node", lambda a: a[::-1], "nodes that do not exist"),
        ("statistic_node", lambda a: a + 10**6, "nodes that do not exist"),
        ("statistic_column", lambda a: a + 9, "statistic that does not exist"),
        ("statistic_threshold", lambda a: a[1:], "divided among its nodes"),
        ("statistic_weight", lambda a: -1.0 - a, "at least 0"),
        ("statistic_begin", lambda a: a.astype(float), "type that it must have"),
    ],
)
def test_statistics_that_cannot_be_are_refused(array: str, change: Any, words: str) -> None:
    model = fitted("NewtonBoostingClassifier", n_estimators=4).model_
    broken = replace(model, arrays={**model.arrays, array: np.ascontiguousarray(change(model.arrays[array]))})
    with pytest.raises(ValueError, match=words):
        treewright.NewtonBoostingClassifier.from_model(broken)


@pytest.mark.parametrize("name", ["RandomForest", "ExtraTrees"])
def test_answers_out_of_bag_do_not_know_the_target_of_their_row(name: str) -> None:
    """With statistics of all rows a forest would see a part of each target, mostly of rare categories."""
    random = np.random.default_rng(0)
    X = pd.DataFrame({"city": random.integers(0, 300, 900).astype(str), "x": random.normal(size=900)})
    X["city"] = X["city"].astype("category")
    y = random.normal(size=900)
    forest = getattr(treewright, f"{name}Regressor")(
        n_estimators=60,
        bootstrap=True,
        oob_score=True,
        target_statistics=True,
        random_state=0,
        quantiles=True,
    ).fit(X, y)
    assert forest.oob_score_ < 0.02
    assert forest.score(X, y) > 0.1
    curve = forest.oob_learning_curve(X, y, n_trees=[60])
    assert curve.scores[-1] == pytest.approx(forest.oob_score_)
    with pytest.raises(ValueError, match="target statistics, which know the targets"):
        forest.oob_permutation_importance(X, y)
    with pytest.raises(ValueError, match="explain the split without X and y"):
        forest.explain_split(0, X, y, tree=0)
    assert forest.explain_split(0, tree=0).tree == 0
    low, high = forest.predict_interval(X).T
    assert (low <= high).all()


def test_auto_of_a_forest_takes_them_where_they_pay() -> None:
    X, y = make_table(n_rows=3000)
    forest = treewright.RandomForestRegressor(n_estimators=20, random_state=0, target_statistics="auto")
    assert "statistic_node" in clone(forest).fit(X, y).model_.arrays
    noise = np.random.default_rng(0).normal(size=len(X))
    assert "statistic_node" not in clone(forest).fit(X, noise).model_.arrays
