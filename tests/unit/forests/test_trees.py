"""A tree of a forest is the tree that CART grows on the tree's bag."""

import numpy as np
import pytest
from tests.unit.forests.forest_data import (
    CLASSIFIERS,
    FORESTS,
    REGRESSORS,
    mixed_table,
    noisy_table,
    same_forest,
)

from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

TREES = [(BaggingClassifier, CARTClassifier), (BaggingRegressor, CARTRegressor)]
SETTINGS = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 4, "min_samples_split": 12},
    {"max_leaf_nodes": 6},
    {"ccp_alpha": 0.01},
    {"min_impurity_decrease": 0.01},
    {"min_weight_fraction_leaf": 0.05},
    {"missing": "majority"},
    {"min_gain": 0.02},
    {"monotonic_cst": [1, 1, 0, 0]},
]


def assert_same_tree(found, expected):
    ours, theirs = found.to_arrays(), expected.to_arrays()
    for name in ("kind", "feature", "first_child", "threshold", "missing", "rows"):
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
    np.testing.assert_allclose(ours["weight"], theirs["weight"], rtol=1e-6)
    leaf = ours["kind"] == 0
    np.testing.assert_allclose(ours["value"][leaf], theirs["value"][leaf], atol=1e-9)


@pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")
@pytest.mark.parametrize("table", [noisy_table, mixed_table])
@pytest.mark.parametrize("params", SETTINGS, ids=lambda params: next(iter(params), "default"))
@pytest.mark.parametrize(("bagging", "cart"), TREES)
def test_a_tree_equals_cart_with_the_counts_of_its_bag_as_weights(bagging, cart, params, table):
    X, y = table(bagging)
    if "monotonic_cst" in params:
        if table is mixed_table:
            params = {"monotonic_cst": [0, 1, 0]}
        y = (y > 0).astype(int) if bagging is BaggingClassifier else y
    forest = bagging(cart(**params), n_estimators=3, random_state=1).fit(X, y)
    for number, rows in enumerate(forest.estimators_samples_):
        weights = np.bincount(rows, minlength=len(y))
        assert_same_tree(forest.model_.trees[number], cart(**params).fit(X, y, sample_weight=weights).tree_)


@pytest.mark.parametrize(
    ("bagging", "cart", "criterion"),
    [
        (BaggingClassifier, CARTClassifier, "entropy"),
        (BaggingRegressor, CARTRegressor, "absolute_error"),
        (BaggingRegressor, CARTRegressor, "poisson"),
    ],
)
def test_every_criterion_grows_the_trees_of_cart(bagging, cart, criterion):
    X, y = noisy_table(bagging)
    y = np.exp(y) if criterion == "poisson" else y
    forest = bagging(cart(criterion=criterion), n_estimators=2, random_state=1).fit(X, y)
    weights = np.bincount(forest.estimators_samples_[1], minlength=len(y))
    expected = cart(criterion=criterion).fit(X, y, sample_weight=weights).tree_
    assert_same_tree(forest.model_.trees[1], expected)


@pytest.mark.parametrize("table", [noisy_table, mixed_table])
@pytest.mark.parametrize(("bagging", "cart"), TREES)
def test_bagging_without_bootstrap_is_the_single_tree(bagging, cart, table):
    X, y = table(bagging)
    bag = bagging(bootstrap=False, n_estimators=3).fit(X, y)
    tree = cart().fit(X, y)
    for found in bag.model_.trees:
        assert_same_tree(found, tree.tree_)
    np.testing.assert_allclose(bag.predict(X), tree.predict(X))
    np.testing.assert_allclose(bag.feature_importances_, tree.feature_importances_)


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_a_random_forest_with_all_features_is_bagging_where_no_two_are_equally_good(forest):
    X, y = noisy_table(forest)
    bagging, cart = TREES[0] if forest is RandomForestClassifier else TREES[1]
    # Shallow trees: in small nodes many features divide the rows equally well, and forests draw among those.
    one = forest(n_estimators=4, max_features=None, max_depth=3, random_state=3).fit(X, y)
    same_forest(one, bagging(cart(max_depth=3), n_estimators=4, random_state=3).fit(X, y))


@pytest.mark.parametrize("cls", FORESTS)
def test_any_number_of_threads_grows_the_same_forest(cls):
    X, y = mixed_table(cls, 3000)
    forests = [cls(n_estimators=7, random_state=2, n_jobs=n).fit(X, y) for n in (1, 2, 5)]
    same_forest(forests[0], forests[1])
    same_forest(forests[0], forests[2])
    assert len({tree.threshold[tree.feature == 1].sum() for tree in forests[0].model_.trees}) == 7


