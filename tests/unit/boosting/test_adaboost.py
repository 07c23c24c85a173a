"""AdaBoost: any tree, both variants, errors, files."""

import io
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.unit.boosting.boost_data import CLASSIFIERS, REGRESSORS, mixed_table, table

import treewright
from treewright import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    RandomForestClassifier,
)
from treewright.datasets import load_tennis
from treewright.exceptions import ConstantTargetWarning

X, Y = table(CLASSIFIERS[0])
X3, Y3 = table(CLASSIFIERS[0], n_classes=3)
XR, YR = table(REGRESSORS[0])


@pytest.mark.parametrize("algorithm", ["SAMME", "SAMME.R"])
@pytest.mark.parametrize(("rows", "y"), [(X, Y), (X3, Y3)])
def test_boosted_stumps_are_better_than_one(algorithm, rows, y):
    boosted = AdaBoostClassifier(algorithm=algorithm, n_estimators=60, learning_rate=0.5).fit(rows, y)
    assert boosted.score(rows, y) > CARTClassifier(max_depth=1).fit(rows, y).score(rows, y)
    np.testing.assert_allclose(boosted.predict_proba(rows).sum(axis=1), 1)
    best = boosted.predict_proba(rows).argmax(axis=1)
    np.testing.assert_array_equal(boosted.classes_[best], boosted.predict(rows))


def test_the_real_variant_weighs_rows_by_the_probabilities_of_their_classes():
    boosted = AdaBoostClassifier(CARTClassifier(max_depth=2), 2, algorithm="SAMME.R").fit(X3, Y3)
    first, second = boosted.estimators_
    logs = np.log(np.maximum(first.predict_proba(X3), np.finfo(float).eps))
    own = logs[np.arange(len(Y3)), Y3]
    weights = np.exp(-2 / 3 * (own - (logs.sum(axis=1) - own) / 2))
    again = CARTClassifier(max_depth=2).fit(X3, Y3, sample_weight=weights)
    np.testing.assert_allclose(second.predict_proba(X3), again.predict_proba(X3), atol=1e-9)
    real = 2 * (logs - logs.mean(axis=1, keepdims=True))
    later = np.log(np.maximum(second.predict_proba(X3), np.finfo(float).eps))
    real = (real + 2 * (later - later.mean(axis=1, keepdims=True))) / 2
    np.testing.assert_allclose(boosted.decision_function(X3), real, atol=1e-9)


@pytest.mark.parametrize(
    "tree",
    [
        C45Classifier(),
        CARTClassifier(max_depth=2, ccp_alpha=0.01),
        CARTClassifier(max_depth=2, missing="surrogate"),
        CARTClassifier(max_depth=2, max_features=2, random_state=0),
    ],
)
def test_any_tree_can_be_boosted(tree):
    frame, y = mixed_table(CLASSIFIERS[0])
    boosted = AdaBoostClassifier(tree, n_estimators=8, random_state=0).fit(frame, y)
    assert boosted.score(frame, y) >= 0.8
    assert type(boosted.estimators_[0]) is type(tree)
    assert boosted.estimator_ is tree
    # What each member says about itself is what the ensemble adds up.
    votes = np.zeros((len(y), 2))
    for member, weight in zip(boosted.estimators_, boosted.estimator_weights_, strict=True):
        chosen = member.predict_proba(frame).argmax(axis=1)
        votes += np.where(np.arange(2) == chosen[:, np.newaxis], weight, -weight)
    expected = (votes[:, 1] - votes[:, 0]) / boosted.estimator_weights_.sum()
    np.testing.assert_allclose(boosted.decision_function(frame), expected, atol=1e-12)


def test_symbols_can_be_boosted():
    rows, play, _, _ = load_tennis()
    boosted = AdaBoostClassifier(ID3Classifier(max_depth=1), n_estimators=10).fit(rows, play)
    assert boosted.predict([["overcast", "mild", "normal", "weak"]]).tolist() == ["yes"]


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_numbers_are_the_weighted_median_of_the_trees(loss):
    boosted = AdaBoostRegressor(n_estimators=9, loss=loss).fit(XR, YR)
    assert boosted.score(XR, YR) > 0.7
    answers = np.array([member.predict(XR) for member in boosted.estimators_])
    weights = boosted.estimator_weights_
    for row in range(0, 300, 37):
        order = np.argsort(answers[:, row])
        place = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
        assert boosted.predict(XR)[row] == answers[order[place], row]
    stages = list(boosted.staged_predict(XR))
    np.testing.assert_array_equal(stages[-1], boosted.predict(XR))
    np.testing.assert_array_equal(stages[0], answers[0])


def test_stages_lead_to_the_answer():
    boosted = AdaBoostClassifier(n_estimators=6).fit(X3, Y3)
    for staged, last in (
        (boosted.staged_predict(X3), boosted.predict(X3)),
        (boosted.staged_predict_proba(X3), boosted.predict_proba(X3)),
        (boosted.staged_decision_function(X3), boosted.decision_function(X3)),
    ):
        stages = list(staged)
        assert len(stages) == 6
        np.testing.assert_allclose(stages[-1], last, atol=1e-12)


