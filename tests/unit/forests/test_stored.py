"""Forests in files and pickles: nothing is lost, nothing false is believed."""

import io
import pickle
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.forests.forest_data import FORESTS, answers, mixed_table, noisy_table, same_forest

import treewright
from treewright import BaggingClassifier, C45Classifier, RandomForestClassifier, RandomForestRegressor
from treewright.exceptions import ModelFileError


def through_file(forest):
    file = io.BytesIO()
    treewright.store.save(forest, file)
    file.seek(0)
    return treewright.load(file)


COPIES = {"file": through_file, "pickle": lambda forest: pickle.loads(pickle.dumps(forest))}


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("table", [noisy_table, mixed_table])
@pytest.mark.parametrize("cls", FORESTS)
def test_everything_comes_back(cls, table, duplicate):
    X, y = table(cls)
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    params = {"n_estimators": 40, "bootstrap": True, "oob_score": True, "random_state": 0, "max_bins": 64}
    params |= {"calibrate": "oob", "voting": "hard"} if hasattr(cls, "predict_proba") else {"quantiles": True}
    forest = cls(**params).fit(X, y, sample_weight=weights)
    copied = duplicate(forest)
    same_forest(copied, forest)
    np.testing.assert_array_equal(answers(copied, X), answers(forest, X))
    assert copied.oob_score_ == forest.oob_score_
    name = "oob_decision_function_" if hasattr(forest, "classes_") else "oob_prediction_"
    np.testing.assert_array_equal(getattr(copied, name), getattr(forest, name))
    np.testing.assert_array_equal(copied.feature_importances_, forest.feature_importances_)
    np.testing.assert_array_equal(copied.estimators_samples_[7], forest.estimators_samples_[7])
    if not hasattr(forest, "classes_"):
        np.testing.assert_array_equal(copied.predict_interval(X), forest.predict_interval(X))
    curve = copied.oob_learning_curve(X, y, n_trees=[40])
    assert curve.scores[0] == pytest.approx(forest.oob_score_)
    assert copied.explain_split(0, X, y, weights, tree=3).weight == pytest.approx(np.count_nonzero(weights))
    # And it can grow.
    copied.set_params(warm_start=True, n_estimators=41).fit(X, y, sample_weight=weights)
    forest.set_params(n_estimators=41).fit(X, y, sample_weight=weights)
    same_forest(copied, forest)


def test_a_callable_score_is_saved_as_its_result():
    X, y = noisy_table(RandomForestClassifier)
    forest = RandomForestClassifier(oob_score=lambda a, b: 0.25, random_state=0).fit(X, y)
    loaded = through_file(forest)
    assert loaded.oob_score_ == 0.25
    assert loaded.oob_score is True


@pytest.mark.parametrize(
    "facts",
    [
        {"bags": None},
        {"bags": []},
        {"bags": [{"first": 0}]},
        {"bags": "many"},
        {"max_features": 2.0},
        {"bags[0].last": 3},
        {"bags[0].seed": -1},
        {"bags[0].draws": True},
        {"bags[0].n_rows": 10},
        {"calibration": {"method": "magic"}},
        {"oob_score": "good"},
    ],
    ids=str,
)
def test_facts_that_cannot_be_are_refused(facts):
    X, y = noisy_table(RandomForestClassifier)
    forest = RandomForestClassifier(n_estimators=4, random_state=0).fit(
        X, y, sample_weight=np.arange(1.0, 201.0)
    )
    changed = dict(forest.model_.facts)
    for name, value in facts.items():
        if name.startswith("bags[0]."):
            changed["bags"] = [{**changed["bags"][0], name.removeprefix("bags[0]."): value}]
        else:
            changed[name] = value
    with pytest.raises(ModelFileError):
        through_file(replace(forest.model_, facts=changed))


@pytest.mark.parametrize(
    "arrays",
    [
        {"importances": None},
        {"importances": np.zeros((3, 4))},
        {"leaf_rows": None},
        {"leaf_rows": np.full(10, 7, dtype=np.uint32)},
        {"leaf_begin": np.array([0, 5], dtype=np.int64)},
        {"target": np.zeros(3)},
        {"oob_values": np.zeros((3, 1))},
        {"bag0_probabilities": np.ones(3)},
    ],
    ids=lambda arrays: str(next(iter(arrays))),
)
def test_arrays_that_do_not_fit_are_refused(arrays):
    X, y = noisy_table(RandomForestRegressor)
    forest = RandomForestRegressor(n_estimators=30, quantiles=True, oob_score=True, random_state=0).fit(X, y)
    changed = {name: array for name, array in {**forest.model_.arrays, **arrays}.items() if array is not None}
    with pytest.raises(ModelFileError):
        through_file(replace(forest.model_, arrays=changed))


@pytest.mark.parametrize(
    "estimator",
    [
        {"class": "Popen", "params": {}},
        {"class": "C45Classifier"},
        3,
        {"class": "C45Classifier", "params": {"x": 1}},
    ],
)
def test_a_tree_that_the_library_does_not_have_is_refused(estimator):
    X, y = noisy_table(BaggingClassifier)
    bag = BaggingClassifier(C45Classifier(), n_estimators=2).fit(X, y)
    with pytest.raises(ModelFileError):
        through_file(replace(bag.model_, params={**bag.model_.params, "estimator": estimator}))


def test_a_saved_forest_is_small():
    X, y = noisy_table(RandomForestClassifier, 3000)
    forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    file = io.BytesIO()
    forest.save(file)
    assert file.tell() < 24.5 * forest.model_.trees.node_count + 20_000
