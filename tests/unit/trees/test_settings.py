"""Parameters become numbers for one table as in scikit-learn."""

import numpy as np
import pytest

from treewright import CARTClassifier, CARTRegressor
from treewright.data import Feature, Schema
from treewright.exceptions import SingleLeafWarning
from treewright.fitting.rows import feature_count, monotone_signs, row_limits

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(296, 3))
Y = (X[:, 0] + 0.3 * GENERATOR.normal(size=296) > 0).astype(int)


def schema(*kinds, named=True):
    categories = {"numeric": None, "nominal": ("a", "b"), "ordinal": ("lo", "hi")}
    return Schema(tuple(Feature(f"f{i}", k, categories[k]) for i, k in enumerate(kinds)), named=named)


@pytest.mark.parametrize(
    ("split", "leaf", "expected"),
    [
        (2, 1, (2, 1)),
        (2, 5, (10, 5)),
        (20, 5, (20, 5)),
        (0.1, 1, (15, 1)),
        (2, 0.05, (16, 8)),
        (1.0, 1, (150, 1)),
    ],
)
def test_shares_of_rows_are_rounded_up(split, leaf, expected):
    assert row_limits(split, leaf, 150) == expected


@pytest.mark.parametrize(
    ("max_features", "expected"),
    [(None, 20), ("sqrt", 4), ("log2", 4), (3, 3), (0.5, 10), (0.01, 1), (1.0, 20), (50, 50)],
)
def test_max_features_counts_as_in_scikit_learn(max_features, expected):
    assert feature_count(max_features, 20) == expected


def test_monotone_signs_by_position_and_by_name():
    numeric = schema("numeric", "numeric", "ordinal")
    assert monotone_signs(None, numeric, 2) is None
    assert monotone_signs([0, 0, 0], numeric, 3) is None
    assert monotone_signs([1, 0, -1], numeric, 2).tolist() == [1, 0, -1]
    assert monotone_signs({"f2": -1}, numeric, None).tolist() == [0, 0, -1]


@pytest.mark.parametrize(
    ("cst", "n_classes", "message"),
    [
        ([1], 2, r"monotonic_cst has shape \(1,\) but the input data X has 3 features"),
        ([2, 0, 0], 2, "must be None or an array-like of -1, 0 or 1, but got 2"),
        (["up", 0, 0], 2, "must be None or an array-like of -1, 0 or 1"),
        ([1, 0, 0], 3, "Monotonicity constraints are not supported with multiclass classification"),
        ([0, 0, 1], None, "Categorical features cannot have monotonic constraints: column 'f2'"),
        ({"g": 1}, None, r"monotonic_cst contains 1 unexpected feature names: \['g'\]"),
    ],
)
def test_wrong_monotone_constraints_are_refused(cst, n_classes, message):
    with pytest.raises(ValueError, match=message):
        monotone_signs(cst, schema("numeric", "numeric", "nominal"), n_classes)


def test_monotone_names_need_a_table_with_names():
    with pytest.raises(ValueError, match="X has no feature names"):
        monotone_signs({"f0": 1}, schema("numeric", named=False), None)


def test_a_leaf_limit_above_half_of_the_rows_is_explained_once():
    with pytest.warns(SingleLeafWarning) as caught:
        CARTClassifier(min_samples_leaf=200).fit(X, Y)
    assert [str(w.message) for w in caught] == [
        "The tree is a single leaf: no split left at least min_samples_leaf=200 rows on both sides "
        "(largest possible 148)."
    ]
    assert caught[0].filename == __file__


def test_other_limits_are_named():
    with pytest.warns(SingleLeafWarning, match=r"single leaf: no split was within min_gain=5\."):
        CARTClassifier(min_gain=5).fit(X, Y)
    with pytest.warns(SingleLeafWarning, match="min_samples_split=1000"):
        CARTRegressor(min_samples_split=1000).fit(X, Y)


def test_a_constant_target_or_constant_features_are_no_reason_to_warn():
    CARTClassifier(min_samples_leaf=200).fit(X, np.ones(296))
    CARTRegressor(min_samples_leaf=200).fit(X, np.ones(296))
    CARTClassifier().fit(np.ones((10, 1)), [0, 1] * 5)


def test_min_gain_is_per_weight_for_classes_and_a_total_for_numbers():
    x, labels = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    # Gini 0.5 at the root, 0 below; squared error 1 at the root, 0 below.
    assert CARTClassifier(min_gain=0.49).fit(x, labels).get_depth() == 1
    assert CARTRegressor(min_gain=0.99).fit(x, labels).get_depth() == 1
    with pytest.warns(SingleLeafWarning):
        assert CARTClassifier(min_gain=0.5).fit(x, labels).get_depth() == 0
    with pytest.warns(SingleLeafWarning):
        assert CARTRegressor(min_gain=1.0).fit(x, labels).get_depth() == 0


def test_min_gain_of_zero_stops_where_no_split_gains_and_none_goes_on():
    xor_x, xor_y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    assert CARTClassifier().fit(xor_x, xor_y).get_n_leaves() == 4
    with pytest.warns(SingleLeafWarning, match="min_gain=0"):
        assert CARTClassifier(min_gain=0).fit(xor_x, xor_y).get_n_leaves() == 1


def test_a_drawn_subset_of_features_depends_on_the_seed_alone():
    y = Y + (X[:, 1] > 0)
    trees = [
        CARTClassifier(max_features=1, random_state=seed).fit(X, y).tree_.feature for seed in (0, 0, 1, 2)
    ]
    assert np.array_equal(trees[0], trees[1])
    assert not all(np.array_equal(trees[0], other) for other in trees[2:])
    assert CARTClassifier(max_features=1).fit(X, y).max_features_ == 1
    assert CARTClassifier(max_features=50).fit(X, y).max_features_ == 50
