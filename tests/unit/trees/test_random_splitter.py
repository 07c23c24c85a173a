"""CART with `splitter="random"`: one drawn cut per feature, everything else as in any CART."""

from __future__ import annotations

import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treewright import BaggingClassifier, CARTClassifier, CARTRegressor, Grower, load
from treewright.measures import gini, squared_error

CLASSES, NUMBERS = load_breast_cancer(return_X_y=True), load_diabetes(return_X_y=True)
TREES = [(CARTClassifier, CLASSES), (CARTRegressor, NUMBERS)]


def thresholds(tree):
    return tree.tree_.threshold[tree.tree_.children_left >= 0]


@pytest.mark.parametrize(("make", "data"), TREES)
def test_the_seed_decides_the_cuts_and_threads_do_not(make, data):
    first = make(splitter="random", random_state=3).fit(*data)
    again = make(splitter="random", random_state=3, n_jobs=2).fit(*data)
    other = make(splitter="random", random_state=4).fit(*data)
    np.testing.assert_array_equal(thresholds(first), thresholds(again))
    assert thresholds(first)[0] != thresholds(other)[0]
    assert thresholds(first)[0] != thresholds(make().fit(*data))[0]


def test_a_cut_lies_anywhere_between_the_smallest_and_the_largest_value():
    X = np.array([[0.0]] * 50 + [[1.0]] * 50)
    cuts = [
        thresholds(CARTClassifier(splitter="random", random_state=seed).fit(X, np.repeat([0, 1], 50)))[0]
        for seed in range(60)
    ]
    assert min(cuts) < 0.15 and max(cuts) > 0.85
    assert len(set(cuts)) == 60


def test_of_the_drawn_cuts_the_best_one_wins():
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = np.column_stack([generator.normal(size=200), y + 0.01 * generator.random(200)])
    for seed in range(20):
        tree = CARTClassifier(splitter="random", random_state=seed, max_depth=1).fit(X, y)
        assert tree.tree_.feature[0] == 1


@pytest.mark.parametrize(
    ("make", "theirs", "data", "params"),
    [
        (CARTClassifier, DecisionTreeClassifier, CLASSES, {}),
        (CARTClassifier, DecisionTreeClassifier, CLASSES, {"criterion": "log_loss", "max_depth": 4}),
        (CARTRegressor, DecisionTreeRegressor, NUMBERS, {"max_depth": 4}),
        (CARTRegressor, DecisionTreeRegressor, NUMBERS, {"max_leaf_nodes": 12}),
        (CARTRegressor, DecisionTreeRegressor, NUMBERS, {"ccp_alpha": 60.0}),
    ],
)
def test_trees_are_as_large_as_scikit_learns(make, theirs, data, params):
    X, y = data
    sizes = [
        [kind(splitter="random", random_state=seed, **params).fit(X, y).get_n_leaves() for seed in range(20)]
        for kind in (make, theirs)
    ]
    means, spread = np.mean(sizes, axis=1), np.std(sizes, axis=1).max()
    assert abs(means[0] - means[1]) <= 4 * spread / np.sqrt(20) + 0.5


@pytest.mark.parametrize(("make", "data"), TREES)
def test_nodes_know_their_rows_and_losses(make, data):
    X, y = data
    tree = make(splitter="random", random_state=0, max_depth=4).fit(X, y)
    path, measure = tree.decision_path(X).toarray().astype(bool), gini if make is CARTClassifier else None
    for node in range(tree.tree_.node_count):
        inside = y[path[:, node]]
        assert tree.tree_.n_node_samples[node] == len(inside)
        expected = measure(inside) if measure else squared_error(inside) / len(inside)
        assert tree.tree_.impurity[node] == pytest.approx(expected)


@pytest.mark.parametrize("prune", ["cost_complexity", "pessimistic_error", "reduced_error"])
def test_random_trees_are_pruned_as_any(prune):
    full = CARTClassifier(splitter="random", random_state=0).fit(*CLASSES)
    small = CARTClassifier(splitter="random", prune=prune, cv=3, random_state=0).fit(*CLASSES)
    assert 1 < small.get_n_leaves() < full.get_n_leaves()


def test_a_weight_of_two_equals_the_row_twice():
    X, y = CLASSES
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = CARTClassifier(splitter="random", random_state=0).fit(X, y, sample_weight=weights)
    repeated = CARTClassifier(splitter="random", random_state=0).fit(X[rows], y[rows])
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_a_random_tree_is_saved_bagged_and_explained():
    X, y = CLASSES
    tree = CARTClassifier(splitter="random", random_state=0).fit(X, y)
    file = io.BytesIO()
    tree.save(file)
    file.seek(0)
    loaded = load(file)
    assert loaded.splitter == "random"
    np.testing.assert_array_equal(loaded.predict(X), tree.predict(X))
    assert "one random cut of each feature was tried" in str(tree.explain_split(0, X, y))
    bag = BaggingClassifier(CARTClassifier(splitter="random"), 5, random_state=0).fit(X, y)
    best = BaggingClassifier(CARTClassifier(), 5, random_state=0).fit(X, y)
    assert thresholds(bag[0])[0] != thresholds(best[0])[0]
    assert bag.score(X, y) > 0.95


def test_what_needs_the_best_split_is_refused():
    X, y = CLASSES
    with pytest.raises(ValueError, match=r"splitter='random' has no\s+best one"):
        CARTClassifier(splitter="random", missing="surrogate").fit(X, y)
    with pytest.raises(ValueError, match="splitter='random' draws one instead"):
        Grower(CARTClassifier(splitter="random"), X, y)
    with pytest.raises(ValueError, match="'splitter' parameter of CARTClassifier must be a str among"):
        CARTClassifier(splitter="worst").fit(X, y)
