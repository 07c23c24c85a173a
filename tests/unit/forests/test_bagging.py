"""Bags of any tree."""

import io
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from tests.unit.forests.forest_data import noisy_table

import treewright
from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
)
from treewright.datasets import load_tennis
from treewright.exceptions import ManySymbolsWarning
from treewright.model import Forest

X, Y = noisy_table(BaggingClassifier)
LABELS = np.array(["low", "mid", "top"])[Y]

CLASS_TREES = [
    C45Classifier(),
    C45Classifier(faithful="j48", laplace=True, binary_splits=True),
    C45Classifier(faithful="textbook"),
    CARTClassifier(missing="surrogate"),
    CARTClassifier(prune="cost_complexity", cv=3),
    CARTClassifier(prune="reduced_error"),
    CARTClassifier(prune="pessimistic_error"),
    CARTClassifier(priors=[0.2, 0.3, 0.5]),
    CARTClassifier(class_weight={"low": 1.0, "mid": 2.0, "top": 3.0}),
    CARTClassifier(min_samples_leaf=0.05),
]


@pytest.mark.parametrize("tree", CLASS_TREES, ids=str)
def test_a_tree_equals_the_one_that_a_fit_on_its_bag_grows(tree):
    bag = BaggingClassifier(tree, n_estimators=3, random_state=0).fit(X, LABELS)
    assert not isinstance(bag.model_.trees, Forest)
    for member, rows in zip(bag.estimators_, bag.estimators_samples_, strict=True):
        weights = np.bincount(rows, minlength=len(Y)).astype(float)
        alone = type(tree)(**member.get_params()).fit(X, LABELS, sample_weight=weights)
        np.testing.assert_array_equal(member.predict(X), alone.predict(X))
        np.testing.assert_allclose(member.predict_proba(X), alone.predict_proba(X))
        assert member.get_params() == tree.get_params() | {"random_state": member.random_state}


@pytest.mark.parametrize("tree", CLASS_TREES, ids=str)
def test_the_bag_answers_with_the_mean_of_its_trees_and_comes_back_from_a_file(tree):
    bag = BaggingClassifier(tree, n_estimators=4, random_state=0).fit(X, LABELS)
    mean = np.mean([member.predict_proba(X) for member in bag.estimators_], axis=0)
    np.testing.assert_allclose(bag.predict_proba(X), mean)
    file = io.BytesIO()
    bag.save(file)
    file.seek(0)
    loaded = treewright.load(file)
    assert repr(loaded) == repr(bag)
    np.testing.assert_array_equal(loaded.predict_proba(X), bag.predict_proba(X))
    np.testing.assert_array_equal(loaded.apply(X), bag.apply(X))


def test_id3_sees_one_set_of_symbols_in_all_bags():
    rows, y, _, _ = load_tennis()
    bag = BaggingClassifier(ID3Classifier(), n_estimators=20, random_state=0).fit(rows, y)
    assert bag.score(rows, y) > 0.8
    assert {len(member.model_.schema.features[0].categories) for member in bag.estimators_} == {3}
    with pytest.warns(ManySymbolsWarning) as caught:
        BaggingClassifier(ID3Classifier(), n_estimators=3).fit(X, Y)
    assert len(caught) == 1  # once, and not once per tree


def test_classes_that_a_bag_lacks_keep_their_column():
    y = np.array(["a"] * 195 + ["b", "c", "d", "e", "e"])
    for tree in (None, C45Classifier(), CARTClassifier(prune="reduced_error")):
        bag = BaggingClassifier(tree, n_estimators=30, random_state=0).fit(X, y)
        assert bag.classes_.tolist() == ["a", "b", "c", "d", "e"]
        found = bag.predict_proba(X)
        assert found.shape == (200, 5)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert (found[195:].argmax(axis=1) > 0).any() or tree is not None
        for member, rows in zip(bag.estimators_, bag.estimators_samples_, strict=True):
            absent = [label not in y[rows] for label in bag.classes_]
            assert member.predict_proba(X)[:, absent].max(initial=0.0) == 0.0


def test_declared_classes_stay_declared():
    y = pd.Categorical(LABELS, categories=["top", "none", "mid", "low"])
    bag = BaggingClassifier(C45Classifier(), n_estimators=3, random_state=0).fit(X, y)
    assert bag.class_order_.tolist() == ["top", "none", "mid", "low"]
    assert bag.classes_.tolist() == ["low", "mid", "top"]
    assert bag.estimators_[1].class_order_.tolist() == ["top", "none", "mid", "low"]