def test_a_perfect_tree_ends_the_rounds():
    boosted = AdaBoostClassifier(CARTClassifier(), n_estimators=10).fit(X, Y)
    assert boosted.n_iter_ == 1
    assert boosted.estimator_errors_.tolist() == [0.0]
    perfect = AdaBoostRegressor(CARTRegressor(), n_estimators=10).fit(XR, YR)
    assert perfect.n_iter_ == 1
    np.testing.assert_allclose(perfect.predict(XR), YR)


def test_a_tree_no_better_than_chance_is_refused_or_ends_the_rounds():
    with pytest.raises(ValueError, match="no better than chance for 2 classes"):
        AdaBoostClassifier().fit(np.zeros((10, 1)), [0, 1] * 5)
    with pytest.warns(ConstantTargetWarning):
        constant = AdaBoostClassifier().fit(X, ["a"] * len(X))
    assert set(constant.predict(X)) == {"a"}


def test_only_trees_of_the_task_can_be_boosted():
    for wrong in (CARTRegressor(), RandomForestClassifier(), "stump"):
        with pytest.raises(ValueError, match="'estimator' parameter of AdaBoostClassifier must be"):
            AdaBoostClassifier(wrong).fit(X, Y)
    with pytest.raises(ValueError, match="'loss' parameter of AdaBoostRegressor must be"):
        AdaBoostRegressor(loss=np.abs).fit(XR, YR)
    with pytest.raises(NotFittedError):
        AdaBoostRegressor().predict(XR)


def test_the_scale_of_weights_does_not_matter_and_zeros_are_absent():
    weights = np.random.RandomState(0).rand(len(Y))
    weights[:20] = 0
    one = AdaBoostClassifier(n_estimators=5).fit(X, Y, weights)
    other = AdaBoostClassifier(n_estimators=5).fit(X[20:], Y[20:], 1e6 * weights[20:])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("tree", [None, CARTClassifier(max_depth=3), C45Classifier(min_samples_branch=3)])
def test_boosters_survive_files_and_pickles(tree):
    boosted = AdaBoostClassifier(tree, n_estimators=4).fit(X3, Y3)
    file = io.BytesIO()
    boosted.save(file)
    file.seek(0)
    for copied in (treewright.load(file), pickle.loads(pickle.dumps(boosted))):
        np.testing.assert_array_equal(copied.predict_proba(X3), boosted.predict_proba(X3))
        np.testing.assert_array_equal(copied.estimator_weights_, boosted.estimator_weights_)
        assert repr(copied.get_params()) == repr(boosted.get_params())
        assert copied.estimators_[1].predict(X3).tolist() == boosted.estimators_[1].predict(X3).tolist()


def test_rows_are_drawn_anew_in_every_round_when_asked():
    drawn = [AdaBoostRegressor(n_estimators=4, resample=True, random_state=1).fit(XR, YR) for _ in range(2)]
    np.testing.assert_array_equal(drawn[0].predict(XR), drawn[1].predict(XR))
    weighted = AdaBoostRegressor(n_estimators=4).fit(XR, YR)
    assert (weighted.predict(XR) != drawn[0].predict(XR)).any()
    # Only drawn rows are in the trees.
    assert drawn[0].estimators_[0].tree_.n_node_samples[0] < len(YR)


def test_frames_and_missing_values_are_welcome():
    frame, y = mixed_table(CLASSIFIERS[0])
    boosted = AdaBoostClassifier(n_estimators=5).fit(frame, y)
    assert boosted.feature_names_in_.tolist() == frame.columns.tolist()
    assert boosted.feature_importances_.sum() == pytest.approx(1)
    assert len(boosted.predict(pd.concat([frame, frame.iloc[:0]]))) == len(y)
    assert boosted.apply(frame).shape == (len(y), 5)


@pytest.mark.parametrize("tree", [CARTClassifier(max_depth=2, max_features=1), CARTClassifier(max_depth=1)])
def test_members_know_the_seed_that_each_was_grown_with(tree):
    boosted = AdaBoostClassifier(tree, n_estimators=6, random_state=7).fit(X3, Y3)
    seeds = [member.random_state for member in boosted.estimators_]
    assert len(set(seeds)) == len(boosted.estimators_) > 1
    again = clone(tree).set_params(random_state=seeds[0]).fit(X3, Y3)
    np.testing.assert_array_equal(again.predict_proba(X3), boosted.estimators_[0].predict_proba(X3))
    file = io.BytesIO()
    boosted.save(file)
    file.seek(0)
    assert [member.random_state for member in treewright.load(file).estimators_] == seeds


def test_without_a_seed_equal_fits_give_equal_files():
    files = [io.BytesIO(), io.BytesIO()]
    for file in files:
        AdaBoostClassifier(n_estimators=6).fit(X3, Y3).save(file)
    assert files[0].getvalue() == files[1].getvalue()


def test_a_warm_start_goes_on_with_the_seeds():
    once = AdaBoostClassifier(n_estimators=6, random_state=1).fit(X3, Y3)
    more = AdaBoostClassifier(n_estimators=2, random_state=1, warm_start=True).fit(X3, Y3)
    more.set_params(n_estimators=6).fit(X3, Y3)
    assert [m.random_state for m in more.estimators_] == [m.random_state for m in once.estimators_]
