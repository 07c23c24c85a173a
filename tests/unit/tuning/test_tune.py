"""tune: races of settings, an honest comparison with the start, and searches by other programs."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier as Foreign
from sklearn.model_selection import RandomizedSearchCV

from treewright import (
    ALGORITHMS,
    CARTClassifier,
    CARTRegressor,
    LeafwiseBoostingClassifier,
    LeafwiseBoostingRegressor,
    make,
    search_space,
    tune,
)
from treewright.tuning.dimension import Choice, Range

X, Y = load_breast_cancer(return_X_y=True)
NUMBERS, TARGET = load_diabetes(return_X_y=True)
NOISE = np.random.default_rng(0).normal(size=120)
EVERY = [(name, task) for name, tasks in ALGORITHMS.items() for task in tasks]


@pytest.mark.parametrize(("name", "task"), EVERY)
def test_every_algorithm_can_be_tuned_and_every_drawn_setting_is_one_it_accepts(name, task):
    rows, y = (X[:150], Y[:150]) if task == "classification" else (NUMBERS[:150], TARGET[:150])
    if name == "id3":
        rows = (rows > np.median(rows, axis=0)).astype(str)
    estimator = make(name, task)
    if "n_estimators" in estimator.get_params():
        estimator.set_params(n_estimators=16)
    fitted, report = tune(estimator, rows, y, n_settings=8, cv=2)
    assert len(report.trials) == 9
    assert not [trial.failure for trial in report.trials if trial.failure]
    assert len(fitted.predict(rows)) == 150
    assert not hasattr(estimator, "model_")
    assert {name: fitted.get_params()[name] for name in report.chosen} == report.chosen


def test_a_number_of_settings_gives_the_same_result_again():
    booster = LeafwiseBoostingRegressor(n_estimators=40)
    first, second = (tune(booster, NUMBERS, TARGET, n_settings=10) for _ in range(2))
    assert first.report.trials == second.report.trials
    np.testing.assert_array_equal(first.estimator.predict(NUMBERS), second.estimator.predict(NUMBERS))


def test_a_bad_start_is_left_and_its_rounds_are_chosen():
    booster = LeafwiseBoostingRegressor(n_estimators=64, learning_rate=0.9, gamma=0.0, max_leaf_nodes=60)
    fitted, report = tune(booster, NUMBERS, TARGET, n_settings=8)
    assert report.is_better
    assert report.difference > report.error > 0
    assert fitted.n_estimators == report.chosen["n_estimators"]
    assert "The setting was taken" in report.verdict


def test_where_there_is_nothing_to_learn_the_start_stays_and_the_report_says_so():
    start = CARTRegressor(max_depth=1, min_samples_leaf=50)
    fitted, report = tune(start, NOISE[:, np.newaxis], NOISE[::-1].copy(), n_settings=6, random_state=3)
    assert not report.is_better
    assert report.chosen == {}
    assert fitted.get_params() == start.get_params()
    assert "the start stays" in str(report)


def test_smaller_steps_have_more_rounds_so_that_all_have_gone_equally_far():
    booster = LeafwiseBoostingRegressor(n_estimators=64, learning_rate=0.1)
    space = search_space(booster)
    space["learning_rate"] = Choice((0.05, 0.2, 0.01))
    trials = tune(booster, NUMBERS, TARGET, n_settings=8, space=space).report.trials
    marks = {0.05: {16, 32, 64, 128}, 0.2: {4, 8, 16, 32}, 0.01: {16, 32, 64, 128}}
    assert all(trial.size in marks[trial.params["learning_rate"]] for trial in trials if trial.number)


def test_a_budget_is_about_kept_and_at_least_the_start_is_fitted():
    fitted, report = tune(LeafwiseBoostingClassifier(n_estimators=30), X, Y, budget=0.01)
    assert len(report.trials) == 1
    assert math.isnan(report.difference)
    assert fitted.predict(X[:2]).shape == (2,)
    _, longer = tune(LeafwiseBoostingClassifier(n_estimators=30), X, Y, budget=6.0)
    assert len(longer.trials) > 1


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "list", "sparse"])
def test_tables_of_every_kind_give_the_same_settings(kind):
    names = [f"x{column}" for column in range(5)]
    frame = pd.DataFrame(X[:, :5], columns=names)
    rows, y = {
        "pandas": lambda: (frame, pd.Series(Y, index=np.arange(500, 1069))),
        "polars": lambda: (pl.from_pandas(frame), pl.Series(Y)),
        "pyarrow": lambda: (pl.from_pandas(frame).to_arrow(), Y.tolist()),
        "list": lambda: (X[:, :5].tolist(), Y.tolist()),
        "sparse": lambda: (csr_array(X[:, :5]), Y),
    }[kind]()
    expected = tune(CARTClassifier(random_state=0), X[:, :5], Y, n_settings=4).report
    found = tune(CARTClassifier(random_state=0), rows, y, n_settings=4).report
    assert [trial.score for trial in found.trials] == [trial.score for trial in expected.trials]
    if kind in ("pandas", "polars"):
        assert type(found.to_frame()).__module__.startswith(kind)


def test_weights_count_in_fits_and_scores():
    heavy = np.where(Y == 1, 5.0, 1.0)
    plain = tune(CARTClassifier(random_state=0), X, Y, n_settings=4).report
    weighted = tune(CARTClassifier(random_state=0), X, Y, n_settings=4, sample_weight=heavy).report
    assert plain.trials[0].score != weighted.trials[0].score


def test_scores_of_scikit_learn_are_taken_by_name_or_as_they_are():
    report = tune(CARTClassifier(random_state=0), X, Y, n_settings=4, scoring="roc_auc").report
    assert report.measure == "roc_auc"
    assert 0.5 < report.trials[0].score <= 1


@pytest.mark.filterwarnings("ignore:The tree is a single leaf")
def test_a_class_that_some_folds_lack_is_no_reason_to_stop():
    labels = np.array(["a", "b"] * 20 + ["c"])
    report = tune(CARTClassifier(random_state=0), X[:41], labels, n_settings=3).report
    assert all(trial.score is not None for trial in report.trials)


def test_a_setting_that_cannot_be_fitted_is_told_and_the_race_goes_on():
    space = search_space(CARTClassifier())
    space["ccp_alpha"] = Choice((-1.0, 0.01))
    report = tune(CARTClassifier(random_state=0), X, Y, n_settings=8, space=space).report
    failed = [trial for trial in report.trials if trial.failure]
    assert failed and len(failed) < 8
    assert "could not be fitted" in str(report)


def test_reports_become_text_html_frames_and_json():
    report = tune(CARTClassifier(random_state=0), X, Y, n_settings=12).report
    assert "… and 3 more" in str(report)
    assert "<svg" in report._repr_html_()
    assert report.to_svg().startswith("<svg")
    frame = report.to_frame()
    assert len(frame) == 13
    assert list(frame.columns[:3]) == ["setting", "score", "n_estimators"]
    assert json.loads(json.dumps(report.to_dict()))["schema_version"] == 1


def test_search_spaces_serve_the_searches_of_scikit_learn():
    iris, labels = load_iris(return_X_y=True)
    booster = LeafwiseBoostingClassifier(n_estimators=5)
    search = RandomizedSearchCV(booster, search_space(booster), n_iter=3, cv=2, random_state=1).fit(
        iris, labels
    )
    assert search.best_score_ > 0.5


def test_search_spaces_serve_trials_of_optuna():
    asked = []

    class Trial:
        def suggest_float(self, name, low, high, *, log):
            asked.append((name, "float"))
            return low

        def suggest_int(self, name, low, high, *, log):
            assert isinstance(low, int)
            asked.append((name, "int"))
            return high

        def suggest_categorical(self, name, choices):
            asked.append((name, "choice"))
            return choices[0]

    found = search_space(LeafwiseBoostingClassifier()).suggest(Trial())
    LeafwiseBoostingClassifier(n_estimators=2).set_params(**found).fit(X, Y)
    assert ("gamma", "choice") in asked
    assert ("max_leaf_nodes", "int") in asked


def test_values_stay_between_their_ends():
    random = np.random.RandomState(0)
    for one in (Range(0.013, 0.99), Range(1, 9, whole=True), Range(1e-6, 0.03, log=True)):
        drawn = [one.rvs(random) for _ in range(300)]
        assert one.low <= min(drawn) and max(drawn) <= one.high
        assert len(set(drawn)) > 8
        assert not one.whole or all(isinstance(value, int) for value in drawn)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("cv must be", {"cv": 1}),
        ("n_settings must be", {"n_settings": 0}),
        ("budget must be", {"budget": -3}),
        ("budget must be", {"budget": "long"}),
        ("at least 400 rows", {"cv": 200}),
    ],
)
def test_arguments_that_make_no_sense_are_refused(words, arguments):
    with pytest.raises(ValueError, match=words):
        tune(CARTClassifier(), X[:100], Y[:100], **arguments)


@pytest.mark.parametrize("lengths", [(100, 90, 100), (100, 120, 100), (100, 100, 3)])
def test_rows_targets_and_weights_of_different_lengths_are_refused(lengths):
    n_rows, n_targets, n_weights = lengths
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        tune(CARTClassifier(), X[:n_rows], Y[:n_targets], n_settings=2, sample_weight=np.ones(n_weights))


def test_foreign_estimators_and_scores_are_refused():
    with pytest.raises(TypeError, match="estimators of Treewright"):
        tune(Foreign(), X, Y)
    with pytest.raises(TypeError, match="scoring must be"):
        tune(CARTClassifier(), X, Y, scoring=3)
