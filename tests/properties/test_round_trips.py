"""Fitted trees and forests survive saving, loading, pickling and cloning, and reproduce their own counts."""

from __future__ import annotations

import io
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import treewright
from tests.oracle.strategies import Example, examples
from tests.properties.same_tree import fit

pytestmark = pytest.mark.filterwarnings("ignore::treewright.exceptions.SingleLeafWarning")
many = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LIMITS: Any = st.sampled_from([{}, {"max_depth": 3}, {"max_leaf_nodes": 4}])


def is_supported(example: Example) -> bool:
    """The median criterion has no subsets."""
    return example.criterion != "absolute_error" or not any(example.nominal)


def assert_equal_models(one: Any, other: Any, frame: Any) -> None:
    """Same arrays bit for bit, same predictions, same parameters."""
    mine, theirs = one.tree_.to_arrays(), other.tree_.to_arrays()
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)
        assert np.asarray(array).dtype == np.asarray(theirs[name]).dtype
    np.testing.assert_array_equal(one.predict(frame), other.predict(frame))
    assert type(one) is type(other)
    assert one.get_params() == other.get_params()


@many
@given(examples().filter(is_supported), LIMITS)
def test_a_saved_model_is_loaded_unchanged(example: Example, limits: dict[str, int]) -> None:
    estimator = fit(example, weight=example.weight, **limits)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tree"
        estimator.save(path)
        assert_equal_models(estimator, treewright.load(path), example.frame())


@many
@given(examples().filter(is_supported), LIMITS)
def test_a_pickled_model_is_unpickled_unchanged(example: Example, limits: dict[str, int]) -> None:
    estimator = fit(example, weight=example.weight, **limits)
    assert_equal_models(estimator, pickle.loads(pickle.dumps(estimator)), example.frame())


@many
@given(examples().filter(is_supported), LIMITS)
def test_fitting_a_clone_again_gives_the_same_tree(example: Example, limits: dict[str, int]) -> None:
    estimator = fit(example, weight=example.weight, **limits)
    again = clone(estimator).fit(example.frame(), example.y, sample_weight=example.weight)
    assert_equal_models(estimator, again, example.frame())


@many
@given(examples().filter(is_supported), LIMITS)
def test_applying_a_tree_to_its_training_rows_reproduces_its_counts(
    example: Example, limits: dict[str, int]
) -> None:
    estimator = fit(example, **limits)
    counts = np.zeros(estimator.tree_.node_count, dtype=np.int64)
    path = estimator.decision_path(example.frame())
    np.add.at(counts, path.indices, 1)
    np.testing.assert_array_equal(counts, estimator.tree_.n_node_samples)
    leaves = estimator.apply(example.frame())
    np.testing.assert_array_equal(np.unique(leaves), np.flatnonzero(estimator.tree_.children_left < 0))


@many
@given(examples().filter(is_supported))
def test_predictions_are_the_values_of_the_leaves(example: Example) -> None:
    estimator = fit(example, weight=example.weight)
    values = estimator.tree_.value[estimator.apply(example.frame())].reshape(len(example.y), -1)
    if example.is_classes:
        np.testing.assert_array_equal(estimator.predict_proba(example.frame()), values)
        np.testing.assert_array_equal(
            estimator.predict(example.frame()), estimator.classes_[values.argmax(axis=1)]
        )
    else:
        np.testing.assert_array_equal(estimator.predict(example.frame()), values[:, 0])


# --- forests
# --------------------------------------------------------------------------------------------------------


def fit_forest(example: Example, **parameters: Any) -> Any:
    """Fit a small forest on an example."""
    name = "RandomForestClassifier" if example.is_classes else "RandomForestRegressor"
    forest = getattr(treewright, name)(3, criterion=example.criterion, random_state=0, **parameters)
    return forest.fit(example.frame(), example.y)


def answers(forest: Any, example: Example) -> Any:
    """Return what a forest predicts in numbers."""
    frame = example.frame()
    return forest.predict_proba(frame) if example.is_classes else forest.predict(frame)


few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@few
@given(examples().filter(is_supported), LIMITS)
def test_a_forest_is_saved_loaded_and_pickled_unchanged(example: Example, limits: dict[str, int]) -> None:
    forest = fit_forest(example, **limits)
    file = io.BytesIO()
    forest.save(file)
    for copy in (treewright.load(file), pickle.loads(pickle.dumps(forest))):
        assert copy.model_.trees.equals(forest.model_.trees)
        assert copy.model_.arrays.keys() == forest.model_.arrays.keys()
        for name, array in forest.model_.arrays.items():
            np.testing.assert_array_equal(copy.model_.arrays[name], array, err_msg=name)
        np.testing.assert_array_equal(answers(copy, example), answers(forest, example))
        assert copy.get_params() == forest.get_params()


@few
@given(examples().filter(is_supported))
def test_the_trees_of_a_forest_alone_have_its_mean_and_can_be_saved(example: Example) -> None:
    forest = fit_forest(example)
    own = []
    for tree in forest.estimators_:
        file = io.BytesIO()
        tree.save(file)
        own.append(answers(treewright.load(file), example))
    np.testing.assert_allclose(np.mean(own, axis=0), answers(forest, example), rtol=1e-9, atol=1e-12)


@few
@given(examples().filter(is_supported), st.data())
def test_a_report_about_a_row_adds_up(example: Example, data: Any) -> None:
    forest = fit_forest(example)
    frame = example.frame()
    row = data.draw(st.integers(0, len(example.y) - 1))
    report = forest.explain_prediction(frame[row : row + 1])
    np.testing.assert_allclose(report.prediction, np.ravel(answers(forest, example)[row]), atol=1e-12)
    assert [one.leaf for one in report.trees] == forest.apply(frame[row : row + 1])[0].tolist()
    if example.is_classes:
        assert sum(one.votes for one in report.votes) == 3
        assert report.answer == str(forest.predict(frame[row : row + 1])[0])
    typical = report.trees[report.typical_tree]
    assert (typical.leaf == 0) == (not report.typical.steps)
    assert not report.typical.steps or report.typical.steps[-1].node == typical.leaf
