"""Rows without a value are shared out: how small the shares that C4.5 goes on splitting may be."""

import numpy as np
import pytest

from treewright import C45Classifier
from treewright.exceptions import SingleLeafWarning


def holey_table(n_rows, seed=0):
    """Return eight numeric columns of which three in ten values are missing, and two noisy classes."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n_rows, 8))
    y = (x[:, 0] + x[:, 1] + generator.normal(size=n_rows) > 0).astype(int)
    x[generator.random(x.shape) < 0.3] = np.nan
    return x, y


@pytest.mark.parametrize("options", [{"prune": None}, {}, {"criterion": "gain"}])
def test_missing_values_do_not_make_the_textbook_tree_larger_than_its_data(options):
    x, y = holey_table(1000)
    tree = C45Classifier(faithful="textbook", **options).fit(x, y)
    assert 200 < tree.tree_.node_count < 2000  # it was more than 400 000
    assert tree.score(x, y) > 0.85


def test_categories_with_missing_values_do_not_make_the_textbook_tree_larger_than_its_data():
    x, y = holey_table(500)
    tree = C45Classifier(faithful="textbook", categorical_features=list(range(8)))
    tree.fit(np.clip(np.round(2 * x), -4, 4), y)
    assert 100 < tree.tree_.node_count < 4000  # most of them branches without rows


def test_two_branches_of_a_textbook_test_weigh_a_row_each_where_values_are_missing():
    x, y = holey_table(300)
    for weight in (1.0, 0.25, 1024.0):
        arrays = C45Classifier(faithful="textbook").fit(x, y, sample_weight=np.full(300, weight)).tree_
        inner = np.flatnonzero(arrays.n_children)
        children = arrays.first_child[inner][:, np.newaxis] + [0, 1]
        assert (arrays.weighted_n_node_samples[children] >= weight * (1 - 1e-8)).all()


def test_one_row_of_hardly_any_weight_does_not_open_the_door_to_crumbs():
    x, y = holey_table(300)
    weights = np.ones(300)
    weights[7] = 1e-12
    tree = C45Classifier(faithful="textbook").fit(x, y, sample_weight=weights)
    assert tree.tree_.node_count < 5000


@pytest.mark.parametrize("scale", [2.0**-90, 2.0**-20, 2.0**20, 2.0**90])
def test_the_unit_of_weights_does_not_change_the_textbook_tree_with_missing_values(scale):
    x, y = holey_table(200)
    weights = np.random.default_rng(1).integers(1, 4, 200).astype(float)
    one, other = (
        C45Classifier(faithful="textbook").fit(x, y, sample_weight=weights * unit) for unit in (1.0, scale)
    )
    np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)
    np.testing.assert_array_equal(one.predict_proba(x), other.predict_proba(x))


def test_a_whole_row_still_gets_a_leaf_of_its_own_beside_missing_values():
    x = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    tree = C45Classifier(faithful="textbook").fit(x, [0, 1, 0, 1])
    assert tree.get_n_leaves() == 2
    report = tree.explain_split(1, x, [0, 1, 0, 1])
    assert "A leaf" in str(report)


@pytest.mark.parametrize("prune", [None, "pessimistic_error"])
@pytest.mark.parametrize("faithful", ["r8", "j48", "textbook"])
def test_the_probabilities_of_shared_rows_add_up_to_one(faithful, prune):
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(500, 5)).round(1), generator.integers(0, 5, 500)
    x[generator.random(x.shape) < 0.2] = np.nan
    tree = C45Classifier(faithful=faithful, prune=prune).fit(x, y)
    x[generator.random(x.shape) < 0.3] = np.nan
    probabilities = tree.predict_proba(x)
    assert np.abs(probabilities.sum(axis=1) - 1).max() < 2e-15  # single precision alone: 1.3e-8


# --- weights that add up to 1
# ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("faithful", ["r8", "j48"])
@pytest.mark.parametrize("total", [1.0, 6.0])
def test_weights_that_are_too_small_for_the_minimum_or_for_pruning_are_named(faithful, total):
    x = np.arange(100.0)[:, np.newaxis]
    y = (x[:, 0] + np.random.default_rng(0).normal(scale=20, size=100) > 50).astype(int)
    with pytest.warns(SingleLeafWarning, match=r"weights are small, 0\.0[16] on average.*mean is 1"):
        tree = C45Classifier(faithful=faithful).fit(x, y, sample_weight=np.full(100, total / 100))
    assert tree.get_n_leaves() == 1


def test_weights_that_are_small_but_enough_are_not_warned_of():
    x, y = holey_table(300)
    for weights in (np.full(300, 0.5), np.full(300, 0.4), None):
        assert C45Classifier().fit(x, y, sample_weight=weights).get_n_leaves() > 1
    C45Classifier(faithful="textbook").fit(x, y, sample_weight=np.full(300, 1 / 300))
    C45Classifier().fit(x, np.zeros(300), sample_weight=np.full(300, 1 / 300))
