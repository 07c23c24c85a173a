"""What cannot work is refused with a sentence; what is odd but legal works."""

import numpy as np
import pandas as pd
import pytest
from tests.unit.forests.forest_data import CLASSIFIERS, FORESTS, REGRESSORS, noisy_table

from treewright import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.forests import _size
from treewright.forests._any_tree import AnyTreeGrower

X, Y = noisy_table(RandomForestClassifier)


@pytest.mark.parametrize(
    ("cls", "params", "words"),
    [
        (RandomForestClassifier, {"n_estimators": 0}, r"an int in the range \[1, inf\). Got 0"),
        (RandomForestClassifier, {"n_estimators": 10.0}, r"an int in the range \[1, inf\). Got 10.0"),
        (RandomForestClassifier, {"criterion": "mse"}, "among {'gini', 'entropy', 'log_loss'}. Got 'mse'"),
        (RandomForestRegressor, {"criterion": "friedman_mse"}, "Use criterion='squared_error'"),
        (ExtraTreesRegressor, {"criterion": "friedman_mse"}, "Use criterion='squared_error'"),
        (RandomForestClassifier, {"max_samples": 0.0}, r"a float in the range \(0.0, inf\) or None. Got 0.0"),
        (BaggingClassifier, {"max_samples": 1.5}, r"a float in the range \(0.0, 1.0\] or None. Got 1.5"),
        (BaggingClassifier, {"max_features": "sqrt"}, r"a float in the range \(0.0, 1.0\]. Got 'sqrt'"),
        (BaggingClassifier, {"max_features": 5}, "Got max_features=5, but X has 4 feature"),
        (BaggingClassifier, {"bootstrap": False, "max_samples": 300}, "asks for 300 different rows"),
        (RandomForestClassifier, {"bootstrap": False, "max_samples": 30}, "`max_samples` cannot be set if"),
        (RandomForestClassifier, {"voting": "loud"}, "among {'soft', 'hard'}. Got 'loud'"),
        (RandomForestClassifier, {"max_bins": 1}, r"an int in the range \[2, 65535\] or None. Got 1"),
        (RandomForestClassifier, {"max_bins": 65536}, "Got 65536"),
        (RandomForestClassifier, {"calibrate": "cv"}, "among {'auto', 'oob'} or None. Got 'cv'"),
        (RandomForestClassifier, {"calibration_method": "beta"}, "among {'isotonic', 'sigmoid'}"),
        (RandomForestClassifier, {"class_weight": "even"}, "among {'balanced', 'balanced_subsample'}"),
        (RandomForestClassifier, {"oob_score": "yes"}, "a callable. Got 'yes'"),
        (RandomForestRegressor, {"quantiles": 1}, "an instance of 'bool'. Got 1"),
        (RandomForestClassifier, {"verbose": -1}, r"an int in the range \[0, inf\)"),
        (RandomForestClassifier, {"bootstrap": "no"}, "an instance of 'bool'"),
        (RandomForestClassifier, {"monotonic_cst": [1, 0, 0, 0]}, "not supported with multiclass"),
    ],
)
def test_values_out_of_range_are_refused(cls, params, words):
    with pytest.raises(ValueError, match=words):
        cls(**params).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ntree", "randomForest's name; here it is 'n_estimators'"),
        ("mtry", "'max_features'"),
        ("max_dept", "'max_depth'"),
    ],
)
def test_misspelt_and_foreign_names_are_explained(name, hint):
    with pytest.raises(TypeError, match=hint):
        RandomForestClassifier(**{name: 3})


def test_the_first_arguments_may_be_positional_as_in_scikit_learn():
    assert RandomForestClassifier(7).n_estimators == 7
    assert BaggingClassifier(None, 3).n_estimators == 3


@pytest.mark.parametrize("cls", FORESTS)
def test_several_targets_are_refused_with_advice(cls):
    kind = "Classifier" if cls in CLASSIFIERS else "Regressor"
    with pytest.raises(ValueError, match=f"MultiOutput{kind}"):
        cls().fit(X, np.column_stack([Y, Y]))


@pytest.mark.parametrize("cls", FORESTS)
def test_a_missing_target_is_refused(cls):
    with pytest.raises(ValueError, match="requires y to be passed"):
        cls().fit(X, None)


