"""Where columns are drawn their order has no systematic effect; elsewhere the first of equal ones wins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import r2_score

from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

SEEDS = 24
TREES = {"n_estimators": 12}
ROUNDS = {"n_estimators": 8, "min_samples_leaf": 1, "max_depth": 5}
DRAWN: dict[str, Any] = {
    "random forest, classes": RandomForestClassifier(**TREES),
    "random forest, some columns": RandomForestRegressor(max_features=0.5, **TREES),
    "random forest, all columns": RandomForestRegressor(**TREES),
    "random forest, few leaves": RandomForestRegressor(max_leaf_nodes=20, **TREES),
    "extra trees, some columns": ExtraTreesClassifier(**TREES),
    "extra trees, all columns": ExtraTreesRegressor(**TREES),
    "bagging, columns of a tree": BaggingRegressor(max_features=0.75, **TREES),
    "bagging, columns of a node": BaggingClassifier(CARTClassifier(max_features=3), **TREES),
    "leafwise, columns of a node": LeafwiseBoostingClassifier(**ROUNDS),
    "leafwise, columns of a tree": LeafwiseBoostingRegressor(
        max_features=None, max_features_tree=0.75, **ROUNDS
    ),
    "Newton, columns of a level": NewtonBoostingRegressor(max_features_level=0.75, **ROUNDS),
    "Newton, exact": NewtonBoostingClassifier(max_features=0.75, tree_method="exact", **ROUNDS),
    "gradient boosting": GradientBoostingRegressor(max_features=0.75, **ROUNDS),
    "tree": CARTRegressor(max_features=3),
}
drawn = pytest.mark.parametrize("name", DRAWN)


def rows(seed: int, n_rows: int = 120) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return five columns of small whole numbers, of which the last is the third again, and a target."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 5, size=(n_rows, 5)).astype(np.float64)
    x[:, 4] = x[:, 2]
    return x, (x[:, 2] + x[:, 1] + rng.integers(0, 4, n_rows) > 4).astype(np.int64)


def importances(estimator: Any, x: NDArray[Any], y: NDArray[Any], seed: int) -> NDArray[Any]:
    fitted = clone(estimator).set_params(random_state=seed)
    return np.asarray(fitted.fit(x, y if is_classifier(estimator) else y * 1.0).feature_importances_)


def assert_no_effect(differences: list[Any]) -> None:
    """Fail where a mean is more than four of its standard errors from 0."""
    error = np.std(differences, axis=0, ddof=1) / np.sqrt(len(differences))
    assert (np.abs(np.mean(differences, axis=0)) < 4 * error + 1e-3).all(), (
        np.mean(differences, axis=0) / error
    )


@drawn
def test_of_two_equal_columns_each_gets_half_of_the_importance(name: str) -> None:
    found = np.mean([importances(DRAWN[name], *rows(seed), seed) for seed in range(SEEDS)], axis=0)
    assert 0.4 < found[4] / (found[2] + found[4]) < 0.6


@drawn
def test_importances_do_not_depend_on_the_order_of_columns(name: str) -> None:
    differences = []
    for seed in range(SEEDS):
        x, y = rows(seed)
        given = importances(DRAWN[name], x, y, seed)
        differences.append(given - importances(DRAWN[name], x[:, ::-1], y, seed)[::-1])
    assert_no_effect(differences)


@pytest.mark.parametrize("name", ["random forest, all columns", "extra trees, all columns", "tree"])
def test_columns_of_noise_are_equally_important(name: str) -> None:
    found = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        found.append(importances(DRAWN[name], rng.normal(size=(150, 5)), rng.integers(0, 2, 150), seed))
    assert_no_effect([row - 0.2 for row in found])


@pytest.mark.parametrize("name", ["random forest, all columns", "leafwise, columns of a tree"])
def test_scores_do_not_depend_on_the_order_of_columns(name: str) -> None:
    differences = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 8, size=(400, 8)).astype(np.float64)
        y = x[:, 0] * x[:, 1] + x[:, 2] + rng.normal(size=400)
        scores = []
        for matrix in (x, x[:, ::-1]):
            fitted = clone(DRAWN[name]).set_params(random_state=seed).fit(matrix[:200], y[:200])
            scores.append(r2_score(y[200:], fitted.predict(matrix[200:])))
        differences.append(scores[0] - scores[1])
    assert_no_effect(differences)


@drawn
def test_equal_columns_are_the_same_for_any_number_of_threads(name: str) -> None:
    x, y = rows(1, 300)
    estimator = clone(DRAWN[name]).set_params(random_state=3)
    one, three = (clone(estimator).set_params(n_jobs=jobs).fit(x, y) for jobs in (1, 3))
    np.testing.assert_array_equal(one.feature_importances_, three.feature_importances_)


@pytest.mark.parametrize(
    "estimator",
    [
        CARTClassifier(),
        CARTRegressor(),
        BaggingRegressor(n_estimators=5),
        LeafwiseBoostingClassifier(max_features=None, **ROUNDS),
        NewtonBoostingRegressor(**ROUNDS),
        NewtonBoostingRegressor(tree_method="exact", **ROUNDS),
        GradientBoostingRegressor(**ROUNDS),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_where_no_columns_are_drawn_the_first_of_two_equal_ones_gets_all(estimator: Any) -> None:
    x, y = rows(0)
    if hasattr(estimator, "random_state"):
        estimator = clone(estimator).set_params(random_state=0)
    found = estimator.fit(x, y if is_classifier(estimator) else y * 1.0).feature_importances_
    assert found[2] > 0.1
    assert found[4] == 0


@pytest.mark.parametrize("max_features", [2, None])
def test_a_report_names_the_rule_of_a_tie_and_finds_the_winner_of_the_engine(max_features: Any) -> None:
    ties = 0
    for seed in range(6):
        x, y = rows(seed)
        tree = CARTClassifier(max_features=max_features, random_state=seed).fit(x, y)
        forest = RandomForestClassifier(2, max_features=max_features, random_state=seed).fit(x, y)
        for grown, data in ((tree, (x, y)), (forest.estimators_[1], (x, y))):
            is_drawn = max_features is not None or grown is not tree
            for node in np.flatnonzero(grown.tree_.n_children > 0)[:8].tolist():
                report = grown.explain_split(node, *data)
                assert report.winner is not None
                assert report.winner.index == grown.tree_.feature[node]
                assert report.tie_rule == ("first in a drawn order wins" if is_drawn else "first column wins")
                assert grown.explain_split(node).tie_rule == report.tie_rule
                assert not any("raised" in note for note in report.notes)
                if report.ties:
                    ties += 1
                    assert f"(tie: {report.tie_rule})" in str(report)
    assert ties > 20


def test_reports_of_boosters_name_the_rule_of_a_tie() -> None:
    x, _ = rows(0)
    y = (x[:, 2] > 1).astype(np.int64)
    for share, rule in ((None, "first column wins"), (0.8, "first in a drawn order wins")):
        booster = NewtonBoostingClassifier(max_features=share, random_state=1, **ROUNDS).fit(x, y)
        report = booster.explain_split(0, x, y, tree=0)
        assert report.tie_rule == booster.explain_split(0, tree=0).tie_rule == rule
        assert report.winner is not None and report.winner.index in (2, 4)
        assert f"(tie: {rule})" in str(report)
