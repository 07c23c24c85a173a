"""Models whose trees add up: gradients beside the trees, links, files."""

import io
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest

from treewright import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestRegressor, store
from treewright.exceptions import ModelFileError
from treewright.model import Forest
from treewright.model.link import answers, probabilities

X = np.random.RandomState(0).randn(80, 3)
NUMBERS = GradientBoostingRegressor(n_estimators=4).fit(X, X[:, 0]).model_
CLASSES = GradientBoostingClassifier(n_estimators=4).fit(X, np.digitize(X[:, 0], [-0.5, 0.5])).model_


def test_gradients_go_with_their_trees():
    forest = NUMBERS.trees
    whole = forest.arrays["gradient"]
    assert len(whole) == forest.node_count
    part = forest[1:3]
    first, last = forest.arrays["begin"][[1, 3]]
    np.testing.assert_array_equal(part.arrays["gradient"], whole[first:last])
    joined = forest[:1].extended(forest[1:])
    assert joined.equals(forest)
    assert pickle.loads(pickle.dumps(forest)).equals(forest)
    # The gradient of a node is that of its children.
    inner = np.flatnonzero(forest.arrays["feature"] >= 0)
    left = np.repeat(forest.arrays["begin"][:-1], forest.node_counts)[inner] + forest.arrays["child"][inner]
    np.testing.assert_allclose(whole[inner], whole[left] + whole[left + 1], atol=1e-9)


def test_forests_with_and_without_gradients_do_not_mix():
    plain = RandomForestRegressor(n_estimators=2).fit(X, X[:, 0]).model_.trees
    assert "gradient" not in plain.arrays
    for one, other in ((plain, NUMBERS.trees), (NUMBERS.trees, plain)):
        assert not one.equals(other)
        with pytest.raises(ValueError, match="different features, classes or criteria"):
            one.extended(other)


@pytest.mark.parametrize(
    ("gradient", "words"),
    [
        (np.full(NUMBERS.trees.node_count, np.nan), "gradient that is not a finite number"),
        (np.zeros(3), "'gradient' has 3 entries"),
        (np.zeros(NUMBERS.trees.node_count, dtype=np.float32), "'gradient' has dtype float32"),
    ],
)
def test_gradients_that_are_none_are_refused(gradient, words):
    arrays = {**NUMBERS.trees.arrays, "gradient": gradient}
    with pytest.raises(ValueError, match=words):
        Forest.from_arrays(arrays, NUMBERS.trees.n_codes, "squared_error")


def test_raw_scores_are_sums_of_rounds():
    raw = CLASSES.raw_scores(X)
    assert raw.shape == (80, 3)
    leaves = CLASSES.apply(X)
    expected = np.repeat(CLASSES.arrays["start"][np.newaxis], 80, axis=0)
    for number, tree in enumerate(CLASSES.trees):
        expected[:, number % 3] += tree.value[leaves[:, number], 0, 0]
    np.testing.assert_array_equal(raw, expected)
    half = CLASSES.raw_scores(X, last=2)
    np.testing.assert_array_equal(CLASSES.raw_scores(X, first=2, start=half), raw)
    np.testing.assert_allclose(CLASSES.values(X).sum(axis=1), 1)
    assert CLASSES.n_outputs == 3
    # One row at a time goes another way through the engine.
    np.testing.assert_array_equal(np.concatenate([CLASSES.raw_scores(X[i : i + 1]) for i in range(80)]), raw)


@pytest.mark.parametrize(("link", "outputs"), [("log", 1), ("logit", 1), ("half_logit", 1), ("softmax", 3)])
def test_links_take_the_largest_scores_without_a_warning(link, outputs):
    raw = np.array([1.0, -1.0, 0.0])[np.newaxis, :outputs] * 1.7e308
    found = answers(np.concatenate([raw, -raw]), link)
    expected = {"log": [[np.inf], [0.0]], "softmax": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]}
    np.testing.assert_array_equal(found, expected.get(link, [[0.0, 1.0], [1.0, 0.0]]))


def test_links_turn_scores_into_answers():
    raw = np.array([[-800.0], [-1.0], [0.0], [2.0], [800.0]])
    np.testing.assert_array_equal(answers(raw, "identity"), raw)
    np.testing.assert_allclose(answers(raw[1:4], "log"), np.exp(raw[1:4]))
    for link, factor in (("logit", 1), ("half_logit", 2)):
        both = answers(raw, link)
        np.testing.assert_allclose(both[1:4, 1], 1 / (1 + np.exp(-factor * raw[1:4, 0])))
        np.testing.assert_allclose(both.sum(axis=1), 1)
        assert both[0].tolist() == [1.0, 0.0] and both[-1].tolist() == [0.0, 1.0]
    shares = probabilities(np.array([[1000.0, 999.0, -1000.0]]), "softmax")
    np.testing.assert_allclose(shares, [[1 / (1 + np.exp(-1)), 1 / (1 + np.e), 0]], atol=1e-12)


@pytest.mark.parametrize("model", [NUMBERS, CLASSES])
def test_files_keep_everything(model):
    file = io.BytesIO()
    store.save(model, file)
    file.seek(0)
    loaded = store.load(file)
    assert loaded.trees.equals(model.trees)
    np.testing.assert_array_equal(loaded.values(X), model.values(X))
    assert loaded.facts == model.facts


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"arrays": {}}, "where its raw scores start"),
        ({"arrays": {"start": np.zeros((1, 1))}}, "where its raw scores start"),
        ({"arrays": {"start": np.array([np.nan])}}, "where its raw scores start"),
        ({"arrays": {"start": np.zeros(3)}}, "does not fit its classes and raw scores"),
        ({"facts": {**NUMBERS.facts, "link": "logit"}}, "does not fit its classes and raw scores"),
        ({"facts": {**NUMBERS.facts, "link": ["log"]}}, "does not fit its classes and raw scores"),
        ({"facts": {**NUMBERS.facts, "link": "magic"}}, "does not fit its classes and raw scores"),
        ({"trees": (NUMBERS.trees[0],)}, "do not hold numbers"),
    ],
)
def test_files_that_do_not_add_up_are_refused(changes, words, monkeypatch):
    check_refused(replace(NUMBERS, **changes), words, monkeypatch)


def test_a_number_of_trees_that_no_rounds_have_is_refused(monkeypatch):
    check_refused(replace(CLASSES, trees=CLASSES.trees[:4]), "4 trees for 3 raw scores", monkeypatch)


def check_refused(model, words, monkeypatch):
    """The model is not written; a file that was written all the same is not read."""
    file = io.BytesIO()
    with pytest.raises(ValueError, match=words):
        store.save(model, file)
    assert file.getvalue() == b""
    monkeypatch.setattr(sys.modules["treewright.store.save"], "_check_loads", lambda *_: None)
    store.save(model, file)
    file.seek(0)
    with pytest.raises(ModelFileError, match=words):
        store.load(file)
