"""Weights of rows in forests that draw rows: equal in distribution to repeated rows."""

import numpy as np
import pytest
from scipy.stats import kstest, ttest_ind
from tests.unit.forests.forest_data import FORESTS, answers, noisy_table, same_forest

from treewright import BaggingClassifier, RandomForestClassifier, RandomForestRegressor


@pytest.mark.parametrize("cls", [BaggingClassifier, RandomForestClassifier, RandomForestRegressor])
def test_weighted_rows_predict_like_repeated_rows_in_distribution(cls):
    X, y = noisy_table(cls, 80)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    X_repeated, y_repeated = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    draws = int(weights.sum())
    new, _ = noisy_table(cls, 15, seed=1)

    def predictions(rows, target, weight, seed):
        forest = cls(n_estimators=10, max_samples=draws, random_state=seed)
        return answers(forest.fit(rows, target, sample_weight=weight), new).reshape(15, -1)[:, 0]

    weighted = np.array([predictions(X, y, weights.astype(float), seed) for seed in range(60)])
    repeated = np.array([predictions(X_repeated, y_repeated, None, seed + 1000) for seed in range(60)])
    spread = weighted.std(axis=0) + repeated.std(axis=0)
    varies = spread > 1e-9
    assert varies.any()
    assert ttest_ind(weighted[:, varies], repeated[:, varies]).pvalue.min() > 1e-4
    np.testing.assert_allclose(weighted[:, ~varies].mean(axis=0), repeated[:, ~varies].mean(axis=0))


def test_the_sizes_of_the_trees_have_the_same_distribution():
    X, y = noisy_table(RandomForestClassifier, 150)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    params = {"n_estimators": 150, "max_samples": int(weights.sum()), "random_state": 0}
    one = RandomForestClassifier(**params).fit(X, y, sample_weight=weights)
    two = RandomForestClassifier(**params).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert kstest(one.model_.trees.leaf_counts, two.model_.trees.leaf_counts).pvalue > 1e-3


@pytest.mark.parametrize("cls", FORESTS)
def test_rows_of_weight_zero_are_absent(cls):
    X, y = noisy_table(cls)
    weights = np.random.default_rng(0).integers(0, 2, len(y)).astype(float)
    weighted = cls(n_estimators=4, random_state=0).fit(X, y, sample_weight=weights)
    same_forest(weighted, cls(n_estimators=4, random_state=0).fit(X[weights > 0], y[weights > 0]))


@pytest.mark.parametrize("cls", FORESTS)
def test_equal_weights_are_none(cls):
    X, y = noisy_table(cls)
    plain = cls(n_estimators=4, random_state=0).fit(X, y)
    weighted = cls(n_estimators=4, random_state=0).fit(X, y, sample_weight=np.full(len(y), 2.5))
    np.testing.assert_allclose(answers(weighted, X), answers(plain, X))


@pytest.mark.parametrize("cls", FORESTS)
def test_all_weights_zero_are_refused(cls):
    X, y = noisy_table(cls)
    with pytest.raises(ValueError, match="every row has weight zero"):
        cls().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        cls().fit(X, y, sample_weight=-np.ones(len(y)))
