"""The trees of a forest as estimators of their own."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from tests.unit.forests.forest_data import CLASSIFIERS, FORESTS, answers, mixed_table, noisy_table

from treewright import (
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    export_text,
)
from treewright.model import Forest


@pytest.mark.parametrize("cls", FORESTS)
def test_the_list_makes_trees_when_asked_for(cls, monkeypatch):
    X, y = noisy_table(cls)
    forest = cls(n_estimators=5, random_state=0).fit(X, y)
    unpacked = []
    original = Forest._unpacked
    monkeypatch.setattr(Forest, "_unpacked", lambda self, tree: unpacked.append(tree) or original(self, tree))
    members = forest.estimators_
    assert len(members) == 5
    assert unpacked == []
    kind = CARTClassifier if cls in CLASSIFIERS else CARTRegressor
    assert type(members[3]) is kind
    assert unpacked == [3]
    assert len(members[1:3]) == 2
    assert len(list(members)) == 5
    np.testing.assert_array_equal(members[-1].predict(X), members[4].predict(X))
    with pytest.raises(IndexError, match="has the trees 0 to 4"):
        members[5]
    assert kind.__name__ in repr(members)


@pytest.mark.parametrize("table", [noisy_table, mixed_table])
@pytest.mark.parametrize("cls", FORESTS)
def test_every_split_of_a_tree_can_be_explained_with_the_rows_of_the_forest(cls, table):
    X, y = table(cls)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    forest = cls(n_estimators=3, random_state=0).fit(X, y, sample_weight=weights)
    tree = forest.estimators_[2]
    for node in range(0, tree.tree_.node_count, 7):
        report = tree.explain_split(node, X, y, weights)
        assert report.n == tree.tree_.n_node_samples[node]
        assert report.weight == pytest.approx(tree.tree_.weighted_n_node_samples[node])
        assert "runing" not in str(report)
    report = forest.explain_split(0, X, y, weights, tree=2)
    assert (report.tree, report.notes[0]) == (2, "Tree 2 of 3.")
    assert report.notes[1:] == tree.explain_split(0, X, y, weights).notes


def test_what_was_drawn_is_said():
    X, y = noisy_table(RandomForestClassifier)
    forest = RandomForestClassifier(n_estimators=2, max_bins=32, random_state=0).fit(X, y)
    text = str(forest.explain_split(0, X, y, tree=0))
    assert "2 of 4 features were drawn and numbers were cut into at most 32 bins" in text.replace("\n ", "")
    extra = ExtraTreesClassifier(n_estimators=2, random_state=0).fit(X, y)
    assert "one random cut of each was tried" in str(extra.explain_split(0, X, y, tree=0))
    with pytest.raises(ValueError, match="say which one"):
        extra.explain_split(0, X, y)
    with pytest.raises(ValueError, match="not the rows that the forest was fitted on"):
        forest.explain_split(0, X, 2 - y, tree=0)


def test_a_tree_prints_saves_and_copies_itself(tmp_path):
    X, y = noisy_table(RandomForestRegressor)
    forest = RandomForestRegressor(n_estimators=3, max_depth=2, random_state=0).fit(X, y)
    tree = forest.estimators_[1]
    assert export_text(tree).startswith("all rows")
    assert "x0" in str(tree.tree_)
    tree.save(tmp_path / "one.tree")
    for copied in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        np.testing.assert_array_equal(copied.predict(X), tree.predict(X))
        assert copied.explain_split(0, X, y).weight == 200
    assert not hasattr(clone(tree), "model_")


@pytest.mark.parametrize("cls", FORESTS)
def test_a_prediction_is_explained_by_votes(cls):
    X, y = noisy_table(cls)
    forest = cls(n_estimators=9, random_state=0).fit(X, y)
    report = forest.explain_prediction(X[:1])
    assert report.n_trees == 9
    if cls in CLASSIFIERS:
        assert report.answer == str(forest.predict(X[:1])[0])
        np.testing.assert_allclose(report.prediction, forest.predict_proba(X[:1])[0])
    else:
        assert report.prediction[0] == pytest.approx(forest.predict(X[:1])[0])
    assert "9 trees" in str(report)
    path = forest.explain_prediction(X[:1], tree=4)
    np.testing.assert_allclose(path.prediction, answers(forest.estimators_[4], X[:1]).ravel())


def test_the_template_has_the_parameters_of_the_forest():
    X, y = noisy_table(RandomForestClassifier)
    forest = RandomForestClassifier(
        n_estimators=2, criterion="log_loss", max_depth=3, min_samples_leaf=0.1
    ).fit(X, y)
    assert isinstance(forest.estimator_, CARTClassifier)
    assert forest.estimator_.criterion == "entropy"
    assert forest.estimator_.max_depth == 3
    assert forest.estimators_[0].min_samples_leaf == 20
    assert forest.n_outputs_ == 1
