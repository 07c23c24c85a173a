"""A model of many trees: how they become one answer, and how one of them is asked for."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.model.forest_cases import CRITERIA, bagged, forest_model

from treewright.model import Forest, Tree

ROWS = [[0.2, "a", -1.0], [None, "never seen", 0.5], [-0.4, None, 0.0], [9.0, "g", 9.0]]


def encoded():
    return bagged("gini", 1)[0]._encode(ROWS)[1]


def with_a_tuple(model, **facts):
    return replace(model, trees=tuple(model.trees), facts={"criterion": model.criterion, **facts})


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_mean_of_the_trees_is_the_answer_however_they_are_held(criterion):
    model, matrix = forest_model(criterion), encoded()
    rows = [[x, None, o] for x, _, o in ROWS] if criterion == "absolute_error" else ROWS
    trees = bagged(criterion)
    own = [
        t.predict_proba(rows) if model.classes is not None else t.predict(rows)[:, np.newaxis] for t in trees
    ]
    if criterion == "absolute_error":
        matrix[:, 1] = np.nan
    np.testing.assert_allclose(model.values(matrix), np.mean(own, axis=0), atol=1e-12)
    np.testing.assert_allclose(with_a_tuple(model).values(matrix), model.values(matrix), atol=1e-12)
    np.testing.assert_array_equal(with_a_tuple(model).apply(matrix), model.apply(matrix))
    np.testing.assert_array_equal(model.apply(matrix), np.column_stack([t.apply(rows) for t in trees]))


def test_votes_count_each_tree_once():
    model, matrix = forest_model(facts={"aggregation": "votes"}), encoded()
    answers = np.column_stack([tree.predict(ROWS) for tree in bagged("gini")])
    shares = np.stack([(answers == k).mean(axis=1) for k in range(3)], axis=1)
    np.testing.assert_allclose(model.values(matrix), shares)
    np.testing.assert_allclose(with_a_tuple(model, aggregation="votes").values(matrix), shares)
    assert not np.allclose(model.mean_values(matrix), shares)
    np.testing.assert_allclose(forest_model().vote_shares(matrix), shares)


def test_what_is_not_said_is_one_tree_or_the_mean():
    model = forest_model(facts={})
    assert model.aggregation == "mean" and replace(model, trees=model.trees[:1]).aggregation == "one"
    single = bagged("gini", 1)[0].model_
    assert single.aggregation == "one" and single.criterion == "gini"
    assert replace(single, params={}, facts={}).criterion == "gain"
    assert replace(single, facts={"criterion": "entropy"}).criterion == "entropy"
    for params, criterion in (({"criterion": "gini"}, "gini"), ({}, "gain"), (3, "gain")):
        member = {"class": "CARTClassifier", "params": params}
        bagged_one = replace(single, params={"estimator": member}, facts={})
        assert bagged_one.criterion == criterion


def test_the_number_of_outputs_is_known_without_unpacking(monkeypatch):
    monkeypatch.setattr("treewright._core.unpack_tree", None)
    assert forest_model().n_outputs == 3 and forest_model("poisson").n_outputs == 1
    assert "4 tree(s)" in repr(forest_model())


def test_one_tree_must_be_named_where_there_are_several():
    model = forest_model(n_trees=20)
    with pytest.raises(ValueError, match=r"This is a forest of 20 trees: say which one, e\.g\. tree=17\."):
        model.view()
    with pytest.raises(
        IndexError, match=r"tree=20 does not exist; the model has 20 tree\(s\), counted from 0"
    ):
        model.view(20)
    with pytest.raises(IndexError, match="tree=-1"):
        model.alone(-1)
    with pytest.raises(TypeError, match="tree must be the number of a tree, got True"):
        model.tree_number(True)
    assert model.tree_number(np.int64(3)) == 3
    assert len(model.view(19)) == model.trees.node_counts[19]
    assert bagged("gini", 1)[0].model_.tree_number(None) == 0


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_one_tree_alone_answers_as_it_does_among_the_others(criterion):
    model, matrix = forest_model(criterion), encoded()
    for held in (model, with_a_tuple(model)):
        for number, tree in enumerate(bagged(criterion)):
            alone = held.alone(number)
            assert isinstance(alone.trees, tuple) and isinstance(alone.trees[0], Tree)
            assert (alone.aggregation, alone.criterion, dict(alone.arrays)) == ("one", criterion, {})
            expected = tree.predict_proba(ROWS) if criterion == "gini" else tree.predict(ROWS)[:, np.newaxis]
            np.testing.assert_allclose(alone.values(matrix), expected, atol=1e-12)
    single = bagged("gini", 1)[0].model_
    assert single.alone() is single


@pytest.mark.parametrize("duplicate", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy])
def test_a_copy_predicts_the_same_and_leaves_the_native_part_behind(duplicate, monkeypatch):
    model, matrix = forest_model(), encoded()
    expected = model.values(matrix)
    monkeypatch.setattr("treewright._core.unpack_tree", None)
    copied = duplicate(model)
    assert "_predictor" not in copied.__dict__ and isinstance(copied.trees, Forest)
    np.testing.assert_array_equal(copied.values(matrix), expected)
    np.testing.assert_array_equal(copied.arrays["importances"], [0.5, 0.3, 0.2])


def test_extra_arrays_cannot_be_changed():
    model = forest_model()
    with pytest.raises(TypeError):
        model.arrays["importances"] = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        model.arrays["importances"][0] = 1
