"""Gradient boosting and AdaBoost against scikit-learn's, where no two splits are equally good."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier

from tests.unit.boosting.boost_data import drawn_rows
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
        {"ccp_alpha": 0.01},
        {"ccp_alpha": 0.1, "max_depth": 6, "min_samples_leaf": 5},
        {"ccp_alpha": 1.0, "max_leaf_nodes": 12, "max_depth": None},
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


# Without weights the gradients of the first rounds have few values, and many splits are equally good.
@pytest.mark.parametrize("alpha", [1e-4, 1e-3, 0.01, 1.0])
@pytest.mark.parametrize(("loss", "n_classes"), [("log_loss", 2), ("exponential", 2), ("log_loss", 4)])
def test_classes_get_the_same_pruned_trees(loss, n_classes, alpha):
    X, y, weights = table(2)
    y = labels(y, n_classes)
    params = {"loss": loss, "n_estimators": 20, "ccp_alpha": alpha, "max_depth": 4, "min_samples_leaf": 8}
    ours = GradientBoostingClassifier(**params).fit(X, y, weights)
    theirs = ensemble.GradientBoostingClassifier(random_state=0, **params).fit(X, y, weights)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
    for mine, other in zip(ours.estimators_.ravel(), theirs.estimators_.ravel(), strict=True):
        assert mine.get_n_leaves() == other.get_n_leaves()


@pytest.fixture
def same_draws(monkeypatch):
    """Return a function that lets scikit-learn draw the rows that ours draws."""

    def use(subsample, n_rounds, random_state, n_rows=N_ROWS):
        masks = iter(drawn_rows(n_rows, subsample, n_rounds, random_state))
        monkeypatch.setattr("sklearn.ensemble._gb._random_sample_mask", lambda *_: next(masks).copy())

    return use


DRAWN = {"n_estimators": 25, "random_state": 5, "min_samples_leaf": 8}


def assert_same_on_drawn_rows(ours, theirs, X, answer):
    np.testing.assert_allclose(getattr(ours, answer)(X), getattr(theirs, answer)(X), rtol=1e-8, atol=1e-9)
    for name in ("oob_scores_", "oob_improvement_", "oob_score_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10)
    assert ours.estimators_.shape == theirs.estimators_.shape
    for mine, other in zip(ours.estimators_.ravel(), theirs.estimators_.ravel(), strict=True):
        # Unpruned, scikit-learn's may split a node whose gradients are all the same.
        assert ours.ccp_alpha == 0 or mine.get_n_leaves() == other.get_n_leaves()
        np.testing.assert_allclose(mine.predict(X), other.predict(X), rtol=1e-6, atol=1e-9)
        # Weights of nodes are stored with 7 digits.
        np.testing.assert_allclose(mine.feature_importances_, other.feature_importances_, atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("subsample", [0.5, 0.83])
def test_numbers_get_the_same_trees_and_out_of_bag_scores_from_the_same_rows(
    subsample, alpha, weighted, same_draws
):
    X, y, weights = table(3)
    weights = weights if weighted else None
    params = DRAWN | {"subsample": subsample, "ccp_alpha": alpha, "max_depth": 4}
    ours = GradientBoostingRegressor(**params).fit(X, y, weights)
    same_draws(subsample, 25, 5)
    theirs = ensemble.GradientBoostingRegressor(**params).fit(X, y, weights)
    assert_same_on_drawn_rows(ours, theirs, X, "predict")


@pytest.mark.parametrize("alpha", [0.0, 0.002, 0.02])
@pytest.mark.parametrize(("loss", "n_classes"), [("log_loss", 2), ("exponential", 2), ("log_loss", 3)])
def test_classes_get_the_same_trees_and_out_of_bag_scores_from_the_same_rows(
    loss, n_classes, alpha, same_draws
):
    X, y, weights = table(4)
    y = labels(y, n_classes)
    params = DRAWN | {"loss": loss, "subsample": 0.6, "ccp_alpha": alpha, "max_depth": 4}
    ours = GradientBoostingClassifier(**params).fit(X, y, weights)
    same_draws(0.6, 25, 5)
    theirs = ensemble.GradientBoostingClassifier(**params).fit(X, y, weights)
    assert_same_on_drawn_rows(ours, theirs, X, "decision_function")


def test_rounds_that_are_added_improve_on_the_last_out_of_bag_score_as_in_scikit_learn(same_draws):
    X, y, _ = table(5)
    params = DRAWN | {"subsample": 0.7, "warm_start": True}
    ours = GradientBoostingRegressor(**params | {"n_estimators": 10}).fit(X, y)
    ours.set_params(n_estimators=25).fit(X, y)
    same_draws(0.7, 25, 5)
    theirs = ensemble.GradientBoostingRegressor(**params | {"n_estimators": 10}).fit(X, y)
    theirs.set_params(n_estimators=25).fit(X, y)
    assert_same_on_drawn_rows(ours, theirs, X, "predict")


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
