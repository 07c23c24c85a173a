"""gamma="auto": a split must gain more than chance would."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

from treewright import (
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
    load,
)
from treewright.exceptions import SingleLeafWarning

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(600, 8))
Y = X[:, 0] + np.sin(3 * X[:, 1]) + RANDOM.normal(size=600)
LABELS = (Y > 0).astype(int)
NOISE = RANDOM.normal(size=600)

REGRESSORS = (NewtonBoostingRegressor, LeafwiseBoostingRegressor)
CLASSIFIERS = (NewtonBoostingClassifier, LeafwiseBoostingClassifier)


def gammas(booster):
    return booster.model_.arrays["least_gain"]


@pytest.mark.parametrize("cls", REGRESSORS)
@pytest.mark.parametrize("weight", [None, RANDOM.integers(1, 4, 600).astype(float)])
def test_gamma_is_a_multiple_of_what_chance_gains_in_the_round(cls, weight):
    booster = cls(n_estimators=3, gamma="auto", max_features=None).fit(X, Y, sample_weight=weight)
    w = np.ones(600) if weight is None else weight
    times = 0.35 * (1 + math.log(8))
    for tree, raw in enumerate([np.full(600, np.average(Y, weights=w)), *booster.staged_predict(X)][:3]):
        assert gammas(booster)[tree] == pytest.approx(times * np.average((raw - Y) ** 2, weights=w), rel=1e-5)


def test_gamma_of_classes_is_that_of_their_gradients():
    booster = LeafwiseBoostingClassifier(n_estimators=1).fit(X, LABELS)
    p = LABELS.mean()
    expected = np.mean((p - LABELS) ** 2) / (p * (1 - p))
    assert gammas(booster)[0] == pytest.approx(0.35 * (1 + math.log(4)) * expected, rel=1e-5)
    three = LeafwiseBoostingClassifier(n_estimators=2).fit(X, np.arange(600) % 3)
    assert len(gammas(three)) == 6


def test_noise_is_not_learned_by_heart():
    plain = LeafwiseBoostingRegressor(gamma=0.0).fit(X, NOISE)
    careful = LeafwiseBoostingRegressor().fit(X, NOISE)
    assert np.std(careful.predict(X)) < 0.75 * np.std(plain.predict(X))
    assert careful.model_.trees.node_count < 0.4 * plain.model_.trees.node_count


def test_columns_without_values_do_not_count():
    wide = np.column_stack([X, np.full((600, 20), 7.0), np.full((600, 3), np.nan)])
    settings = {"n_estimators": 5, "max_features": None}
    narrow = LeafwiseBoostingRegressor(**settings).fit(X, Y)
    np.testing.assert_array_equal(
        LeafwiseBoostingRegressor(**settings).fit(wide, Y).predict(wide), narrow.predict(X)
    )


@pytest.mark.parametrize("cls", [*REGRESSORS])
def test_a_weight_of_two_is_the_row_twice(cls):
    x, y = np.round(X, 1), np.round(Y, 2)
    weight = RANDOM.integers(1, 4, 600)
    settings = {"n_estimators": 20, "gamma": "auto", "random_state": 0}
    weighted = cls(**settings).fit(x, y, sample_weight=weight)
    repeated = cls(**settings).fit(x.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(gammas(weighted), gammas(repeated), rtol=1e-6)


def test_the_exact_method_prunes_by_the_same_rule():
    exact = NewtonBoostingRegressor(n_estimators=5, tree_method="exact", gamma="auto").fit(X, Y)
    plain = NewtonBoostingRegressor(n_estimators=5, tree_method="exact").fit(X, Y)
    assert exact.model_.trees.node_count < plain.model_.trees.node_count
    first = exact.model_.trees[0]
    bottom = [
        node
        for node in range(first.node_count)
        if first.feature[node] >= 0
        and all(first.feature[child] < 0 for child in (first.children_left[node], first.children_right[node]))
    ]
    assert bottom
    for node in bottom:
        assert exact.explain_split(node, tree=0).winner.competing_gain >= gammas(exact)[0]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_added_rounds_bring_their_gamma(cls):
    whole = cls(n_estimators=6, gamma="auto", random_state=0).fit(X, LABELS)
    grown = cls(n_estimators=4, gamma="auto", random_state=0, warm_start=True).fit(X, LABELS)
    grown.set_params(n_estimators=6).fit(X, LABELS)
    np.testing.assert_array_equal(gammas(grown), gammas(whole))
    changed = grown.set_params(n_estimators=7, gamma=2.5).fit(X, LABELS)
    assert gammas(changed).tolist() == [*gammas(whole).tolist(), 2.5]
    stopped = cls(n_estimators=60, gamma="auto", early_stopping=True, random_state=0).fit(X, LABELS)
    assert len(gammas(stopped)) == len(stopped.model_.trees)


def test_reports_say_how_gamma_came_about():
    booster = LeafwiseBoostingRegressor(n_estimators=2, max_features=None).fit(X, Y)
    report = booster.explain_split(0, X, Y, tree=1)
    assert report.gamma == gammas(booster)[1] > 0
    assert 'gamma="auto": γ is 1.078 times Σg²/Σh' in str(report)
    plain = LeafwiseBoostingRegressor(n_estimators=1, gamma=0.0).fit(X, Y)
    assert "auto" not in str(plain.explain_split(0))


def test_a_file_keeps_gamma_and_is_refused_when_it_lacks_some(tmp_path):
    booster = LeafwiseBoostingRegressor(n_estimators=4).fit(X, Y)
    path = tmp_path / "booster.tw"
    booster.save(path)
    np.testing.assert_array_equal(gammas(load(path)), gammas(booster))
    model = replace(booster.model_, arrays={**booster.model_.arrays, "least_gain": gammas(booster)[:3]})
    with pytest.raises(ValueError, match="least_gain has not one number for each tree"):
        LeafwiseBoostingRegressor.from_model(model)


def test_a_booster_from_before_gamma_was_kept_goes_on():
    old = LeafwiseBoostingRegressor(n_estimators=2, gamma=1.5).fit(X, Y).model_
    without = {name: array for name, array in old.arrays.items() if name != "least_gain"}
    booster = LeafwiseBoostingRegressor.from_model(replace(old, arrays=without))
    assert booster.explain_split(0, tree=1).gamma == 1.5
    booster.set_params(warm_start=True, n_estimators=3).fit(X, Y)
    assert gammas(booster).tolist() == [1.5] * 3


def test_weights_that_are_too_small_to_learn_from_are_named():
    with pytest.warns(SingleLeafWarning, match=r"weights are small, 0\.00167 on average.* gamma=0"):
        booster = LeafwiseBoostingRegressor(n_estimators=2).fit(X, Y, sample_weight=np.full(600, 1 / 600))
    assert np.ptp(booster.predict(X)) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LeafwiseBoostingRegressor(n_estimators=2).fit(X, Y, sample_weight=np.full(600, 0.5))


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="gamma"):
        LeafwiseBoostingRegressor(gamma="much").fit(X, Y)
    assert LeafwiseBoostingRegressor(n_estimators=1).fit(X, Y).model_.params["gamma"] == "auto"
