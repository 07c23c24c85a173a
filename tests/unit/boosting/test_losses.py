"""Losses of boosters: their links, the user's own, offsets and weights."""

import numpy as np
import pytest
from sklearn.metrics import (
    d2_pinball_score,
    mean_gamma_deviance,
    mean_poisson_deviance,
    mean_tweedie_deviance,
)
from tests.unit.boosting.boost_data import BOOSTERS, CLASSIFIERS, REGRESSORS, answers, table

from treewright import GradientBoostingRegressor


def positive(cls):
    X, y = table(cls)
    return X, np.exp(y / 3)


@pytest.mark.parametrize(
    ("loss", "deviance"),
    [
        ("poisson", mean_poisson_deviance),
        ("gamma", mean_gamma_deviance),
        ("tweedie", lambda y, p: mean_tweedie_deviance(y, p, power=1.5)),
    ],
)
@pytest.mark.parametrize("cls", REGRESSORS)
def test_losses_with_a_logarithm_predict_positive_numbers_and_lower_the_deviance(cls, loss, deviance):
    X, y = positive(cls)
    booster = cls(loss=loss, n_estimators=40).fit(X, y)
    predicted = booster.predict(X)
    assert (predicted > 0).all()
    assert deviance(y, predicted) < 0.4 * deviance(y, np.full(len(y), y.mean()))


@pytest.mark.parametrize("cls", REGRESSORS)
def test_the_quantile_loss_has_its_share_of_rows_below(cls):
    X, y = table(cls, n_rows=600)
    booster = cls(loss="quantile", alpha=0.8, n_estimators=60).fit(X, y)
    assert d2_pinball_score(y, booster.predict(X), alpha=0.8) > 0.4
    assert 0.7 < np.mean(y <= booster.predict(X)) < 0.9


@pytest.mark.parametrize("loss", ["absolute_error", "huber"])
@pytest.mark.parametrize("cls", REGRESSORS)
def test_losses_of_the_median_do_not_follow_outliers(cls, loss):
    X, y = table(cls, n_rows=600)
    spoilt = y.copy()
    spoilt[::20] += 1000
    clean = np.setdiff1d(np.arange(600), np.arange(0, 600, 20))
    robust = cls(loss=loss, n_estimators=60, alpha=0.8).fit(X, spoilt)
    plain = cls(n_estimators=60).fit(X, spoilt)
    errors = [np.abs(y - b.predict(X))[clean].mean() for b in (robust, plain)]
    assert errors[0] < 0.2 * errors[1]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_the_exponential_loss_is_for_two_classes(cls):
    X, y = table(cls)
    booster = cls(loss="exponential", n_estimators=30).fit(X, y)
    np.testing.assert_allclose(
        booster.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * booster.decision_function(X)))
    )
    assert booster.score(X, y) > 0.85
    with pytest.raises(ValueError, match="is only suitable for a binary classification, but y has 3 classes"):
        cls(loss="exponential").fit(*table(cls, n_classes=3))


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_loss_of_the_user_equals_ours_with_the_same_derivatives(cls):
    X, y = table(cls)
    weights = np.random.RandomState(1).rand(len(y)) + 0.5

    def own(truth, raw, weight):
        if cls in REGRESSORS:
            return weight * (raw - truth), weight
        p = 1 / (1 + np.exp(-raw))
        return weight * (p - truth), weight * p * (1 - p)

    mine = cls(loss=own, n_estimators=8).fit(X, y, weights)
    ours = cls(init="zero", n_estimators=8).fit(X, y, weights)
    np.testing.assert_allclose(answers(mine, X), answers(ours, X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_loss_that_returns_nonsense_is_named(cls):
    X, y = table(cls)

    def not_finite(truth, raw, weight):
        return np.where(np.arange(len(raw)) == 7, np.nan, raw), np.ones_like(raw)

    def short(truth, raw, weight):
        return raw[:3], raw

    def lonely(truth, raw, weight):
        return raw

    def negative(truth, raw, weight):
        return raw - truth, -np.ones_like(raw)

    for loss, words in (
        (not_finite, "'not_finite' are not finite: row 7"),
        (short, r"'short' have shape \(3,\), expected \(300,\)"),
        (lonely, "'lonely' must return two arrays"),
        (negative, "'negative' must not be negative"),
    ):
        with pytest.raises(ValueError, match=words):
            cls(loss=loss).fit(X, y)
    with pytest.raises(ValueError, match="pass scoring=metric"):
        cls(loss=negative).fit(X, y, X_val=X, y_val=y)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_weight_is_a_number_of_equal_rows(cls):
    X, y = table(cls, n_rows=150)
    counts = np.random.RandomState(2).randint(0, 4, len(y))
    weighted = cls(n_estimators=6, min_samples_leaf=1).fit(X, y, sample_weight=counts)
    repeated = cls(n_estimators=6, min_samples_leaf=1).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(answers(weighted, X), answers(repeated, X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_class_weights_multiply_the_weights_of_rows(cls):
    X, y = table(cls)
    balanced = cls(n_estimators=5, class_weight={0: 3.0}).fit(X, y)
    weighted = cls(n_estimators=5).fit(X, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    np.testing.assert_array_equal(answers(balanced, X), answers(weighted, X))


@pytest.mark.parametrize("cls", REGRESSORS)
def test_an_offset_is_where_the_scores_start(cls):
    X, y = table(cls)
    known = 5 * X[:, 4]
    with_offset = cls(n_estimators=10).fit(X, y + known, offset=known)
    plain = cls(n_estimators=10).fit(X, y)
    np.testing.assert_allclose(with_offset.predict(X), plain.predict(X), atol=1e-6)


def test_the_offset_of_counts_is_the_logarithm_of_the_exposure():
    random = np.random.RandomState(0)
    X = random.rand(4000, 2)
    exposure = random.rand(4000) + 0.1
    y = random.poisson(exposure * np.exp(X[:, 0]))
    booster = GradientBoostingRegressor(loss="poisson", n_estimators=30).fit(X, y, offset=np.log(exposure))
    rate = booster.predict(X)
    assert np.abs(np.log(rate) - X[:, 0]).mean() < 0.15
    held_out = GradientBoostingRegressor(loss="poisson", n_estimators=3).fit(
        X, y, offset=np.log(exposure), X_val=X, y_val=y, offset_val=np.log(exposure)
    )
    np.testing.assert_allclose(held_out.train_score_, held_out.validation_score_)


def test_the_offset_of_several_classes_has_a_column_for_each():
    cls = CLASSIFIERS[0]
    X, y = table(cls, n_classes=3)
    first = cls(n_estimators=5, init="zero").fit(X, y)
    more = cls(n_estimators=5, init="zero").fit(X, y, offset=first.decision_function(X))
    whole = cls(n_estimators=10, init="zero").fit(X, y)
    total = first.decision_function(X) + more.decision_function(X)
    np.testing.assert_allclose(total, whole.decision_function(X), atol=1e-9)
