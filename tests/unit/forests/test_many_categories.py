"""Forests do not learn chance from columns of many categories, and say so where it decides."""

import numpy as np
import pandas as pd
import pytest
from tests.unit.forests.forest_data import REGRESSORS

from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

CAREFUL = [RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor]


def table_with_names(cls, n_rows=1200, n_names=400, noise=0.5):
    """Return a number that decides, apart from noise, and names that do not, three rows each."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=n_rows)
    frame = pd.DataFrame({"x": x, "name": pd.Categorical(generator.integers(0, n_names, n_rows).astype(str))})
    y = x + noise * generator.normal(size=n_rows)
    return frame, (y > 0).astype(int) if "Classifier" in cls.__name__ else y


def loss(forest, X, y):
    if hasattr(forest, "predict_proba"):
        return float(np.mean((forest.predict_proba(X)[:, 1] - y) ** 2))
    return float(np.mean((forest.predict(X) - y) ** 2))


@pytest.mark.parametrize("cls", CAREFUL)
def test_names_that_mean_nothing_do_little_harm(cls):
    X, y = table_with_names(cls)
    train, test = slice(0, 800), slice(800, None)
    params = {"n_estimators": 40, "random_state": 0, "max_features": None, "min_samples_leaf": 5}
    with_names = cls(**params).fit(X[train], y[train])
    without = cls(**params).fit(X[["x"]][train], y[train])
    assert loss(with_names, X[test], y[test]) < 1.1 * loss(without, X[["x"]][test], y[test])
    # The same rows searched as in a single tree.
    bags, single = (
        (BaggingClassifier, CARTClassifier)
        if "Classifier" in cls.__name__
        else (BaggingRegressor, CARTRegressor)
    )
    plain = bags(single(min_samples_leaf=5), n_estimators=40, random_state=0).fit(X[train], y[train])
    assert loss(with_names, X[test], y[test]) < 0.9 * loss(plain, X[test], y[test])


@pytest.mark.parametrize("cls", CAREFUL)
def test_names_that_mean_something_are_used(cls):
    generator = np.random.default_rng(0)
    name = generator.integers(0, 40, 2000)
    effect = generator.normal(size=40)
    X = pd.DataFrame({"name": pd.Categorical(name.astype(str)), "noise": generator.normal(size=2000)})
    y = effect[name] + 0.3 * generator.normal(size=2000)
    y = (y > 0).astype(int) if "Classifier" in cls.__name__ else y
    forest = cls(n_estimators=30, random_state=0).fit(X[:1500], y[:1500])
    assert forest.score(X[1500:], y[1500:]) > 0.75
    assert forest.feature_importances_[0] > 0.6


@pytest.mark.parametrize("cls", CAREFUL)
def test_rare_categories_of_a_node_stay_together(cls):
    X, y = table_with_names(cls)
    forest = cls(n_estimators=10, random_state=0, max_features=None).fit(X[["name"]], y)
    in_bag = 0
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        counts = X["name"].iloc[np.unique(rows)].value_counts()
        rare = counts.index[(counts > 0) & (counts < 5)]
        leaves = tree.apply(pd.DataFrame({"name": pd.Categorical(rare, X["name"].cat.categories)}))
        root = tree.tree_.children_left[0]
        if root < 0:
            continue
        in_bag += 1
        path = tree.decision_path(pd.DataFrame({"name": pd.Categorical(rare, X["name"].cat.categories)}))
        assert len(leaves) == len(rare) > 50
        assert len(np.unique(path[:, [root]].toarray())) == 1
    assert in_bag > 0


@pytest.mark.parametrize("cls", REGRESSORS)
def test_up_to_five_categories_are_searched_as_in_a_single_tree(cls):
    generator = np.random.default_rng(0)
    X = pd.DataFrame({"a": pd.Categorical(generator.choice(list("abcde"), 300)), "x": generator.random(300)})
    y = generator.normal(size=300)
    if cls is ExtraTreesRegressor:
        pytest.skip("its tests are drawn")
    # In the smallest nodes both columns are equally good, and which of them wins is drawn in forests.
    cart = CARTRegressor(min_samples_leaf=4)
    own = {"estimator": cart} if cls is BaggingRegressor else {"max_features": None, "min_samples_leaf": 4}
    tree = cls(n_estimators=1, bootstrap=False, **own).fit(X, y).estimators_[0].tree_
    single = cart.fit(X, y).tree_
    np.testing.assert_array_equal(tree.feature, single.feature)
    np.testing.assert_array_equal(tree.threshold, single.threshold)


def test_bagging_searches_categories_as_its_tree_does():
    X, y = table_with_names(BaggingClassifier)
    bagged = BaggingClassifier(n_estimators=1, bootstrap=False).fit(X, y).estimators_[0].tree_
    single = CARTClassifier().fit(X, y).tree_
    np.testing.assert_array_equal(bagged.feature, single.feature)
    np.testing.assert_array_equal(bagged.n_node_samples, single.n_node_samples)


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_a_report_tells_why_the_largest_gain_did_not_win(cls):
    X, y = table_with_names(cls, noise=3.0)
    forest = cls(n_estimators=3, random_state=0, max_features=None).fit(X, y)
    report = forest.estimators_[1].explain_split(0, X, y)
    chosen = next(c for c in report.candidates if c.chosen)
    other = next(c for c in report.candidates if not c.chosen)
    assert (chosen.feature, other.feature) == ("x", "name")
    assert other.decrease > chosen.decrease
    notes = " ".join(report.notes)
    assert "tests of many categories paid for their number" in notes
    assert "raised" not in notes and "hand" not in notes


def test_a_test_with_rare_categories_is_reported_as_it_is():
    generator = np.random.default_rng(0)
    name = np.where(
        generator.random(900) < 0.5, generator.integers(0, 4, 900), generator.integers(0, 300, 900)
    )
    X = pd.DataFrame({"name": pd.Categorical(name.astype(str))})
    y = np.where(name < 2, 3.0, 0.0) + generator.normal(size=900)
    tree = RandomForestRegressor(n_estimators=2, random_state=0).fit(X, y).estimators_[0]
    report = tree.explain_split(0, X, y)
    chosen = next(c for c in report.candidates if c.chosen)
    assert [branch.n for branch in chosen.branches] == [
        int(tree.tree_.n_node_samples[child])
        for child in (tree.tree_.children_left[0], tree.tree_.children_right[0])
    ]
    weights = tree.tree_.weighted_n_node_samples
    assert chosen.decrease == pytest.approx(
        report.impurity - sum(branch.weight / weights[0] * branch.impurity for branch in chosen.branches)
    )


def test_columns_without_many_categories_are_not_mentioned():
    X, y = table_with_names(RandomForestClassifier, n_names=4)
    tree = RandomForestClassifier(n_estimators=1, random_state=0, max_features=None).fit(X, y).estimators_[0]
    assert "categories" not in " ".join(tree.explain_split(0, X, y).notes)
