"""Quantiles by the training rows that share leaves with a row (Meinshausen 2006)."""

import numpy as np
import pytest
from tests.unit.forests.forest_data import REGRESSORS, mixed_table, noisy_table

from treewright import BaggingRegressor, CARTRegressor, RandomForestRegressor


def brute_force(forest, X, y, new, shares, weights=None):
    """Return the quantiles by the definition: weights of all training rows, then their distribution."""
    total = np.zeros((len(new), len(y)))
    for number, tree in enumerate(forest.estimators_):
        amount = np.bincount(forest.estimators_samples_[number], minlength=len(y)).astype(float)
        if weights is not None:
            amount = weights
        same = tree.apply(new)[:, np.newaxis] == tree.apply(X)[np.newaxis]
        total += same * amount / (same * amount).sum(axis=1, keepdims=True)
    order = np.argsort(y, kind="stable")
    running = np.cumsum(total[:, order], axis=1) / len(forest.estimators_)
    return np.array([[y[order][np.argmax(row >= share - 1e-9)] for share in shares] for row in running])


@pytest.mark.parametrize("table", [noisy_table, mixed_table])
@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("cls", REGRESSORS)
def test_quantiles_follow_the_definition(cls, bootstrap, table):
    X, y = table(cls)
    y = np.round(y, 1)  # with ties
    forest = cls(n_estimators=7, bootstrap=bootstrap, quantiles=True, random_state=0)
    if cls is not BaggingRegressor:
        forest.set_params(min_samples_leaf=5)
    forest.fit(X, y)
    new, _ = table(cls, 60, seed=1)
    shares = [0.03, 0.31, 0.5, 0.77, 0.98]
    expected = brute_force(forest, X, y, new, shares)
    np.testing.assert_array_equal(forest.predict_quantiles(new, shares), expected)
    np.testing.assert_array_equal(forest.predict_quantiles(new, 0.5), expected[:, 2])


def test_weights_count_where_every_tree_gets_every_row():
    X, y = noisy_table(RandomForestRegressor)
    weights = np.random.default_rng(0).integers(1, 5, len(y)).astype(float)
    forest = RandomForestRegressor(
        n_estimators=5, bootstrap=False, max_features=2, min_samples_leaf=8, quantiles=True, random_state=0
    ).fit(X, y, sample_weight=weights)
    expected = brute_force(forest, X, y, X[:40], [0.11, 0.63], weights)
    np.testing.assert_array_equal(forest.predict_quantiles(X[:40], [0.11, 0.63]), expected)


def test_an_interval_holds_about_as_many_new_rows_as_it_should():
    X, y = noisy_table(RandomForestRegressor, 3000)
    forest = RandomForestRegressor(min_samples_leaf=10, quantiles=True, random_state=0, n_jobs=2)
    forest.fit(X[:1500], y[:1500])
    low, high = forest.predict_interval(X[1500:], coverage=0.8).T
    assert 0.76 < np.mean((low <= y[1500:]) & (y[1500:] <= high)) < 0.9


def test_the_extremes_are_those_of_the_leaves():
    X, y = noisy_table(RandomForestRegressor)
    forest = RandomForestRegressor(n_estimators=5, min_samples_leaf=5, quantiles=True, random_state=0).fit(
        X, y
    )
    low, middle, high = forest.predict_quantiles(X, [0.0, 0.5, 1.0]).T
    assert (low <= middle).all() and (middle <= high).all()
    assert set(low) | set(high) <= set(y)


@pytest.mark.parametrize("q", [-0.1, 1.1, [], [[0.5]], [0.5, float("nan")]])
def test_shares_are_between_zero_and_one(q):
    X, y = noisy_table(RandomForestRegressor)
    forest = RandomForestRegressor(n_estimators=2, quantiles=True).fit(X, y)
    with pytest.raises(ValueError, match="q must be a number from 0 to 1"):
        forest.predict_quantiles(X, q)
    with pytest.raises(ValueError, match="coverage must be a number between 0 and 1"):
        forest.predict_interval(X, 1.0)


def test_a_forest_that_did_not_keep_its_rows_says_so():
    X, y = noisy_table(RandomForestRegressor)
    with pytest.raises(ValueError, match="fit it with quantiles=True"):
        RandomForestRegressor(n_estimators=2).fit(X, y).predict_quantiles(X)
    bag = BaggingRegressor(CARTRegressor(missing="surrogate"), quantiles=True)
    with pytest.raises(ValueError, match="rows of leaves only for CART without"):
        bag.fit(X, y)