@pytest.mark.parametrize("tree", [C45Classifier(), CARTClassifier(missing="surrogate"), None], ids=str)
def test_columns_are_drawn_for_trees_of_any_kind(tree):
    bag = BaggingClassifier(tree, n_estimators=8, max_features=0.5, random_state=0).fit(X, Y)
    for columns, fitted in zip(bag.estimators_features_, bag.model_.trees, strict=True):
        arrays = fitted.to_arrays()
        tested = np.concatenate([arrays["feature"][arrays["kind"] != 0], arrays["surrogate_feature"]])
        assert len(columns) == 2
        assert set(tested) <= set(columns)
    note = "This tree was given 2 of 4 columns: x"
    report = next(member.explain_split(0, X, Y) for member in bag.estimators_ if member.tree_.node_count > 1)
    assert note in str(report)


def test_monotone_constraints_follow_the_drawn_columns():
    y = Y > 0
    tree = CARTClassifier(monotonic_cst=[1, 1, 0, -1], prune="cost_complexity", cv=3)
    bag = BaggingClassifier(tree, n_estimators=5, max_features=2, random_state=0).fit(X, y)
    steps = np.linspace(-2, 2, 30)
    for column, sign in ((0, 1), (1, 1), (3, -1)):
        rows = np.zeros((30, 4))
        rows[:, column] = steps
        for member in bag.estimators_:
            assert (sign * np.diff(member.predict_proba(rows)[:, 1]) >= 0).all()


def test_numbers_are_bagged_too():
    rows, y = noisy_table(BaggingRegressor)
    tree = CARTRegressor(missing="surrogate", max_depth=5)
    bag = BaggingRegressor(tree, n_estimators=5, random_state=0).fit(rows, y)
    mean = np.mean([member.predict(rows) for member in bag.estimators_], axis=0)
    np.testing.assert_allclose(bag.predict(rows), mean)
    report = bag.estimators_[2].explain_split(0, rows, y)
    assert report.weight == len(y)


def test_rows_drawn_without_replacement_are_different_rows():
    bag = BaggingClassifier(bootstrap=False, max_samples=0.4, n_estimators=5, random_state=0).fit(X, Y)
    for rows in bag.estimators_samples_:
        assert len(np.unique(rows)) == len(rows) == 80
    with pytest.warns(UserWarning, match="it is recommended to use bootstrap=True"):
        bag.fit(X, Y, sample_weight=np.linspace(0.5, 1.5, 200))


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (DecisionTreeClassifier(), "must be a single tree of Treewright"),
        (CARTRegressor(), "must be a tree for classification"),
        (BaggingClassifier(), "must be a single tree of Treewright"),
        (CARTClassifier, "must be an object implementing 'fit' and 'predict' or None"),
        ("cart", "must be an object implementing 'fit' and 'predict' or None"),
        (CARTClassifier(max_depth=-1), "The 'max_depth' parameter of CARTClassifier must be"),
    ],
)
def test_what_is_not_a_tree_is_refused(estimator, words):
    with pytest.raises(ValueError, match=words):
        BaggingClassifier(estimator).fit(X, Y)


def test_bins_are_for_cart_only():
    with pytest.raises(ValueError, match="bins only for CART without pruning"):
        BaggingClassifier(C45Classifier(), max_bins=32).fit(X, Y)


def test_parameters_of_the_tree_can_be_set():
    bag = BaggingClassifier(C45Classifier(), n_estimators=2)
    bag.set_params(estimator__min_samples_branch=30, n_estimators=3).fit(X, Y)
    assert len(bag.estimators_) == 3
    assert bag.estimators_[0].min_samples_branch == 30
    assert bag.estimator.random_state is None


def test_the_tree_says_which_columns_are_categories():
    coded = np.column_stack([X[:, 0], np.arange(200) % 5])
    bag = BaggingClassifier(CARTClassifier(categorical_features=[1]), n_estimators=2).fit(coded, Y)
    assert [feature.kind for feature in bag.model_.schema.features] == ["numeric", "nominal"]


class ShallowTree(CARTClassifier):
    """A tree of a user."""

    def __init__(self, *, depth=2):
        super().__init__(max_depth=depth)
        self.depth = depth


def test_a_tree_that_a_user_derived_works_but_is_no_tree_of_the_library():
    bag = BaggingClassifier(ShallowTree(depth=3), n_estimators=4, random_state=0).fit(X, Y)
    assert [type(member) for member in bag.estimators_] == [ShallowTree] * 4
    assert max(tree.max_depth for tree in bag.model_.trees) == 3
    copied = pickle.loads(pickle.dumps(bag))
    np.testing.assert_array_equal(copied.predict_proba(X), bag.predict_proba(X))
    file = io.BytesIO()
    bag.save(file)
    file.seek(0)
    with pytest.raises(treewright.exceptions.ModelFileError, match="estimator is none that this library has"):
        treewright.load(file)


def test_a_tree_with_another_name_of_its_criterion_can_be_bagged():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    one, other = (
        treewright.BaggingClassifier(
            treewright.CARTClassifier(criterion=criterion), n_estimators=3, random_state=0
        ).fit(X, y)
        for criterion in ("log_loss", "entropy")
    )
    assert one.predict_proba(X).tolist() == other.predict_proba(X).tolist()
