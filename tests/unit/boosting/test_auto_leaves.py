"""max_leaf_nodes="auto": as many leaves as the rows pay for."""

import numpy as np
import pytest

from treewright import (
    GradientBoostingRegressor,
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    NewtonBoostingRegressor,
    load,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(4000, 4))
Y = X[:, 0] * X[:, 1] + np.sin(5 * X[:, 2])
SETTINGS = {"n_estimators": 2, "gamma": 0.0}


def most_leaves(booster):
    return max(booster.model_.trees[number].n_leaves for number in range(2))


@pytest.mark.parametrize(("n_rows", "leaves"), [(30, 8), (1000, 18), (4000, 29)])
def test_leaves_grow_with_the_cube_root_of_the_rows(n_rows, leaves):
    booster = LeafwiseBoostingRegressor(**SETTINGS).fit(X[:n_rows], Y[:n_rows])
    assert booster.model_.facts["max_leaves"] == leaves
    assert most_leaves(booster) == leaves


def test_there_are_no_more_than_127_leaves():
    weight = np.full(4000, 1000.0)
    booster = LeafwiseBoostingRegressor(**SETTINGS).fit(X, Y, sample_weight=weight)
    assert most_leaves(booster) == 127


def test_a_weight_of_eight_is_the_row_eight_times():
    x, y = np.round(X[:300], 1), np.round(Y[:300], 2)
    weighted = LeafwiseBoostingRegressor(n_estimators=5).fit(x, y, sample_weight=np.full(300, 8.0))
    repeated = LeafwiseBoostingRegressor(n_estimators=5).fit(np.tile(x, (8, 1)), np.tile(y, 8))
    assert weighted.model_.facts["max_leaves"] == repeated.model_.facts["max_leaves"] == 24
    np.testing.assert_allclose(weighted.predict(x), repeated.predict(x), rtol=1e-6)


def test_a_number_is_a_number_and_none_is_no_limit():
    booster = LeafwiseBoostingClassifier(max_leaf_nodes=5, **SETTINGS).fit(X, Y > 0)
    assert booster.model_.facts["max_leaves"] == most_leaves(booster) == 5
    free = LeafwiseBoostingClassifier(max_leaf_nodes=None, **SETTINGS).fit(X, Y > 0)
    assert "max_leaves" not in free.model_.facts
    assert most_leaves(free) > 127


def test_a_report_names_the_limit_that_a_leaf_met(tmp_path):
    booster = LeafwiseBoostingRegressor(**SETTINGS).fit(X[:1000], Y[:1000])
    booster.save(tmp_path / "booster.tree")
    tree = booster.model_.trees[0]
    leaf = int(np.flatnonzero(tree.feature < 0)[-1])
    report = str(load(tmp_path / "booster.tree").explain_split(leaf, X[:1000], Y[:1000], tree=0))
    assert "the tree has max_leaf_nodes=18 leaves" in report


def test_other_words_and_other_boosters_refuse():
    with pytest.raises(ValueError, match=r"max_leaf_nodes.* must be .*'auto'.* Got 'many'"):
        LeafwiseBoostingRegressor(max_leaf_nodes="many").fit(X, Y)
    for other in (NewtonBoostingRegressor, GradientBoostingRegressor):
        with pytest.raises(ValueError, match=r"max_leaf_nodes.* must be an int .* or None. Got 'auto'"):
            other(max_leaf_nodes="auto").fit(X, Y)
