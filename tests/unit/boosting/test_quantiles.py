"""quantiles=True: boosters know how large their errors are on rows that they have not seen."""

from dataclasses import replace

import numpy as np
import pytest

from treewright import (
    GradientBoostingRegressor,
    LeafwiseBoostingRegressor,
    NewtonBoostingRegressor,
    load,
)

RANDOM = np.random.default_rng(7)
BOOSTERS = (GradientBoostingRegressor, LeafwiseBoostingRegressor, NewtonBoostingRegressor)
# The noise grows with the answer.
X = RANDOM.uniform(0, 1, size=(6000, 4))
MEAN = 2 + 4 * X[:, 0] + X[:, 1]
Y = MEAN + MEAN / 4 * RANDOM.normal(size=6000)
LEARNED, NEW = slice(0, 2000), slice(2000, 6000)


def fitted(cls=LeafwiseBoostingRegressor, **params):
    return cls(n_estimators=60, learning_rate=0.1, quantiles=True, **params)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_intervals_hold_the_share_of_new_rows_that_they_say(cls):
    booster = fitted(cls).fit(X[LEARNED], Y[LEARNED])
    for coverage in (0.5, 0.8, 0.9, 0.95):
        low, high = booster.predict_interval(X[NEW], coverage).T
        held = np.mean((Y[NEW] >= low) & (Y[NEW] <= high))
        assert held == pytest.approx(coverage, abs=0.03)
        below = np.mean(Y[NEW] < low)
        assert below == pytest.approx((1 - coverage) / 2, abs=0.02)


def test_intervals_are_wider_where_errors_are_larger():
    low, high = fitted().fit(X[LEARNED], Y[LEARNED]).predict_interval(X[NEW]).T
    width, mean = high - low, MEAN[NEW]
    assert width[mean > 6].mean() > 1.5 * width[mean < 3.5].mean()


@pytest.mark.parametrize("cls", BOOSTERS)
def test_the_model_itself_stays_the_same(cls):
    plain = cls(n_estimators=20, random_state=1).fit(X[:300], Y[:300])
    knowing = cls(n_estimators=20, random_state=1, quantiles=True).fit(X[:300], Y[:300])
    np.testing.assert_array_equal(plain.predict(X), knowing.predict(X))


def test_quantiles_rise_and_one_share_gives_one_column():
    booster = fitted().fit(X[:500], Y[:500])
    found = booster.predict_quantiles(X[NEW], np.linspace(0, 1, 23))
    assert found.shape == (4000, 23)
    assert (np.diff(found, axis=1) >= 0).all()
    np.testing.assert_array_equal(booster.predict_quantiles(X[NEW], 0.5), found[:, 11])


def test_a_weight_is_a_number_of_rows_and_threads_do_not_matter():
    weights = RANDOM.integers(1, 4, 400).astype(float)
    found = [
        fitted(n_jobs=n_jobs).fit(X[:400], Y[:400], sample_weight=weights).predict_quantiles(X[NEW])
        for n_jobs in (1, 3)
    ]
    np.testing.assert_array_equal(*found)
    heavy = np.where(Y > MEAN, 4.0, 1.0)
    weighted = fitted().fit(X[LEARNED], Y[LEARNED], sample_weight=heavy[LEARNED])
    low, high = weighted.predict_interval(X[NEW], 0.8).T
    outside = (Y[NEW] < low) | (Y[NEW] > high)
    assert np.average(outside, weights=heavy[NEW]) == pytest.approx(0.2, abs=0.03)


def test_quantiles_of_counts_are_not_negative_and_losses_of_one_quantile_have_intervals_too():
    counts = RANDOM.poisson(MEAN[:1000] / 4)
    low = fitted(loss="poisson").fit(X[:1000], counts).predict_interval(X[NEW])[:, 0]
    assert low.min() == 0.0
    high = fitted(loss="quantile", alpha=0.9).fit(X[LEARNED], Y[LEARNED])
    low, high = high.predict_interval(X[NEW]).T
    assert np.mean((Y[NEW] >= low) & (Y[NEW] <= high)) == pytest.approx(0.9, abs=0.03)


def test_early_stopping_validation_rows_callbacks_and_warm_starts_go_together_with_quantiles():
    calls = []
    booster = LeafwiseBoostingRegressor(
        n_estimators=200,
        early_stopping=True,
        quantiles=True,
        callbacks=[lambda state: calls.append(state.round) or False],
    ).fit(X[:600], Y[:600])
    assert booster.predict_interval(X[:5]).shape == (5, 2)
    assert len(calls) < 2 * booster.n_estimators  # the folds call nobody
    more = fitted(warm_start=True).fit(X[:600], Y[:600])
    more.set_params(n_estimators=80).fit(X[:600], Y[:600])
    whole = LeafwiseBoostingRegressor(n_estimators=80, learning_rate=0.1, quantiles=True).fit(
        X[:600], Y[:600]
    )
    np.testing.assert_array_equal(more.predict_quantiles(X), whole.predict_quantiles(X))


def test_a_file_keeps_the_errors_and_altered_ones_are_refused(tmp_path):
    booster = fitted().fit(X[:300], Y[:300])
    booster.save(tmp_path / "booster.tw")
    np.testing.assert_array_equal(
        load(tmp_path / "booster.tw").predict_quantiles(X), booster.predict_quantiles(X)
    )
    arrays = booster.model_.arrays
    errors = arrays["error_band_errors"]
    for changed in (
        {"error_band_errors": errors[:, ::-1].copy()},
        {"error_band_errors": errors[:1]},
        {"error_band_errors": np.full_like(errors, np.nan)},
        {"error_band_edges": arrays["error_band_edges"].astype(np.float32)},
        {"error_band_edges": np.zeros(2)},
    ):
        model = replace(booster.model_, arrays={**arrays, **changed})
        with pytest.raises(ValueError, match="errors"):
            LeafwiseBoostingRegressor.from_model(model)


def test_few_rows_equal_answers_and_constant_targets_have_intervals():
    booster = LeafwiseBoostingRegressor(n_estimators=5, quantiles=True).fit(X[:2], Y[:2])
    assert np.isfinite(booster.predict_interval(X[:3])).all()
    with pytest.warns(UserWarning, match="in every row"):
        constant = LeafwiseBoostingRegressor(n_estimators=5, quantiles=True).fit(X[:300], np.ones(300))
    np.testing.assert_allclose(constant.predict_interval(X[:3]), 1.0)


def test_what_cannot_be_asked_is_refused_with_the_reason():
    plain = LeafwiseBoostingRegressor(n_estimators=2).fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="fit it with quantiles=True"):
        plain.predict_interval(X)
    with pytest.raises(ValueError, match="pass no offset"):
        fitted().fit(X[:50], Y[:50], offset=np.ones(50))
    with (
        pytest.warns(UserWarning, match="in every row"),
        pytest.raises(ValueError, match="at least two rows"),
    ):
        fitted().fit(X[:1], Y[:1])
    booster = fitted().fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="coverage must be"):
        booster.predict_interval(X, 90)
    with pytest.raises(ValueError, match="q must be"):
        booster.predict_quantiles(X, [0.5, 1.5])
