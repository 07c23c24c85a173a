"""Files of format 1 of every estimator load and answer as they did when they were written.

They were made by `write_all` below with the last version that wrote format 1. They are never written again.
"""

import json
import pathlib

import numpy as np
import pytest

import treewright
from treewright.algorithms import ALGORITHMS

FOLDER = pathlib.Path(__file__).parent / "files" / "format_1"
ANSWERS = FOLDER / "answers.json"
ROWS = [[1.0, "a"], [9.0, "a"], [9.0, "c"], [None, "b"], [5.0, None], [5.0, "never seen"], [None, None]]
STOPS = {"n_estimators": 12, "learning_rate": 0.5, "n_iter_no_change": 2, "validation_fraction": 0.3}
PARAMS = {
    "id3": {"max_depth": 3},
    "c45": {"class_weight": {"low": 1.0, "high": 1.5}},
    "cart": {
        "missing": "surrogate",
        "max_leaf_nodes": 6,
        "prune": "cost_complexity",
        "cv": 3,
        "random_state": 0,
    },
    "bagging": {"n_estimators": 2, "max_features": 1, "random_state": 0},
    "random_forest": {"n_estimators": 3, "max_depth": 3, "random_state": 0},
    "extra_trees": {
        "n_estimators": 9,
        "max_depth": 2,
        "bootstrap": True,
        "oob_score": True,
        "random_state": 0,
    },
    "adaboost": {"n_estimators": 3, "early_stopping": True, "random_state": 0},
    "gbm": {**STOPS, "max_depth": 2, "random_state": 0},
    "xgboost": {**STOPS, "early_stopping": True, "max_depth": 2, "random_state": 0},
    "lightgbm": {
        **STOPS,
        "early_stopping": True,
        "max_leaf_nodes": 4,
        "min_samples_leaf": 3,
        "random_state": 0,
    },
}
# Defaults of that time that have another value now: a file keeps what they were.
DEFAULTS = {"lightgbm": {"max_features": 0.6}}
# The algorithms of that time.
ALL = [(name, task) for name in PARAMS for task in ALGORITHMS[name]]


def estimator_of(name, task):
    return treewright.make(name, task, **PARAMS[name])


def example(task):
    """Return 60 rows with missing values, and labels in three classes or numbers."""
    generator = np.random.default_rng(7)
    number = generator.integers(0, 10, 60).astype(float)
    letter = generator.choice(["a", "b", "c"], 60)
    score = number + 4.0 * (letter == "b") - 3.0 * (letter == "c") + generator.normal(0, 1, 60)
    hidden = generator.random((60, 2)) < 0.15
    rows = [
        [None if gone[0] else x, None if gone[1] else z]
        for x, z, gone in zip(number.tolist(), letter.tolist(), hidden.tolist(), strict=True)
    ]
    if task == "regression":
        return rows, np.round(score, 2)
    return rows, np.where(score > 8, "high", np.where(score > 3, "middle", "low"))


def answers(estimator):
    """Return what an estimator says about the rows, in plain values."""
    found = {"params": repr(estimator), "predict": estimator.predict(ROWS).tolist()}
    if hasattr(estimator, "classes_"):
        found["classes"] = estimator.classes_.tolist()
        found["proba"] = estimator.predict_proba(ROWS).tolist()
    found["importances"] = estimator.feature_importances_.tolist()
    found["leaves"] = np.asarray(estimator.apply(ROWS)).tolist()
    if hasattr(estimator, "oob_score_"):
        found["oob_score"] = estimator.oob_score_
    if len(getattr(estimator, "validation_score_", ())):
        found["validation_score"] = np.asarray(estimator.validation_score_).tolist()
    return found


def write_all(folder):
    expected = {}
    for name, task in ALL:
        fitted = estimator_of(name, task).fit(*example(task))
        fitted.save(folder / f"{name}_{task}.tree")
        expected[f"{name}_{task}"] = answers(fitted)
    ANSWERS.write_text(json.dumps(expected, indent=1) + "\n", encoding="ascii")


@pytest.fixture(scope="module")
def expected():
    return json.loads(ANSWERS.read_text(encoding="ascii"))


@pytest.mark.parametrize(("name", "task"), ALL)
def test_a_file_of_format_1_answers_as_it_always_did(name, task, expected):
    estimator = treewright.load(FOLDER / f"{name}_{task}.tree")
    assert type(estimator) is ALGORITHMS[name][task]
    then = {**DEFAULTS.get(name, {}), **PARAMS[name]}
    assert repr(estimator) == repr(treewright.make(name, task, **then))
    found = answers(estimator)
    wanted = expected[f"{name}_{task}"]
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        if key == "params":  # as they were written then: defaults are left out
            assert found[key] == value or name in DEFAULTS
        elif key in ("classes", "leaves") or (key == "predict" and "classes" in wanted):
            assert found[key] == value, key
        else:
            np.testing.assert_allclose(found[key], value, rtol=1e-12, err_msg=key)


def test_every_estimator_of_that_time_has_a_file(expected):
    wanted = {f"{name}_{task}" for name, task in ALL}
    assert {path.stem for path in FOLDER.glob("*.tree")} == wanted == set(expected)
