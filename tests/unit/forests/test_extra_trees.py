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


def right_sides(frame, y, cls, n_trees=400):
    """Return which categories the root of each tree sends right, as text."""
    forest = cls(n_estimators=n_trees, max_depth=1, random_state=0).fit(frame, y)
    letters = pd.DataFrame({"colour": pd.Categorical(list("abc"), list("abc"))})
    right = [tree.tree_.children_right[0] for tree in forest.estimators_]
    return [
        "".join(np.array(list("abc"))[tree.apply(letters) == node])
        for tree, node in zip(forest.estimators_, right, strict=True)
    ]


def test_categories_are_cut_uniformly_between_their_means():
    colour = np.repeat(list("abc"), 50)
    frame = pd.DataFrame({"colour": pd.Categorical(colour)})
    y = np.repeat([1.0, 0.0, 10.0], 50) + np.tile([-0.5, 0.5], 75)
    sides = right_sides(frame, y, ExtraTreesRegressor)
    assert set(sides) == {"c", "ac"}
    assert sides.count("c") / 400 == pytest.approx(0.9, abs=0.05)
    # Two classes: the same with the share of the second one.
    share = np.concatenate([np.arange(50) < 20, np.arange(50) < 10, np.arange(50) < 40]).astype(int)
    sides = right_sides(frame, share, ExtraTreesClassifier)
    assert set(sides) == {"c", "ac"}
    assert sides.count("c") / 400 == pytest.approx(2 / 3, abs=0.08)


def test_with_more_classes_the_share_of_any_class_may_cut():
    frame = pd.DataFrame({"colour": pd.Categorical(np.repeat(list("abc"), 60))})
    y = np.concatenate([np.repeat([0, 1, 2], [40, 10, 10]), np.repeat([0, 1, 2], [10, 40, 10]),
                        np.repeat([0, 1, 2], [10, 10, 40])])  # fmt: skip
    sides = right_sides(frame, y, ExtraTreesClassifier)
    assert set(sides) == {"a", "b", "c"}
    assert chisquare([sides.count(side) for side in "abc"]).pvalue > 1e-3


def test_categories_with_equal_means_are_divided_at_random():
    frame = pd.DataFrame({"colour": pd.Categorical(np.repeat(list("abc"), 20))})
    sides = right_sides(frame, np.tile([0, 1], 30), ExtraTreesClassifier)
    assert set(sides) == {"a", "b", "c", "ab", "ac", "bc"}


def test_trees_of_categories_alone_are_grown_to_the_last_one():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": pd.Categorical(generator.choice(list("abcdef"), 300))})
    full = ExtraTreesRegressor(n_estimators=5, random_state=0).fit(frame, generator.normal(size=300))
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
