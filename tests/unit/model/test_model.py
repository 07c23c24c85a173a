"""Model: immutable, copied without its native part, safe from several threads."""

import copy
import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

MATRIX = np.array([[10.0, 2, 1, 1], [20.0, 1, 2, 1], [np.nan, 1, np.nan, 1]])


def test_nothing_of_a_model_can_be_changed(model):
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.task = "regression"
    with pytest.raises(TypeError):
        model.params["max_depth"] = 1
    with pytest.raises(TypeError):
        model.facts["max_features"] = 1
    with pytest.raises(ValueError, match="read-only"):
        model.classes[0] = "maybe"


def test_the_parameters_of_a_model_do_not_follow_the_callers_objects(model):
    weights = {"a": 1.0}
    made = dataclasses.replace(model, params={"class_weight": weights})
    weights["a"] = 5.0
    assert made.params["class_weight"] == {"a": 1.0}


def test_prediction_follows_the_tree(model):
    values = model.values(MATRIX)
    np.testing.assert_allclose(values[:2], [[1.0, 0.0], [0.0, 1.0]])
    # Row 3: missing at the root goes right, missing again goes down three branches by their weight.
    np.testing.assert_allclose(
        values[2], [(2 * 1.0 + 4 * 0.0 + 2 * 0.5) / 8, (2 * 0.0 + 4 * 1.0 + 2 * 0.5) / 8]
    )
    assert model.apply(MATRIX)[:2, 0].tolist() == [3, 6]


@pytest.mark.parametrize("duplicate", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy])
def test_a_copy_predicts_the_same_and_leaves_the_native_part_behind(model, duplicate):
    expected = model.values(MATRIX)
    copied = duplicate(model)
    assert "_predictor" not in copied.__dict__
    np.testing.assert_array_equal(copied.values(MATRIX), expected)
    assert dict(copied.params) == dict(model.params)
    assert not copied.classes.flags.writeable


def test_many_threads_may_ask_for_the_predictor_at_once(model):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: model.predictor, range(64)))
    assert len({id(predictor) for predictor in found}) == 1


def test_a_model_with_other_trees_keeps_the_rest(model):
    other = model.with_trees(model.trees, alpha=0.5)
    assert (other.facts["alpha"], other.facts["max_features"], other.schema) == (0.5, 4, model.schema)
    assert "alpha" not in model.facts
    assert model.view().root.rows == 12
