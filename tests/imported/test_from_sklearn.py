"""scikit-learn's estimators, imported: the same leaves, the same answers, for rows at every threshold."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, tree
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

import treewright
from tests.imported.boundary_rows import boundary_rows
from treewright.exceptions import ModelFileError, UnsupportedModelError
from treewright.imported import ImportedClassifier, ImportedRegressor

SMALL = {"n_estimators": 7, "random_state": 0}
CLASSIFIERS = [
    tree.DecisionTreeClassifier(random_state=0),
    tree.DecisionTreeClassifier(max_depth=3, criterion="entropy", class_weight="balanced"),
    tree.ExtraTreeClassifier(random_state=0),
    ensemble.RandomForestClassifier(**SMALL),
    ensemble.ExtraTreesClassifier(**SMALL, max_leaf_nodes=9),
    ensemble.GradientBoostingClassifier(**SMALL),
    ensemble.GradientBoostingClassifier(**SMALL, init="zero"),
    ensemble.HistGradientBoostingClassifier(max_iter=7),
    ensemble.BaggingClassifier(**SMALL, max_features=0.6, max_samples=0.2),
    ensemble.AdaBoostClassifier(**SMALL),
]
REGRESSORS = [
    tree.DecisionTreeRegressor(random_state=0),
    ensemble.RandomForestRegressor(**SMALL, max_depth=4),
    ensemble.ExtraTreesRegressor(**SMALL),
    ensemble.GradientBoostingRegressor(**SMALL, loss="huber"),
    ensemble.HistGradientBoostingRegressor(max_iter=7),
    ensemble.HistGradientBoostingRegressor(max_iter=7, loss="poisson"),
    ensemble.BaggingRegressor(**SMALL, max_features=0.6),
    ensemble.AdaBoostRegressor(**SMALL),
]


def trees_of(estimator: Any) -> list[Any]:
    if hasattr(estimator, "tree_"):
        return [estimator.tree_]
    return [member.tree_ for member in np.ravel(getattr(estimator, "estimators_", []))]


def rows_for(estimator: Any, missing: bool = False) -> np.ndarray:
    """Rows at the thresholds; scikit-learn refuses infinite numbers."""
    found: dict[int, list[float]] = {}
    if hasattr(estimator, "_predictors"):
        for nodes in (one.nodes for several in estimator._predictors for one in several):
            for node in nodes[nodes["is_leaf"] == 0]:
                found.setdefault(int(node["feature_idx"]), []).append(float(node["num_threshold"]))
    features = getattr(estimator, "estimators_features_", None)
    for number, one in enumerate(trees_of(estimator)):
        for feature, threshold in zip(one.feature, one.threshold, strict=True):
            if feature >= 0:
                column = int(feature if features is None else features[number][feature])
                found.setdefault(column, []).append(float(threshold))
    thresholds = {column: np.array(values) for column, values in found.items()}
    return boundary_rows(thresholds, estimator.n_features_in_, missing=missing, infinite=False)


def checked(estimator: Any, rows: Any) -> Any:
    """Import, compare leaves and answers, save and load."""
    imported = treewright.from_sklearn(estimator)
    if hasattr(estimator, "apply"):
        theirs = np.asarray(estimator.apply(rows)).reshape(len(rows), -1)
        assert np.array_equal(imported.apply(rows), theirs)
    asked = ["predict_proba"] if hasattr(estimator, "predict_proba") else ["predict"]
    if hasattr(imported, "decision_function"):
        asked.append("decision_function")
    for name in asked:
        ours, theirs = getattr(imported, name)(rows), getattr(estimator, name)(rows)
        assert np.max(np.abs(ours - theirs)) <= 1e-12 * max(1.0, np.abs(theirs).max())
    assert np.mean(imported.predict(rows) == estimator.predict(rows)) > 0.99 or asked == ["predict"]
    file = io.BytesIO()
    imported.save(file)
    file.seek(0)
    again = treewright.load(file)
    assert type(again) is type(imported)
    assert np.array_equal(again.predict(rows), imported.predict(rows))
    assert np.array_equal(again.apply(rows), imported.apply(rows))
    return imported


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_a_classifier_answers_the_same(estimator: Any, n_classes: int) -> None:
    X, y = make_classification(
        120, 5, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.2, random_state=1
    )
    labels = np.array(["no", "yes", "maybe"])[y]
    imported = checked(estimator.fit(X, labels), rows_for(estimator))
    assert isinstance(imported, ImportedClassifier)
    assert imported.classes_.tolist() == sorted(set(labels))


@pytest.mark.parametrize("estimator", REGRESSORS, ids=repr)
def test_a_regressor_answers_the_same(estimator: Any) -> None:
    X, y = make_regression(120, 5, noise=10.0, random_state=1)
    y = np.abs(y) / 10
    assert isinstance(checked(estimator.fit(X, y), rows_for(estimator)), ImportedRegressor)


def with_gaps() -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(300, 4, n_redundant=0, random_state=2)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    return X, y


@pytest.mark.parametrize(
    "estimator",
    [
        tree.DecisionTreeClassifier(max_depth=6, random_state=0),
        ensemble.RandomForestClassifier(**SMALL),
        ensemble.HistGradientBoostingClassifier(max_iter=9),
        ensemble.HistGradientBoostingRegressor(max_iter=9),
    ],
    ids=repr,
)
def test_missing_values_take_the_same_way(estimator: Any) -> None:
    estimator.fit(*with_gaps())
    checked(estimator, rows_for(estimator, missing=True))


def test_categories_of_histogram_boosting_keep_their_names_and_ways() -> None:
    random = np.random.default_rng(3)
    n = 400
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n),
            "city": pd.Categorical(random.choice(["Rom", "Paris", "Oslo", "Bern"], n)),
            "grade": random.integers(0, 30, n).astype(float),
            "weight": random.normal(size=n),
        }
    )
    frame.loc[random.random(n) < 0.1, "city"] = np.nan
    y = frame["size"] + frame["city"].isin(["Rom", "Bern"]) * 2 + (frame["grade"] % 3) + random.normal(size=n)
    fitted = ensemble.HistGradientBoostingRegressor(max_iter=20, categorical_features=["city", "grade"])
    fitted.fit(frame, y)
    rows = frame.copy()
    rows["grade"] = random.choice([*range(35), -1.0, np.nan], n)
    rows["city"] = pd.Categorical(random.choice(["Rom", "Paris", "Oslo", "Bern", "Kiel"], n))
    imported = checked(fitted, rows)
    assert imported.feature_names_in_.tolist() == ["size", "city", "grade", "weight"]
    text = "".join(treewright.export_text(imported, tree=t) for t in range(20))
    assert "Oslo" in text


def test_an_imported_model_does_not_learn() -> None:
    imported = treewright.from_sklearn(CLASSIFIERS[0].fit([[1.0], [2.0]], [0, 1]))
    with pytest.raises(NotImplementedError, match="scikit-learn has fitted"):
        imported.fit([[1.0]], [0])
    with pytest.raises(NotImplementedError, match="another library"):
        ImportedClassifier().fit([[1.0]], [0])


def test_what_cannot_be_imported_is_named() -> None:
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    with pytest.raises(UnsupportedModelError, match="LinearRegression"):
        treewright.from_sklearn(LinearRegression().fit(X, y))
    with pytest.raises(UnsupportedModelError, match="2 outputs"):
        treewright.from_sklearn(tree.DecisionTreeRegressor().fit(X, [[1, 2], [3, 4], [5, 6]]))
    init = ensemble.GradientBoostingRegressor(n_estimators=2, init=LinearRegression())
    with pytest.raises(UnsupportedModelError, match="LinearRegression"):
        treewright.from_sklearn(init.fit(X, y))
    bag = ensemble.BaggingClassifier(KNeighborsClassifier(1), n_estimators=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bag.fit(X, y)
    with pytest.raises(UnsupportedModelError, match="KNeighborsClassifier"):
        treewright.from_sklearn(bag)
    with pytest.raises(NotFittedError):
        treewright.from_sklearn(tree.DecisionTreeClassifier())


def test_stages_end_with_the_answer_and_only_sums_have_them() -> None:
    X, y = make_classification(100, 4, random_state=0)
    booster = ensemble.GradientBoostingClassifier(n_estimators=5).fit(X, y)
    imported = treewright.from_sklearn(booster)
    for ours, theirs in zip(imported.staged_predict_proba(X), booster.staged_predict_proba(X), strict=True):
        assert np.allclose(ours, theirs, rtol=0, atol=1e-12)
    assert np.array_equal(list(imported.staged_predict(X))[-1], imported.predict(X))
    assert not hasattr(treewright.from_sklearn(CLASSIFIERS[3].fit(X, y)), "staged_predict")


@pytest.mark.parametrize("estimator", [CLASSIFIERS[0], *CLASSIFIERS[3:10], *REGRESSORS], ids=repr)
def test_an_imported_model_explains_and_draws_itself(estimator: Any) -> None:
    X, y = make_classification(80, 4, random_state=0)
    imported = treewright.from_sklearn(estimator.fit(X, y))
    assert "Predicted" in str(imported.explain_prediction(X[:1]))
    assert "Predicted" in str(imported.explain_prediction(X[:1], tree=0))
    assert "<svg" in treewright.export_svg(imported, tree=0)
    assert "x0" in treewright.export_rules(imported, tree=0) or imported.model_.trees[0].node_count < 99
    assert "trees" in treewright.export_summary(imported) or len(imported.model_.trees) == 1
    assert imported.feature_importances_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS], ids=repr)
def test_a_page_of_an_imported_model_leaves_out_what_only_our_own_fits_know(estimator: Any) -> None:
    X, y = make_classification(80, 4, random_state=0)
    imported = treewright.from_sklearn(estimator.fit(X, y))
    for rows in ({}, {"X": X, "y": y, "highlight": X[:1]}):
        page = treewright.export_html(imported, **rows)
        assert "Picture" in page
        assert 'id="pruning"' not in page
        assert "not those of the fit" not in page
    with pytest.raises(ValueError, match="comes from another library"):
        treewright.export_html(treewright.from_sklearn(CLASSIFIERS[0].fit(X, y)), interactive=True)


def test_a_split_of_an_imported_tree_is_told_from_the_tree_alone() -> None:
    X, y = make_classification(80, 4, random_state=0)
    forest = treewright.from_sklearn(ensemble.RandomForestClassifier(**SMALL).fit(X, y))
    told = str(forest.explain_split(0, tree=2))
    assert "scikit-learn has fitted this tree" in told
    assert "Pass X and y" not in told
    with pytest.raises(ValueError, match="cannot be repeated"):
        forest.explain_split(0, X, y, tree=2)
    numbers = treewright.from_sklearn(tree.DecisionTreeRegressor().fit(X, y))
    assert "An imported tree does not keep the squared error" in str(numbers.explain_split(0))
    booster = treewright.from_sklearn(ensemble.GradientBoostingClassifier(**SMALL).fit(X, y))
    with pytest.raises(ValueError, match="scikit-learn keeps no sums of gradients"):
        booster.explain_split(0, tree=0)


def test_a_booster_without_a_score_to_start_from_is_refused() -> None:
    X, y = make_regression(80, 4, random_state=0)
    booster = ensemble.HistGradientBoostingRegressor(max_iter=2).fit(X, y)
    booster._baseline_prediction = np.zeros((1, 0))
    with pytest.raises(ModelFileError, match="no score to start from"):
        treewright.from_sklearn(booster)
