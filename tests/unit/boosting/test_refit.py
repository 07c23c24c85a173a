"""Leaves that are learned again from other rows."""

import numpy as np
import pytest
from tests.unit.boosting.boost_data import BOOSTERS, REGRESSORS, answers, mixed_table, table

import treewright
from treewright import GradientBoostingRegressor, NewtonBoostingClassifier, NewtonBoostingRegressor
from treewright.boosting.losses import LOSSES_OF_NUMBERS


@pytest.mark.parametrize("make", [table, mixed_table])
@pytest.mark.parametrize("cls", BOOSTERS)
def test_the_rows_of_the_fit_give_the_leaves_of_the_fit(cls, make):
    X, y = make(cls)
    weights = 1.0 + np.arange(len(y)) % 3
    booster = cls(n_estimators=6, random_state=0).fit(X, y, weights)
    again = booster.refit_leaves(X, y, weights, decay=0.0)
    np.testing.assert_allclose(answers(again, X), answers(booster, X), rtol=1e-4, atol=1e-5)
    same = booster.refit_leaves(X, y, weights, decay=1.0)
    np.testing.assert_array_equal(answers(same, X), answers(booster, X))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cls", [cls for cls in BOOSTERS if cls not in REGRESSORS])
def test_classes_give_the_leaves_of_the_fit_too(cls, n_classes):
    X, y = table(cls, n_classes=n_classes)
    booster = cls(n_estimators=5, random_state=0).fit(X, y)
    again = booster.refit_leaves(X, y, decay=0.0)
    np.testing.assert_allclose(answers(again, X), answers(booster, X), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES_OF_NUMBERS)
@pytest.mark.parametrize("cls", REGRESSORS)
def test_every_loss_gives_the_leaves_of_the_fit(cls, loss):
    X, y = table(cls)
    y = np.abs(y) + 0.1
    booster = cls(loss=loss, n_estimators=4, random_state=0).fit(X, y)
    again = booster.refit_leaves(X, y, decay=0.0)
    np.testing.assert_allclose(again.predict(X), booster.predict(X), rtol=1e-4)


def test_penalties_limits_and_rates_count_again():
    X, y = table(NewtonBoostingRegressor)
    params = {"reg_alpha": 2.0, "reg_lambda": 3.0, "max_delta_step": 0.5, "learning_rate": [0.5, 0.2]}
    for method in ("hist", "exact"):
        booster = NewtonBoostingRegressor(n_estimators=4, tree_method=method, **params).fit(X, y)
        again = booster.refit_leaves(X, y, decay=0.0)
        np.testing.assert_allclose(again.predict(X), booster.predict(X), rtol=1e-4, atol=1e-5)
    X, y = table(NewtonBoostingClassifier, n_classes=3)
    exact = NewtonBoostingClassifier(n_estimators=3, tree_method="exact").fit(X, y)
    again = exact.refit_leaves(X, y, decay=0.0)
    np.testing.assert_allclose(again.predict_proba(X), exact.predict_proba(X), rtol=1e-4)


def test_one_tree_mixes_the_means_of_old_and_new_rows():
    X, y = table(GradientBoostingRegressor)
    booster = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, max_depth=2, init="zero")
    booster.fit(X[:200], y[:200])
    new = booster.refit_leaves(X[200:], y[200:] + 5, decay=0.25)
    leaves = booster.apply(X[200:])[:, 0]
    means = np.array([(y[200:] + 5)[leaves == leaf].mean() for leaf in leaves])
    np.testing.assert_allclose(new.predict(X[200:]), 0.25 * booster.predict(X[200:]) + 0.75 * means)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_leaf_without_new_rows_keeps_its_value(cls):
    X, y = table(cls)
    booster = cls(n_estimators=3, random_state=0).fit(X, y)
    before = booster.model_.trees.arrays["number"].copy()
    one = booster.refit_leaves(X[:1], y[:1], decay=0.5)
    changed = np.flatnonzero(one.model_.trees.arrays["number"] != before)
    assert 1 <= len(changed) <= len(booster.model_.trees)
    np.testing.assert_array_equal(booster.model_.trees.arrays["number"], before)
    np.testing.assert_array_equal(one.apply(X), booster.apply(X))


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_refitted_booster_is_saved_goes_on_and_has_no_scores_of_the_fit(cls, tmp_path):
    X, y = table(cls)
    booster = cls(n_estimators=3, random_state=0, warm_start=True).fit(X, y, X_val=X, y_val=y)
    new = booster.refit_leaves(X[:100], y[:100])
    assert not hasattr(new, "train_score_") and len(new.validation_score_) == 0
    assert hasattr(booster, "train_score_")
    new.save(tmp_path / "m.tree")
    np.testing.assert_array_equal(answers(treewright.load(tmp_path / "m.tree"), X), answers(new, X))
    new.set_params(n_estimators=5).fit(X, y)
    assert new.n_iter_ == 5


def test_what_cannot_be_refitted_is_refused():
    X, y = table(NewtonBoostingRegressor)
    booster = NewtonBoostingRegressor(n_estimators=2).fit(X, y)
    for wrong in (-0.1, 1.5, "half", True):
        with pytest.raises(ValueError, match="decay must be a number from 0 to 1"):
            booster.refit_leaves(X, y, decay=wrong)
    with pytest.raises(ValueError, match="which leaf values of other rows need not obey"):
        NewtonBoostingRegressor(n_estimators=2, monotonic_cst=[1, 0, 0, 0, 0]).fit(X, y).refit_leaves(X, y)
    with pytest.raises(ValueError, match="features"):
        booster.refit_leaves(X[:, :2], y)
