"""Parameters of Newton and leaf-wise boosting, as far as they show in the trees."""

import numpy as np
import pandas as pd
import pytest
from tests.unit.boosting.boost_data import table

from treewright import (
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingClassifier,
    NewtonBoostingRegressor,
)
from treewright.model.forest_arrays import FOREST_LEAF

REGRESSORS = [NewtonBoostingRegressor, LeafwiseBoostingRegressor]
X, Y = table(NewtonBoostingRegressor, n_rows=600)


def ways(tree):
    """Return the set of features on the way to each leaf."""
    found, open_nodes = [], [(0, frozenset())]
    while open_nodes:
        node, used = open_nodes.pop()
        if tree.n_children[node] == 0:
            found.append(used)
            continue
        first = int(tree.first_child[node])
        more = used | {int(tree.feature[node])}
        open_nodes += [(first, more), (first + 1, more)]
    return found


@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (3.0, 0.0), (1.0, 5.0)])
@pytest.mark.parametrize("cls", REGRESSORS)
def test_leaves_are_newton_steps(cls, l2, l1):
    booster = cls(n_estimators=3, learning_rate=0.3, reg_lambda=l2, reg_alpha=l1).fit(X, Y)
    arrays = booster.model_.trees.arrays
    leaf = arrays["feature"] == FOREST_LEAF
    gradient, hessian = arrays["gradient"][leaf], arrays["weight"][leaf]
    shrunk = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0)
    np.testing.assert_allclose(arrays["number"][leaf], -0.3 * shrunk / (hessian + l2), rtol=1e-5, atol=1e-9)
    # With squared errors the hessian of a row is its weight.
    np.testing.assert_allclose(hessian, arrays["rows"][leaf])


@pytest.mark.parametrize("cls", REGRESSORS)
def test_limits_are_kept(cls):
    free = cls(n_estimators=3).fit(X, Y).model_.trees
    assert cls(n_estimators=3, max_depth=2).fit(X, Y).model_.trees.depths.max() == 2
    few = cls(n_estimators=3, max_leaf_nodes=5).fit(X, Y).model_.trees
    assert few.leaf_counts.max() == 5 < free.leaf_counts.max()
    large = cls(n_estimators=3, min_samples_leaf=70).fit(X, Y).model_.trees
    assert large.arrays["rows"].min() >= 70
    heavy = cls(n_estimators=3, min_child_weight=90.0, min_samples_leaf=1).fit(X, Y).model_.trees
    assert heavy.arrays["weight"].min() >= 90
    assert cls(n_estimators=3, gamma=1e9).fit(X, Y).model_.trees.node_count == 3
    capped = cls(n_estimators=3, learning_rate=1.0, max_delta_step=0.25).fit(X, Y).model_.trees.arrays
    assert np.abs(capped["number"][capped["feature"] == FOREST_LEAF]).max() <= 0.25 + 1e-12


@pytest.mark.parametrize("cls", REGRESSORS)
def test_predictions_are_monotone_where_asked(cls):
    booster = cls(n_estimators=30, monotonic_cst=[1, 0, 0, 0, -1]).fit(X, Y)
    grid = np.linspace(-3, 3, 50)
    for feature, sign in ((0, 1), (4, -1)):
        for row in X[:10]:
            rows = np.repeat(row[np.newaxis], 50, axis=0)
            rows[:, feature] = grid
            assert (sign * np.diff(booster.predict(rows)) >= -1e-12).all()


@pytest.mark.parametrize("cls", REGRESSORS)
def test_features_meet_only_within_their_group(cls):
    frame = pd.DataFrame(X, columns=list("abcde"))
    booster = cls(n_estimators=10, interaction_cst=[["a", "b"], [2, 3]]).fit(frame, Y)
    groups = [{0, 1}, {2, 3}, {4}]
    seen = [way for tree in booster.model_.trees for way in ways(tree)]
    assert all(any(way <= group for group in groups) for way in seen)
    assert any(len(way) == 2 for way in seen)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_features_are_drawn_for_trees_levels_and_nodes(cls):
    by_tree = cls(n_estimators=12, max_features_tree=2, random_state=0).fit(X, Y).model_.trees
    used = [{int(f) for f in tree.feature if f >= 0} for tree in by_tree]
    assert max(map(len, used)) <= 2
    assert len({frozenset(features) for features in used}) > 1
    for params in ({"max_features": 1}, {"max_features_level": 1}):
        drawn = cls(n_estimators=12, random_state=0, **params).fit(X, Y).model_.trees
        assert len({int(tree.feature[0]) for tree in drawn}) > 1
    again = cls(n_estimators=12, max_features_tree=2, random_state=0).fit(X, Y).model_.trees
    assert again.equals(by_tree)


