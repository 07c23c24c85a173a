"""Intervals of forests hold the share of new rows that they say, by where out-of-bag targets lie."""

from dataclasses import replace

import numpy as np
import pytest

from treewright import BaggingRegressor, CARTRegressor, ExtraTreesRegressor, RandomForestRegressor, load
from treewright.forests._interval_levels import IntervalLevels

RANDOM = np.random.default_rng(5)
X = RANDOM.uniform(-1, 1, size=(5000, 5))
Y = np.sin(3 * X[:, 0]) + (0.2 + np.abs(X[:, 1])) * RANDOM.normal(size=5000)
LEARNED, NEW = slice(0, 1500), slice(1500, 5000)
FORESTS = [
    RandomForestRegressor(n_estimators=80, quantiles=True, random_state=0),
    RandomForestRegressor(n_estimators=40, quantiles=True, min_samples_leaf=10, random_state=0),
    ExtraTreesRegressor(n_estimators=80, quantiles=True, bootstrap=True, random_state=0),
    BaggingRegressor(n_estimators=60, quantiles=True, max_samples=0.5, random_state=0),
]


def held(intervals, targets):
    return np.mean((targets >= intervals[:, 0]) & (targets <= intervals[:, 1]))


@pytest.mark.parametrize("forest", FORESTS, ids=["forest", "large leaves", "random cuts", "half bags"])
@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9])
def test_intervals_hold_the_share_of_new_rows_that_they_say(forest, coverage):
    forest.fit(X[LEARNED], Y[LEARNED])
    assert held(forest.predict_interval(X[NEW], coverage), Y[NEW]) == pytest.approx(coverage, abs=0.045)


def test_targets_of_few_values_are_held_as_well():
    grades = np.clip(np.round(Y * 1.5), -3, 3)
    forest = RandomForestRegressor(n_estimators=80, quantiles=True, random_state=0).fit(
        X[LEARNED], grades[LEARNED]
    )
    assert 0.88 < held(forest.predict_interval(X[NEW], 0.9), grades[NEW]) < 0.96


def test_places_are_those_of_the_definition():
    n_rows, n_trees = 60, 7
    forest = RandomForestRegressor(n_estimators=n_trees, quantiles=True, min_samples_leaf=3, random_state=1)
    forest.fit(X[:n_rows], np.round(Y[:n_rows], 1))
    target, arrays = forest.model_.arrays["target"], forest.model_.arrays
    asked = np.arange(n_rows, dtype=np.uint32)
    found = forest._quantiles_.places_out_of_bag(X[:n_rows], asked, 2)
    leaves = forest.apply(X[:n_rows])
    begin = arrays["leaf_begin"]
    first = 0
    shares = np.zeros((n_rows, n_rows))
    answers = np.zeros(n_rows)
    squares = np.zeros(n_rows)
    for tree in range(n_trees):
        counts = np.asarray(forest._bags_[0].counts(tree))
        ids = np.unique(forest.apply(X[:n_rows][counts > 0])[:, tree])
        for row in np.flatnonzero(counts == 0):
            mates = np.where(leaves[:, tree] == leaves[row, tree], counts, 0)
            shares[row] += mates / mates.sum()
            squares[row] += ((mates / mates.sum()) ** 2).sum()
            answers[row] += 1
        first += len(ids)
    assert first == len(begin) - 1
    for row in range(n_rows):
        if answers[row] == 0:
            assert np.isnan(found[row, 0])
            continue
        assert found[row, 0] == pytest.approx(shares[row, target < target[row]].sum() / answers[row])
        assert found[row, 1] == pytest.approx(shares[row, target <= target[row]].sum() / answers[row])
        assert found[row, 2] == pytest.approx(answers[row] ** 2 / squares[row])
        assert found[row, 3] == answers[row]
    with pytest.raises(ValueError, match="Training row 60 does not exist"):
        forest._quantiles_.places_out_of_bag(X[:1], np.array([60], dtype=np.uint32), 1)


def test_intervals_do_not_depend_on_threads_and_survive_files(tmp_path):
    forests = [
        RandomForestRegressor(n_estimators=20, quantiles=True, random_state=0, n_jobs=n_jobs).fit(
            X[:300], Y[:300]
        )
        for n_jobs in (1, 3)
    ]
    expected = forests[0].predict_interval(X)
    np.testing.assert_array_equal(forests[1].predict_interval(X), expected)
    forests[0].save(tmp_path / "forest.tw")
    np.testing.assert_array_equal(load(tmp_path / "forest.tw").predict_interval(X), expected)
    plain = forests[0].predict_quantiles(X, [0.05, 0.95])
    assert (plain != expected).any()
    model = forests[0].model_
    for levels in (np.linspace(1, 0, 1001), np.zeros(3), np.full(1001, np.nan), np.linspace(0, 2, 1001)):
        altered = replace(model, arrays={**model.arrays, "interval_levels": levels})
        with pytest.raises(ValueError, match="levels of its intervals"):
            RandomForestRegressor.from_model(altered)


def test_trees_that_see_all_rows_and_rows_in_all_bags_leave_quantiles_as_they_are():
    trees = ExtraTreesRegressor(n_estimators=10, quantiles=True, random_state=0).fit(X[:200], Y[:200])
    np.testing.assert_array_equal(trees.predict_interval(X, 0.8), trees.predict_quantiles(X, [0.1, 0.9]))
    nan = np.full(4, np.nan)
    assert IntervalLevels.learned(nan, nan, nan, np.zeros(4), 10) is None


def test_levels_of_even_places_are_the_shares_and_narrow_predictions_ask_for_more():
    below = np.arange(2000) / 2000
    many = np.full(2000, 1e6)
    even = IntervalLevels.learned(below, below, many, np.full(2000, 40.0), 100)
    shares = np.array([0.05, 0.25, 0.75, 0.95])
    np.testing.assert_allclose(even(shares), shares, atol=2e-3)
    # Half of the targets lie outside of what trees predict.
    outside = np.where(below < 0.25, 0.0, np.where(below > 0.75, 1.0, 2 * below - 0.5))
    narrow = IntervalLevels.learned(outside, outside, many, np.full(2000, 40.0), 100)
    assert narrow(np.array([0.05]))[0] < 0.001
    assert narrow(np.array([0.95]))[0] > 0.999


def test_bagging_of_trees_of_any_kind_has_intervals_too():
    forest = BaggingRegressor(CARTRegressor(max_depth=4), n_estimators=30, quantiles=True, random_state=0)
    forest.fit(X[LEARNED], Y[LEARNED])
    assert held(forest.predict_interval(X[NEW], 0.9), Y[NEW]) == pytest.approx(0.9, abs=0.03)