@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (BaggingClassifier, {"estimator": CARTClassifier(max_depth=1)}),
        (BaggingRegressor, {"estimator": CARTRegressor(max_depth=1)}),
        (RandomForestClassifier, {"max_depth": 1}),
        (RandomForestRegressor, {"max_depth": 1, "max_features": 1}),
    ],
)
def test_bins_are_used_only_when_asked_for(cls, params):
    X, y = noisy_table(cls, 1000)
    X = np.random.default_rng(0).normal(size=X.shape)

    def cuts(**more):
        forest = cls(n_estimators=100, random_state=0, **params, **more).fit(X, y)
        return {float(tree.threshold[0]) for tree in forest.model_.trees if tree.feature[0] == 0}

    assert 1 < len(cuts(max_bins=4)) <= 3
    assert len(cuts()) > 4


@pytest.mark.parametrize("cls", FORESTS)
def test_bins_cost_little_accuracy(cls):
    X, y = noisy_table(cls, 2000)
    exact = cls(n_estimators=20, random_state=0).fit(X[:1000], y[:1000])
    binned = cls(n_estimators=20, random_state=0, max_bins=32).fit(X[:1000], y[:1000])
    assert binned.score(X[1000:], y[1000:]) > exact.score(X[1000:], y[1000:]) - 0.05


@pytest.mark.parametrize("cls", FORESTS)
def test_categories_need_no_preparation(cls):
    X, y = mixed_table(cls, 600)
    forest = cls(n_estimators=20, random_state=0).fit(X[:400], y[:400])
    assert forest.score(X[400:], y[400:]) > 0.6
    subsets = [tree for tree in forest.model_.trees if (tree.kind == 2).any()]
    assert len(subsets) == 20
    unseen = X[400:].assign(colour="pink")
    assert np.isfinite(forest.predict(unseen)).all()


@pytest.mark.parametrize("cls", REGRESSORS)
def test_limits_bind_every_tree(cls):
    X, y = noisy_table(cls)
    if "Bagging" in cls.__name__:
        pytest.skip("its limits are those of its tree")
    forest = cls(n_estimators=5, max_depth=4, min_samples_leaf=0.05, random_state=0).fit(X, y)
    for tree in forest.model_.trees:
        assert tree.max_depth <= 4
        assert tree.n_node_samples.min() >= 10
    leaves = cls(n_estimators=5, max_leaf_nodes=7, random_state=0).fit(X, y)
    assert max(tree.n_leaves for tree in leaves.model_.trees) == 7


@pytest.mark.parametrize("cls", CLASSIFIERS[1:])
def test_balanced_subsamples_give_all_classes_of_a_bag_the_same_weight(cls):
    X, _ = noisy_table(cls)
    y = np.repeat([0, 1, 2], [150, 40, 10])
    forest = cls(n_estimators=5, class_weight="balanced_subsample", bootstrap=True, random_state=0).fit(X, y)
    for number, tree in enumerate(forest.model_.trees):
        np.testing.assert_allclose(tree.value[0, 0], [1 / 3] * 3, atol=1e-6)
        assert tree.weighted_n_node_samples[0] == pytest.approx(200, rel=1e-5)
        member = forest.estimators_[number]
        assert member.explain_split(0, X, y).weight == pytest.approx(200, rel=1e-5)


def test_class_weights_decide_how_often_rows_are_drawn():
    X, _ = noisy_table(RandomForestClassifier)
    y = np.repeat([0, 1], [180, 20])
    forest = RandomForestClassifier(n_estimators=50, class_weight="balanced", random_state=0).fit(X, y)
    drawn = np.mean([y[rows].mean() for rows in forest.estimators_samples_])
    assert drawn == pytest.approx(0.5, abs=0.03)
    never = RandomForestClassifier(class_weight={0: 1.0, 1: 0.0}, n_estimators=5).fit(X, y)
    assert never.predict_proba(X)[:, 1].max() == 0


def test_without_bootstrap_class_weights_are_weights():
    X, _ = noisy_table(ExtraTreesClassifier)
    y = np.repeat([0, 1], [180, 20])
    for weight in ("balanced", "balanced_subsample"):
        forest = ExtraTreesClassifier(n_estimators=2, class_weight=weight, random_state=0).fit(X, y)
        np.testing.assert_allclose(forest.model_.trees[0].value[0, 0], [0.5, 0.5], atol=1e-9)
        assert forest.estimators_[1].explain_split(0, X, y).weight == pytest.approx(200)