@pytest.mark.parametrize("cls", [NewtonBoostingRegressor, LeafwiseBoostingRegressor])
def test_nothing_depends_on_the_seed_unless_something_is_drawn(cls):
    one, other = (
        cls(n_estimators=5, max_features=None, random_state=seed).fit(X, Y).model_.trees for seed in (0, 1)
    )
    assert one.equals(other)


def test_goss_learns_from_a_part_of_the_rows():
    rows, labels = table(LeafwiseBoostingClassifier, n_rows=3000)
    whole = LeafwiseBoostingClassifier(n_estimators=40).fit(rows[:2000], labels[:2000])
    part = LeafwiseBoostingClassifier(n_estimators=40, goss=True, random_state=0).fit(
        rows[:2000], labels[:2000]
    )
    drawn = part.model_.trees.arrays["rows"][part.model_.trees.arrays["begin"][:-1]]
    # In the first round all gradients are of one of two sizes, and rows of the same size are kept together.
    assert (np.abs(drawn[1:] - 0.3 * 2000) < 100).all()
    assert part.score(rows[2000:], labels[2000:]) > whole.score(rows[2000:], labels[2000:]) - 0.03


@pytest.mark.parametrize("cls", [NewtonBoostingClassifier, LeafwiseBoostingClassifier])
def test_categories_need_no_preparation(cls):
    random = np.random.RandomState(0)
    names = np.array([f"city {i}" for i in range(40)])
    city = random.randint(0, 40, 4000)
    good = random.permutation(40) < 20
    y = good[city] ^ (random.rand(4000) < 0.1)
    frame = pd.DataFrame({"city": pd.Categorical(names[city]), "noise": random.rand(4000)})
    booster = cls(n_estimators=20).fit(frame, y)
    assert booster.score(frame, good[city]) > 0.95
    assert booster.importances()[0] > 0.8
    unseen = pd.DataFrame({"city": pd.Categorical(["city 99", None]), "noise": [0.5, 0.5]})
    assert booster.predict_proba(unseen).shape == (2, 2)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_missing_values_take_the_better_side(cls):
    random = np.random.RandomState(0)
    rows = random.rand(1000, 1)
    y = (rows[:, 0] > 0.5).astype(float)
    rows[::4] = np.nan
    y[::4] = 1.0
    booster = cls(n_estimators=60, learning_rate=0.1).fit(rows, y)
    np.testing.assert_allclose(booster.predict([[0.2], [0.8], [np.nan]]), [0, 1, 1], atol=0.05)


def test_the_exact_method_and_bins_agree_on_few_values():
    rows = np.round(X, 1)
    exact = NewtonBoostingRegressor(n_estimators=15, tree_method="exact").fit(rows, Y)
    binned = NewtonBoostingRegressor(n_estimators=15).fit(rows, Y)
    assert np.corrcoef(exact.predict(rows), binned.predict(rows))[0, 1] > 0.99
    assert exact.model_.trees.depths.max() == 6


def test_the_penalty_by_itself_falls_with_the_number_of_classes() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    for n_classes, penalty in ((2, 3.0), (4, 1.5)):
        y = np.arange(300) % n_classes
        booster = LeafwiseBoostingClassifier(n_estimators=2).fit(X, y)
        assert booster.reg_lambda == "auto" and booster.model_.facts["l2"] == penalty
        given = LeafwiseBoostingClassifier(n_estimators=2, reg_lambda=penalty).fit(X, y)
        np.testing.assert_array_equal(booster.predict_proba(X), given.predict_proba(X))
    numbers = LeafwiseBoostingRegressor(n_estimators=2, reg_lambda="auto").fit(X, X[:, 0])
    assert numbers.model_.facts["l2"] == 1.0
    with pytest.raises(ValueError, match="reg_lambda"):
        LeafwiseBoostingClassifier(reg_lambda="much").fit(X, np.arange(300) % 2)
