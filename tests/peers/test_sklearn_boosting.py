"""Gradient boosting and AdaBoost against scikit-learn's, where no two splits are equally good."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier

from treewright import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    CARTClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)

N_ROWS = 400


def table(seed=0):
    """Return float32 columns, numbers to predict and weights; no value occurs twice."""
    random = np.random.RandomState(seed)
    X = random.randn(N_ROWS, 6).astype(np.float32)
    y = 3 * X[:, 0] + 2 * np.sin(3 * X[:, 1]) + random.randn(N_ROWS)
    return X, y, random.rand(N_ROWS) + 0.5


def labels(y, n_classes):
    return np.digitize(y, np.quantile(y, np.linspace(0, 1, n_classes + 1)[1:-1]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"max_depth": 2, "learning_rate": 0.3},
        {"max_leaf_nodes": 5, "max_depth": None},
        {"min_samples_leaf": 7, "min_samples_split": 30},
        {"min_impurity_decrease": 0.02},
        {"init": "zero"},
    ],
)
def test_squared_error_gives_the_same_predictions_and_scores(params, weighted):
    X, y, weights = table()
    weights = weights if weighted else None
    ours = GradientBoostingRegressor(**params).fit(X, y, weights)
    theirs = ensemble.GradientBoostingRegressor(random_state=0, **params).fit(X, y, weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-10)


@pytest.mark.parametrize(
    ("loss", "params"),
    [
        ("huber", {"alpha": 0.8}),
        # With gradients of two sizes larger trees soon meet nodes in which all tests are alike.
        ("absolute_error", {"max_depth": 1}),
        ("quantile", {"max_depth": 1, "alpha": 0.7}),
    ],
)
def test_losses_that_renew_their_leaves_give_the_same_predictions(loss, params):
    X, y, weights = table()
    ours = GradientBoostingRegressor(loss=loss, n_estimators=30, **params).fit(X, y, weights)
    theirs = ensemble.GradientBoostingRegressor(loss=loss, n_estimators=30, random_state=0, **params)
    theirs.fit(X, y, weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)


@pytest.mark.parametrize(
    ("loss", "n_classes"), [("log_loss", 2), ("exponential", 2), ("log_loss", 3), ("log_loss", 5)]
)
def test_classes_get_the_same_probabilities(loss, n_classes):
    X, y, weights = table()
    y = labels(y, n_classes)
    ours = GradientBoostingClassifier(loss=loss, n_estimators=40).fit(X, y, weights)
    theirs = ensemble.GradientBoostingClassifier(loss=loss, n_estimators=40, random_state=0)
    theirs.fit(X, y, weights)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_adaboost_gives_the_same_trees_weights_and_decisions(n_classes, depth, rate):
    X, y, weights = table(1)
    y = labels(y, n_classes)
    ours = AdaBoostClassifier(CARTClassifier(max_depth=depth), 30, learning_rate=rate).fit(X, y, weights)
    theirs = ensemble.AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=depth), n_estimators=30, learning_rate=rate, random_state=0
    ).fit(X, y, weights)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_adaboost_for_numbers_draws_the_same_rows_and_grows_the_same_trees(loss):
    X, y, _ = table(5)
    ours = AdaBoostRegressor(n_estimators=4, loss=loss, resample=True, random_state=0).fit(X, y)
    theirs = ensemble.AdaBoostRegressor(n_estimators=4, loss=loss, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9)
