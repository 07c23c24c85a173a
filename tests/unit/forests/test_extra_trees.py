"""Extremely randomised trees: one uniform cut between the smallest and the largest value in the node."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare, kstest

from treewright import ExtraTreesClassifier, ExtraTreesRegressor

SKEWED = np.concatenate([np.linspace(0.0, 1.0, 180), np.linspace(1.0, 10.0, 21)[1:]])


def root_cuts(values, *, n_trees=400, **params):
    X = np.asarray(values)[:, np.newaxis]
    y = np.random.default_rng(0).normal(size=len(X))
    forest = ExtraTreesRegressor(n_estimators=n_trees, max_depth=1, random_state=0, **params).fit(X, y)
    return np.array([tree.threshold[0] for tree in forest.model_.trees])


def test_the_cut_is_uniform_between_the_values_and_not_between_the_ranks():
    cuts = root_cuts(SKEWED)
    assert cuts.min() > 0
    assert cuts.max() < 10
    assert kstest(cuts, "uniform", args=(0, 10)).pvalue > 1e-3
    # Nine tenths of the rows lie in the first tenth of the range.
    assert np.mean(cuts < 1.0) < 0.2


def test_the_cut_is_uniform_in_deeper_nodes_too():
    # The first column tells two halves apart, whatever the cut; below it the second one decides.
    generator = np.random.default_rng(0)
    X = np.column_stack(
        [np.repeat([0.0, 1.0], 100), np.concatenate([np.linspace(0, 1, 100), np.linspace(5, 9, 100)])]
    )
    y = X[:, 0] * 1000 + generator.normal(size=200)
    forest = ExtraTreesRegressor(n_estimators=300, max_depth=2, max_features=None, random_state=0).fit(X, y)
    low, high = [], []
    for tree in forest.model_.trees:
        if tree.feature[0] == 0:
            low.append(tree.threshold[tree.children_left[0]])
            high.append(tree.threshold[tree.children_right[0]])
    assert len(low) > 100
    assert kstest(low, "uniform", args=(0, 1)).pvalue > 1e-3
    assert kstest(high, "uniform", args=(5, 4)).pvalue > 1e-3


@pytest.mark.parametrize("max_bins", [32, 255])
def test_with_bins_the_cut_is_as_uniform_as_the_bins_allow(max_bins):
    values = np.random.default_rng(0).permutation(np.linspace(0.0, 10.0, 3000))
    cuts = root_cuts(values, max_bins=max_bins)
    assert len(np.unique(cuts.round(9))) <= max_bins * 2
    assert kstest(cuts, "uniform", args=(0, 10)).statistic < 1 / max_bins + 1.95 / np.sqrt(len(cuts))


def test_bins_hold_equally_many_rows_but_the_cut_is_uniform_in_values():
    # Nine tenths of the rows are below 1, but only one tenth of the range.
    assert np.mean(root_cuts(SKEWED, max_bins=64) < 1.0) < 0.2


def test_the_features_are_drawn_uniformly():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(100, 5)), generator.integers(0, 2, 100)
    forest = ExtraTreesClassifier(n_estimators=500, max_features=1, max_depth=1, random_state=0).fit(X, y)
    features = np.array([tree.feature[0] for tree in forest.model_.trees])
    assert chisquare(np.bincount(features, minlength=5)).pvalue > 1e-3


def test_the_best_of_the_drawn_cuts_is_taken():
    generator = np.random.default_rng(0)
    X = generator.random((300, 4))
    y = (X[:, 2] > 0.5).astype(int)
    forest = ExtraTreesClassifier(n_estimators=200, max_features=None, max_depth=1, random_state=0).fit(X, y)
    features = np.array([tree.feature[0] for tree in forest.model_.trees])
    # Another column wins only if the cut of the third one is drawn near an end.
    assert np.mean(features == 2) > 0.9


def test_categories_are_divided_at_random():
    generator = np.random.default_rng(0)
    colour = generator.choice(list("abcdef"), 300)
    frame = pd.DataFrame({"colour": pd.Categorical(colour)})
    y = generator.normal(size=300)
    forest = ExtraTreesRegressor(n_estimators=200, max_depth=1, random_state=0).fit(frame, y)
    sides = {
        tuple(forest.estimators_[i].predict(pd.DataFrame({"colour": list("abcdef")})) > y.mean())
        for i in range(200)
    }
    assert len(sides) > 15
    full = ExtraTreesRegressor(n_estimators=5, random_state=0).fit(frame, y)
    assert [tree.n_leaves for tree in full.model_.trees] == [6] * 5


def test_columns_without_two_values_are_skipped():
    generator = np.random.default_rng(0)
    X = np.column_stack([np.full(100, 3.0), np.full(100, np.nan), generator.random(100)])
    y = generator.integers(0, 2, 100)
    forest = ExtraTreesClassifier(n_estimators=20, max_features=1, random_state=0).fit(X, y)
    assert forest.feature_importances_.tolist() == [0, 0, 1]
    assert forest.score(X, y) == 1.0


def test_every_tree_gets_every_row_unless_told_otherwise():
    generator = np.random.default_rng(0)
    X, y = generator.random((100, 3)), generator.integers(0, 2, 100)
    assert [t.n_node_samples[0] for t in ExtraTreesClassifier(n_estimators=3).fit(X, y).model_.trees] == [
        100
    ] * 3
    drawn = ExtraTreesClassifier(n_estimators=3, bootstrap=True).fit(X, y)
    assert max(tree.n_node_samples[0] for tree in drawn.model_.trees) < 85
