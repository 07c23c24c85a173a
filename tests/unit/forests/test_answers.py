"""How the answers of trees become one."""

import numpy as np
import pytest
from tests.unit.forests.forest_data import CLASSIFIERS, FORESTS, REGRESSORS, mixed_table, noisy_table

from treewright import (
    BaggingClassifier,
    C45Classifier,
    CARTClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)


@pytest.mark.parametrize("table", [noisy_table, mixed_table])
@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_soft_voting_is_the_mean_of_the_trees(cls, table):
    X, y = table(cls)
    forest = cls(n_estimators=6, random_state=0).fit(X, y)
    mean = np.mean([tree.predict_proba(X) for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(forest.predict_proba(X), mean, atol=1e-12)
    np.testing.assert_array_equal(forest.predict(X), forest.classes_[mean.argmax(axis=1)])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(forest.predict_log_proba(X), np.log(forest.predict_proba(X)))


@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (BaggingClassifier, {"estimator": CARTClassifier(min_samples_leaf=20)}),
        (BaggingClassifier, {"estimator": C45Classifier(min_samples_branch=10)}),
        (RandomForestClassifier, {"min_samples_leaf": 20}),
        (ExtraTreesClassifier, {"min_samples_leaf": 20}),
    ],
)
def test_hard_voting_is_the_majority_of_the_trees(cls, params):
    X, y = noisy_table(cls)
    labels = np.array(["low", "mid", "top"])[y]
    forest = cls(n_estimators=9, voting="hard", random_state=0, **params).fit(X, labels)
    votes = np.array([tree.predict(X) for tree in forest.estimators_])
    shares = np.array([(votes == label).mean(axis=0) for label in forest.classes_]).T
    np.testing.assert_allclose(forest.predict_proba(X), shares, atol=1e-12)
    np.testing.assert_array_equal(forest.predict(X), forest.classes_[shares.argmax(axis=1)])
    soft = cls(n_estimators=9, random_state=0, **params).fit(X, labels)
    assert not np.allclose(soft.predict_proba(X), shares)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_numbers_are_averaged(cls):
    X, y = noisy_table(cls)
    forest = cls(n_estimators=6, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        forest.predict(X), np.mean([tree.predict(X) for tree in forest.estimators_], axis=0)
    )


@pytest.mark.parametrize("cls", FORESTS)
def test_importances_are_the_mean_of_those_of_the_trees(cls):
    X, y = noisy_table(cls)
    forest = cls(n_estimators=6, random_state=0).fit(X, y)
    mean = np.mean([tree.feature_importances_ for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(forest.feature_importances_, mean / mean.sum(), rtol=1e-5)
    assert forest.feature_importances_.sum() == pytest.approx(1)
    assert forest.feature_importances_[:2].sum() > forest.feature_importances_[2:].sum()


@pytest.mark.parametrize("cls", FORESTS)
def test_a_forest_that_is_one_leaf_has_no_importances(cls):
    forest = cls(n_estimators=3).fit(np.zeros((5, 2)), [1, 0, 1, 0, 1])
    assert forest.feature_importances_.tolist() == [0, 0]


@pytest.mark.parametrize("cls", FORESTS)
def test_a_row_is_in_the_same_leaves_alone_and_in_the_forest(cls):
    X, y = mixed_table(cls)
    forest = cls(n_estimators=4, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    assert leaves.shape == (200, 4)
    path, begin = forest.decision_path(X)
    for number, tree in enumerate(forest.estimators_):
        np.testing.assert_array_equal(leaves[:, number], tree.apply(X))
        part = path[:, begin[number] : begin[number + 1]]
        np.testing.assert_array_equal(part.toarray(), tree.decision_path(X).toarray())


@pytest.mark.parametrize("cls", FORESTS)
def test_more_trees_predict_new_rows_better(cls):
    X, y = noisy_table(cls, 800)
    scores = [
        np.mean(
            [
                cls(n_estimators=n, random_state=s).fit(X[:400], y[:400]).score(X[400:], y[400:])
                for s in range(3)
            ]
        )
        for n in (1, 40)
    ]
    assert scores[1] > scores[0] + 0.02
