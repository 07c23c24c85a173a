"""Learning rates that differ from round to round, and trees that remember how they grew."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.unit.boosting.boost_data import BOOSTERS, answers, table

import treewright
from treewright import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    NewtonBoostingRegressor,
)


def halving(number):
    return 0.5**number


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_function_of_the_round_is_as_warm_starts_with_its_rates(cls):
    X, y = table(cls)
    at_once = cls(n_estimators=4, learning_rate=halving, random_state=0).fit(X, y)
    one_by_one = cls(n_estimators=1, learning_rate=0.5, warm_start=True, random_state=0).fit(X, y)
    for number in (2, 3, 4):
        one_by_one.set_params(n_estimators=number, learning_rate=halving(number)).fit(X, y)
    assert at_once.model_.trees.equals(one_by_one.model_.trees)
    for booster in (at_once, one_by_one):
        np.testing.assert_array_equal(booster.model_.arrays["learning_rates"], [0.5, 0.25, 0.125, 0.0625])


def test_the_exact_method_has_rates_of_rounds_too():
    X, y = table(NewtonBoostingRegressor)
    params = {"tree_method": "exact", "n_estimators": 3}
    listed = NewtonBoostingRegressor(learning_rate=[0.5, 0.25, 0.125], **params).fit(X, y)
    called = NewtonBoostingRegressor(learning_rate=halving, **params).fit(X, y)
    constant = NewtonBoostingRegressor(learning_rate=0.5, **params).fit(X, y)
    assert listed.model_.trees.equals(called.model_.trees)
    assert not listed.model_.trees.equals(constant.model_.trees)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_the_last_rate_of_a_list_goes_on(cls):
    X, y = table(cls)
    short = cls(n_estimators=4, learning_rate=[0.5, 0.25], random_state=0).fit(X, y)
    long = cls(n_estimators=4, learning_rate=[0.5, 0.25, 0.25, 0.25, 7.0], random_state=0).fit(X, y)
    assert short.model_.trees.equals(long.model_.trees)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_file_has_the_rates_that_were_used_and_no_function(cls, tmp_path):
    X, y = table(cls)
    booster = cls(n_estimators=4, learning_rate=halving, random_state=0).fit(X, y)
    booster.save(tmp_path / "m.tree")
    loaded = treewright.load(tmp_path / "m.tree")
    assert loaded.learning_rate == [0.5, 0.25, 0.125, 0.0625]
    np.testing.assert_array_equal(answers(loaded, X), answers(booster, X))
    again = clone(loaded).fit(X, y)
    assert again.model_.trees.equals(booster.model_.trees)
    constant = cls(n_estimators=4, learning_rate=lambda number: 0.3).fit(X, y)
    assert "learning_rates" not in constant.model_.arrays


def test_rates_that_are_none_are_refused_with_their_round():
    X, y = table(GradientBoostingRegressor)
    for wrong, words in (
        (lambda number: -1 if number == 3 else 0.1, "round 3 must be a number of at least 0.*says -1"),
        (lambda number: "fast", "round 1 must be a number.*says 'fast'"),
        ([0.1, np.nan], "round 2 must be a number"),
        ([], "at least one rate"),
    ):
        with pytest.raises(ValueError, match=words):
            GradientBoostingRegressor(n_estimators=5, learning_rate=wrong).fit(X, y)
    with pytest.raises(ValueError, match="The 'learning_rate' parameter of AdaBoostClassifier"):
        AdaBoostClassifier(learning_rate=halving).fit(X, y > 0)


@pytest.mark.parametrize("cls", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_trees_of_rounds_with_other_rates_add_up_to_the_raw_score(cls):
    X, y = table(cls)
    booster = cls(n_estimators=4, learning_rate=halving).fit(X, y)
    raw = booster.model_.arrays["start"][0] + sum(
        halving(number) * booster.estimators_[number - 1, 0].predict(X) for number in range(1, 5)
    )
    scores = booster.predict(X) if cls is GradientBoostingRegressor else booster.decision_function(X)
    np.testing.assert_allclose(scores, raw)
    report = booster.explain_split(0, tree=2)
    assert report.learning_rate == 0.125


@pytest.mark.parametrize("cls", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_trees_remember_the_settings_that_they_grew_with(cls, tmp_path):
    X, y = table(cls, n_classes=3)
    booster = cls(n_estimators=2, max_depth=1, warm_start=True).fit(X, y)
    booster.set_params(n_estimators=4, max_depth=2, min_samples_leaf=5, learning_rate=0.5).fit(X, y)
    booster.set_params(n_estimators=5, max_depth=1).fit(X, y)
    booster.save(tmp_path / "m.tree")
    for one in (booster, treewright.load(tmp_path / "m.tree")):
        members = one.estimators_[:, -1]
        assert [tree.max_depth for tree in members] == [1, 1, 2, 2, 1]
        assert [tree.min_samples_leaf for tree in members] == [1, 1, 5, 5, 5]
        assert [tree.get_depth() <= tree.max_depth for tree in members] == [True] * 5
    np.testing.assert_array_equal(booster.model_.arrays["learning_rates"], [0.1, 0.1, 0.5, 0.5, 0.5])
    same = cls(n_estimators=2, warm_start=True).fit(X, y).set_params(n_estimators=3).fit(X, y)
    assert "earlier_fits" not in same.model_.facts
