"""Which rows and columns each tree gets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from tests.unit.forests.forest_data import noisy_table

from treewright import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from treewright.forests._bags import Bags, number_of_draws

X, Y = noisy_table(RandomForestClassifier)


def bags(**changes):
    fields = {"first": 0, "last": 10, "seed": 7, "draws": 50, "replace": True, "n_rows": 50, "checksum": 0}
    return Bags(**fields | changes)


@given(st.integers(1, 60), st.integers(1, 80), st.integers(0, 2**31), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_a_bootstrap_sample_has_as_many_rows_as_were_asked_for(n_rows, draws, seed, tree):
    counts = bags(n_rows=n_rows, draws=draws, seed=seed).counts(tree)
    assert counts.shape == (n_rows,)
    assert counts.sum() == draws


@given(st.integers(1, 60), st.integers(0, 2**31), st.data())
@settings(max_examples=60, deadline=None)
def test_without_replacement_every_row_is_drawn_at_most_once(n_rows, seed, data):
    draws = data.draw(st.integers(1, n_rows))
    counts = bags(n_rows=n_rows, draws=draws, seed=seed, replace=False).counts(0)
    assert counts.max() == 1
    assert counts.sum() == draws


def test_a_bag_depends_on_the_seed_and_the_number_of_the_tree_alone():
    one, other = bags(), bags(first=3, last=99)
    np.testing.assert_array_equal(one.counts(5), other.counts(5))
    assert not np.array_equal(one.counts(5), one.counts(6))
    assert not np.array_equal(one.counts(5), bags(seed=8).counts(5))


def test_about_a_third_of_the_rows_is_out_of_each_bag():
    out = [np.mean(bags(n_rows=5000, draws=5000).counts(tree) == 0) for tree in range(20)]
    assert np.mean(out) == pytest.approx(np.exp(-1), abs=0.005)


@pytest.mark.parametrize("probabilities", [None, np.arange(1.0, 11.0)])
def test_rows_are_drawn_in_proportion_to_their_weights(probabilities):
    some = bags(n_rows=10, draws=1000, probabilities=probabilities)
    counts = sum(some.counts(tree).astype(int) for tree in range(30))
    shares = np.ones(10) if probabilities is None else probabilities
    assert chisquare(counts, counts.sum() * shares / shares.sum()).pvalue > 1e-3


def test_columns_are_drawn_uniformly_ascending_and_once():
    some = bags(features=3)
    drawn = [some.columns(tree, 7) for tree in range(700)]
    assert all(len(columns) == 3 and (np.diff(columns) > 0).all() for columns in drawn)
    assert chisquare(np.bincount(np.concatenate(drawn), minlength=7)).pvalue > 1e-3
    again = bags(features=7, replace_features=True)
    sizes = [len(again.columns(tree, 7)) for tree in range(300)]
    assert np.mean(sizes) == pytest.approx(7 * (1 - (6 / 7) ** 7), abs=0.2)


@pytest.mark.parametrize(
    ("max_samples", "weights", "draws"),
    [
        (None, None, 200),
        (None, np.full(200, 3.0), 200),
        (30, None, 30),
        (500, None, 500),
        (0.5, None, 100),
        (1.5, None, 300),
        (0.5, np.full(200, 3.0), 300),
    ],
)
def test_the_number_of_draws_follows_scikit_learn(max_samples, weights, draws):
    assert number_of_draws(max_samples, 200, weights) == draws


def test_a_share_that_leaves_hardly_a_row_is_pointed_out():
    with pytest.warns(
        UserWarning, match="max_samples=0.01 when there are 200 rows results in a low number .2. of"
    ):
        RandomForestClassifier(max_samples=0.01, n_estimators=2).fit(X, Y)


def test_the_drawn_rows_can_be_asked_for():
    forest = RandomForestClassifier(n_estimators=4, max_samples=70, random_state=0).fit(X, Y)
    samples = forest.estimators_samples_
    assert len(samples) == 4
    for rows, tree in zip(samples, forest.model_.trees, strict=True):
        assert len(rows) == tree.weighted_n_node_samples[0] == 70
        assert len(np.unique(rows)) == tree.n_node_samples[0]
    np.testing.assert_array_equal(samples[-1], samples[3])
    with pytest.raises(IndexError):
        samples[4]
    everything = ExtraTreesClassifier(n_estimators=2).fit(X, Y).estimators_samples_
    np.testing.assert_array_equal(everything[1], np.arange(200))


def test_drawn_rows_are_numbered_as_in_x_when_some_have_no_weight():
    weights = np.tile([0.0, 1.0], 100)
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, Y, sample_weight=weights)
    for rows in forest.estimators_samples_:
        assert len(rows) == 100
        assert (rows % 2 == 1).all()


def test_trees_of_bagging_test_only_their_columns():
    bag = BaggingClassifier(n_estimators=12, max_features=2, random_state=0).fit(X, Y)
    for columns, tree in zip(bag.estimators_features_, bag.model_.trees, strict=True):
        assert len(columns) == 2
        assert set(tree.feature[tree.feature >= 0]) <= set(columns)
    assert {tuple(columns) for columns in bag.estimators_features_} != {tuple(bag.estimators_features_[0])}
