"""Trees and forests as estimators of scikit-learn: the same to the bit for inputs of single precision."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree import export_text as their_text

import treewright as tw
from tests.contract.entries import ENTRIES, FORESTS, make_entry
from tests.contract.export_cases import CASES, fitted_case
from tests.contract.probes import probe_frame
from treewright.exceptions import UnsupportedExportError


def compares_numbers(entry):
    """Tell whether trees have two branches, and send rows with missing values down one of them."""
    recipe = getattr(make_entry(entry), "recipe", None)
    is_binary = recipe is not None and recipe.categories == "subset" and recipe.missing == "learned"
    return entry[0] in FORESTS or is_binary


SAID = [f"{'-'.join(entry)}-numbers" for entry in ENTRIES if compares_numbers(entry)]


def singles(estimator, n_rows=500):
    """Return probes in single precision; scikit-learn refuses infinite ones."""
    with np.errstate(over="ignore"):
        X = probe_frame(estimator.model_, n_rows).astype(np.float32)
    return X.replace([np.inf, -np.inf], np.finfo(np.float32).max)


def same(ours, theirs, X):
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X.astype(np.float64)))
    if ours.model_.classes is not None:
        np.testing.assert_array_equal(theirs.predict_proba(X), ours.predict_proba(X.astype(np.float64)))


@pytest.mark.parametrize("case", SAID)
def test_predictions_are_equal_to_the_bit(case):
    estimator = fitted_case(case)
    found = tw.to_sklearn(estimator)
    X = singles(estimator)
    same(estimator, found, X)
    same(estimator, pickle.loads(pickle.dumps(found)), X)


@pytest.mark.parametrize("case", [case for case in CASES if case not in SAID])
def test_what_cannot_be_said_is_refused_with_the_reason(case):
    with pytest.raises(
        UnsupportedExportError, match=r"scikit-learn's trees cannot say this model: .*Other exp"
    ):
        tw.to_sklearn(fitted_case(case))


def test_estimators_are_of_the_kind_that_scikit_learn_would_have_fitted():
    X = np.random.default_rng(0).normal(size=(80, 3)).astype(np.float32)
    y = X[:, 0] > 0
    few = {"n_estimators": 3, "random_state": 0}
    assert type(tw.to_sklearn(tw.CARTClassifier().fit(X, y))) is DecisionTreeClassifier
    assert type(tw.to_sklearn(tw.CARTRegressor().fit(X, y * 1.0))) is DecisionTreeRegressor
    assert type(tw.to_sklearn(tw.RandomForestClassifier(**few).fit(X, y))) is RandomForestClassifier
    assert type(tw.to_sklearn(tw.ExtraTreesClassifier(**few).fit(X, y))) is ExtraTreesClassifier
    assert type(tw.to_sklearn(tw.BaggingRegressor(**few).fit(X, y * 1.0))) is RandomForestRegressor


def test_what_scikit_learn_does_with_trees_works_with_these():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(120, 3)), columns=list("abc")).astype(np.float32)
    y = np.where(X["a"] > 0, "yes", "no")
    ours = tw.CARTClassifier(criterion="entropy", max_depth=3).fit(X, y)
    tree = tw.to_sklearn(ours)
    assert tree.criterion == "entropy" and list(tree.feature_names_in_) == ["a", "b", "c"]
    assert tree.get_depth() == ours.get_depth() and tree.get_n_leaves() == ours.get_n_leaves()
    np.testing.assert_allclose(tree.feature_importances_, ours.feature_importances_, atol=1e-12)
    np.testing.assert_array_equal(tree.tree_.n_node_samples, ours.tree_.n_node_samples)
    assert "class: yes" in their_text(tree)
    assert tree.score(X, y) == ours.score(X, y)
    permutation_importance(tree, X, y, n_repeats=1, random_state=0)
    clone(tree).fit(X, y)
    forest = tw.to_sklearn(tw.RandomForestClassifier(n_estimators=4, random_state=0).fit(X, y))
    assert forest.apply(X).shape == (120, 4) and len(forest.feature_importances_) == 3


def test_missing_values_and_booleans_go_where_the_model_sends_them():
    generator = np.random.default_rng(1)
    X = pd.DataFrame({"x": generator.normal(size=300).astype(np.float32), "b": generator.random(300) < 0.5})
    X.loc[::5, "x"] = np.nan
    y = X["x"].isna() * 2.0 + X["b"] + (X["x"] > 0.3)
    ours = tw.CARTRegressor(max_depth=4).fit(X, y)
    theirs = tw.to_sklearn(ours)
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))


def test_votes_become_leaves_of_one_class():
    X = np.random.default_rng(0).normal(size=(150, 3)).astype(np.float32)
    y = np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.5])
    ours = tw.RandomForestClassifier(n_estimators=6, voting="hard", max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(tw.to_sklearn(ours).predict_proba(X), ours.predict_proba(X))


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, RandomForestRegressor, ExtraTreesClassifier])
def test_models_of_scikit_learn_come_back_as_they_were(kind):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 4))
    X[generator.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int)
    few = {} if kind is DecisionTreeClassifier else {"n_estimators": 4}
    theirs = kind(random_state=0, **few).fit(X, y)
    back = tw.to_sklearn(tw.from_sklearn(theirs))
    thresholds = np.concatenate([t.tree_.threshold for t in getattr(theirs, "estimators_", [theirs])])
    near = np.concatenate([thresholds, np.nextafter(thresholds, 9), np.nextafter(thresholds, -9)])
    probes = np.column_stack([generator.permutation(near) for _ in range(4)])
    np.testing.assert_array_equal(back.predict(probes), theirs.predict(probes))
    assert isinstance(back, DecisionTreeClassifier | RandomForestClassifier | RandomForestRegressor)
