"""Answers of boosters after some of their rounds."""

import numpy as np
import pytest

from tests.contract.boosters import of_all_boosters
from tests.contract.data import numeric_table
from tests.contract.entries import make_entry
from treewright import AdaBoostClassifier, GradientBoostingClassifier

pytestmark = of_all_boosters


def fitted(entry):
    X, y = numeric_table(entry[1])
    return make_entry(entry).fit(X, y), X, y


def test_answers_after_some_rounds_are_those_of_the_stages(entry):
    booster, X, _ = fitted(entry)
    for number, stage in enumerate(booster.staged_predict(X), start=1):
        np.testing.assert_array_equal(booster.predict(X, n_rounds=number), stage)
    if entry[1] == "regression":
        return
    for method in ("predict_proba", "decision_function"):
        for number, stage in enumerate(getattr(booster, f"staged_{method}")(X), start=1):
            np.testing.assert_allclose(getattr(booster, method)(X, n_rounds=number), stage, rtol=1e-12)
    logarithms = booster.predict_log_proba(X, n_rounds=2)
    np.testing.assert_allclose(np.exp(logarithms), booster.predict_proba(X, n_rounds=2))


def test_leaves_of_some_rounds_are_the_first(entry):
    booster, X, _ = fitted(entry)
    leaves = booster.apply(X)
    assert leaves.shape[:2] == (len(X), booster.n_iter_)
    np.testing.assert_array_equal(booster.apply(X, n_rounds=2), leaves[:, :2])


def test_a_number_of_rounds_that_there_are_not_is_refused(entry):
    booster, X, _ = fitted(entry)
    for wrong in (0, -1, booster.n_iter_ + 1):
        with pytest.raises(ValueError, match=f"n_rounds={wrong} must be from 1 to {booster.n_iter_}"):
            booster.predict(X, n_rounds=wrong)
    with pytest.raises(TypeError, match="n_rounds must be a number of rounds"):
        booster.apply(X, n_rounds=2.0)


def test_staged_scores_are_those_of_the_booster(entry):
    booster, X, y = fitted(entry)
    weights = np.arange(len(y)) % 3.0
    scores = list(booster.staged_score(X, y, weights))
    assert len(scores) == booster.n_iter_
    assert scores[-1] == booster.score(X, y, weights)


def test_there_is_one_output(entry):
    booster, _, _ = fitted(entry)
    assert booster.n_outputs_ == 1
    with pytest.raises(AttributeError):
        _ = make_entry(entry).n_outputs_


def test_leaves_of_two_classes_have_the_axis_that_scikit_learn_gives_them(entry):
    if entry != ("gbm", "classification"):
        pytest.skip("of scikit-learn's boosters only this one has it")
    X, y = numeric_table("classification")
    booster = GradientBoostingClassifier(n_estimators=4).fit(X, y == 1)
    assert booster.apply(X).shape == (len(X), 4, 1)


def test_weights_that_overflow_end_the_rounds_of_adaboost_with_a_warning(entry):
    if entry != ("adaboost", "classification"):
        pytest.skip("others have no such weights")
    X, y = numeric_table("classification")
    with pytest.warns(UserWarning, match="have reached infinite values.*lower learning_rate"):
        booster = AdaBoostClassifier(n_estimators=30, learning_rate=1e3).fit(X, y)
    assert booster.n_iter_ < 30