@pytest.mark.parametrize("cls", FORESTS)
def test_columns_without_any_value_do_no_harm(cls):
    X, y = noisy_table(cls)
    empty = np.column_stack([X, np.full(len(X), np.nan), np.full(len(X), np.nan)])
    forest = cls(n_estimators=5, random_state=0).fit(empty, y)
    assert forest.feature_importances_[4:].tolist() == [0, 0]
    assert forest.feature_importances_[:4].sum() == pytest.approx(1)


@pytest.mark.parametrize("cls", FORESTS)
def test_a_hundred_thousand_categories_work(cls):
    n_rows = 120_000
    codes = np.random.default_rng(0).permutation(n_rows) % 100_000
    frame = pd.DataFrame({"id": pd.Categorical(codes), "x": np.arange(n_rows) % 7})
    y = np.arange(n_rows) % 7 > 3
    forest = cls(n_estimators=2, random_state=0, n_jobs=2).fit(frame, y)
    assert forest.score(frame, y) > 0.9


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_a_bag_that_leaves_a_class_out_gives_right_probabilities(cls):
    y = np.array([0] * 195 + [1] * 5)
    forest = cls(n_estimators=50, bootstrap=True, max_samples=10, random_state=0).fit(X, y)
    assert any((y[rows] == 0).all() for rows in forest.estimators_samples_)
    found = forest.predict_proba(X)
    np.testing.assert_allclose(found, np.mean([tree.predict_proba(X) for tree in forest.estimators_], axis=0))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert forest.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("cls", REGRESSORS)
def test_a_forest_that_cannot_fit_into_memory_is_refused_at_once(cls, monkeypatch):
    X, y = noisy_table(cls)
    monkeypatch.setattr(_size, "available_memory", lambda: 2_000_000)
    with pytest.raises(
        MemoryError, match=r"10000 trees of about .* leaves need .* MB, but only 2 MB of memory"
    ):
        cls(n_estimators=10_000).fit(X, y)
    small = cls(n_estimators=10_000, random_state=0)
    if cls is BaggingRegressor:
        small.set_params(max_samples=1)
    else:
        small.set_params(max_leaf_nodes=2)
    assert len(small.fit(X, y).estimators_) == 10_000


def test_a_forest_of_pure_leaves_is_not_refused(monkeypatch):
    X = np.arange(20_000.0)[:, np.newaxis]
    monkeypatch.setattr(_size, "available_memory", lambda: 2_000_000)
    forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(X, X[:, 0] > 700)
    assert forest.model_.trees.nbytes < 100_000


def test_bags_of_any_tree_that_cannot_fit_into_memory_are_refused_after_the_first_tree(monkeypatch):
    X, y = noisy_table(BaggingClassifier)
    monkeypatch.setattr(_size, "available_memory", lambda: 200_000)
    grown = []
    forest = BaggingClassifier(C45Classifier(), n_estimators=1000)
    monkeypatch.setattr(
        AnyTreeGrower, "_tree", lambda *args, tree=AnyTreeGrower._tree: grown.append(0) or tree(*args)
    )
    with pytest.raises(
        MemoryError,
        match=r"1000 trees of about .* leaves need .* MB, but only 200 kB .* this BaggingClassifier, or "
        r"smaller ones: limit or prune them in its estimator",
    ):
        forest.fit(X, y)
    assert len(grown) == 1
    assert len(forest.set_params(n_estimators=3).fit(X, y).estimators_) == 3


@pytest.mark.parametrize("cls", FORESTS)
def test_a_failed_fit_leaves_the_forest_as_it_was(cls):
    X, y = noisy_table(cls)
    forest = cls(n_estimators=2, random_state=0).fit(X, y)
    before = forest.model_
    with pytest.raises(ValueError, match="inconsistent"):
        forest.fit(X, y[:-1])
    assert forest.model_ is before


def test_a_target_that_criteria_cannot_take_is_refused():
    X, y = noisy_table(RandomForestRegressor)
    with pytest.raises(ValueError, match="negative which is not allowed for Poisson"):
        RandomForestRegressor(criterion="poisson").fit(X, y)
    with pytest.raises(ValueError, match="squares would overflow"):
        BaggingRegressor().fit(X, y * 1e300)
