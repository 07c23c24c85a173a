from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from tests.unit.explain.json_schema import faults, load_schema

import treewright
from treewright import C45Classifier, CARTClassifier, CARTRegressor, Grower, ID3Classifier
from treewright.datasets import load_tennis
from treewright.model.arrays import CANDIDATE_ARRAYS


def tumours() -> tuple[pd.DataFrame, Any]:
    cancer = load_breast_cancer(as_frame=True)
    return cancer.data, cancer.target.map({0: "malignant", 1: "benign"})


def noise(n: int, features: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, features))
    return X, (X[:, 0] + rng.standard_normal(n) > 0).astype(int)


def test_the_table_needs_no_data() -> None:
    X, y = tumours()
    tree = CARTClassifier().fit(X, y)
    stored = str(tree.explain_split(0)).split("\n")
    searched = str(tree.explain_split(0, X, y, top=5)).split("\n")
    assert stored[:7] == searched[:7]
    assert "! at least five features are within 0.010: other rows could well choose another root." in (
        line.strip() for line in stored
    )
    report = tree.explain_split(2)
    assert report.ties == ("worst texture",) and report.margin == pytest.approx(0.0, abs=1e-12)
    assert not report.recomputed


def test_c45_remembers_costs_and_the_average() -> None:
    X, y = tumours()
    tree = C45Classifier().fit(X, y)
    stored, searched = tree.explain_split(0), tree.explain_split(0, X, y)
    assert stored.average_gain == searched.average_gain
    assert stored.winner is not None and searched.winner is not None
    assert (stored.winner.tries, stored.winner.cost) == (searched.winner.tries, searched.winner.cost)
    assert [step.text for step in stored.steps] == [step.text for step in searched.steps]


@pytest.mark.parametrize("n", [0, 1, 3, 50])
def test_as_many_are_kept_as_were_asked_for(n: int) -> None:
    X, y = tumours()
    report = CARTClassifier(n_candidates=n).fit(X, y).explain_split(0)
    assert len(report.candidates) == 1 + min(n, 29)
    assert report.notes == (
        ()
        if n == 50
        else (f"Pass X and y of fit to see what {'all' if n else 'the other'} features offered.",)
    )


@pytest.mark.parametrize(
    "tree", [CARTClassifier(), CARTClassifier(max_leaf_nodes=9), C45Classifier(), ID3Classifier()], ids=repr
)
def test_what_is_remembered_does_not_change_the_tree(tree: Any) -> None:
    X, y = noise(500)
    X = np.round(X)
    with_memory = tree.set_params(n_candidates=6).fit(X, y).tree_.to_arrays()
    without = tree.set_params(n_candidates=0).fit(X, y).tree_.to_arrays()
    assert len(with_memory["candidate_node"]) > 0 and len(without["candidate_node"]) == 0
    for name in set(with_memory) - set(CANDIDATE_ARRAYS) - {"tables"}:
        np.testing.assert_array_equal(with_memory[name], without[name], err_msg=name)
    n_words = len(without["tables"])
    np.testing.assert_array_equal(with_memory["tables"][:n_words], without["tables"])


def test_small_nodes_of_large_trees_remember_nothing() -> None:
    X, y = noise(20_000)
    tree = CARTClassifier().fit(X, y)
    remembering = np.unique(tree.tree_.to_arrays()["candidate_node"])
    inner = np.flatnonzero(tree.tree_.kind != 0)
    rows = tree.tree_.n_node_samples
    assert remembering.tolist() == [node for node in inner if rows[node] >= 100]
    small = int(inner[rows[inner] < 100][0])
    assert len(tree.explain_split(small).candidates) == 1
    large = next(int(node) for node in inner if 100 <= rows[node] <= 150)
    stored, searched = tree.explain_split(large), tree.explain_split(large, X, y)
    for ours, theirs in zip(stored.candidates, searched.candidates, strict=False):
        assert (ours.feature, ours.threshold) == (theirs.feature, theirs.threshold)
        assert ours.gain == pytest.approx(theirs.gain, rel=1e-9)
        assert [b.n for b in ours.branches] == [b.n for b in theirs.branches]


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_threads_remember_the_same(n_jobs: int) -> None:
    X, y = noise(12_000)
    one, many = (CARTClassifier(n_jobs=n).fit(X, y).tree_.to_arrays() for n in (1, n_jobs))
    for name in (*CANDIDATE_ARRAYS, "tables"):
        np.testing.assert_array_equal(one[name], many[name], err_msg=name)


def test_pruning_keeps_what_stays() -> None:
    X, y = tumours()
    tree = CARTClassifier().fit(X, y)
    pruned = tree.pruned(n_leaves=4)
    inner = np.flatnonzero(pruned.tree_.kind != 0)
    assert np.unique(pruned.tree_.to_arrays()["candidate_node"]).tolist() == inner.tolist()
    assert pruned.explain_split(0).candidates == tree.explain_split(0).candidates


def test_categories_are_remembered_through_pruning_and_files() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"c{i}": pd.Categorical(rng.choice(list("abcdef"), 300)) for i in range(4)})
    y = np.isin(X["c0"], ["a", "c"]) ^ (X["c1"] == "b") ^ (rng.random(300) < 0.1)
    tree = CARTClassifier(ccp_alpha=0.01).fit(X, y)
    file = io.BytesIO()
    tree.save(file)
    file.seek(0)
    loaded = treewright.load(file)
    for node in np.flatnonzero(tree.tree_.kind != 0).tolist():
        assert loaded.explain_split(node) == tree.explain_split(node)
        stored, searched = tree.explain_split(node), tree.explain_split(node, X, y)
        known = {c.feature: c for c in searched.candidates}
        for candidate in stored.candidates[1:]:
            assert candidate.gain == pytest.approx(known[candidate.feature].gain, rel=1e-9)
            second = known[candidate.feature].branches[1]
            assert candidate.branches[1].words == second.words
            assert candidate.branches[1].n == second.n


def test_many_categories_take_little_room() -> None:
    rng = np.random.default_rng(1)
    names = np.char.add("c", rng.integers(0, 5000, 8000).astype(str))
    X = np.stack([names, rng.integers(0, 4, 8000).astype(str)], axis=1)
    y = rng.integers(0, 2, 8000)
    tree = C45Classifier(faithful="textbook", max_depth=2).fit(X, y)
    arrays = tree.tree_.to_arrays()
    assert len(arrays["candidate_node"]) > 0
    assert set(arrays["candidate_table"].tolist()) == {-1}
    report = tree.explain_split(0)
    assert report.candidates[0].n_branches > 1000


def test_weights_are_shown_where_rows_are_not_known() -> None:
    X, y = noise(100)
    tree = CARTClassifier().fit(X, y, np.linspace(0.5, 1.5, 100))
    report = tree.explain_split(0)
    assert all(branch.n is None for c in report.candidates[1:] for branch in c.branches)
    assert "left and right are weights" in str(report)
    assert "left and right are weights" not in str(tree.explain_split(0, X, y, np.linspace(0.5, 1.5, 100)))


def test_missing_values_are_left_out_of_what_is_remembered() -> None:
    X, y = noise(200, 3)
    X[::7, 0] = np.nan
    tree = C45Classifier().fit(X, y)
    stored, searched = tree.explain_split(0), tree.explain_split(0, X, y)
    assert stored.winner is not None and searched.winner is not None
    assert stored.winner.known == pytest.approx(searched.winner.known)
    assert stored.winner.gain_ratio == searched.winner.gain_ratio
    assert "from the rows with a known x0 (pass X and y to see it worked out)" in " ".join(
        str(stored).split()
    )


@pytest.mark.parametrize("algorithm", [CARTClassifier, CARTRegressor, C45Classifier, ID3Classifier])
def test_the_report_fits_the_schema(algorithm: type) -> None:
    X, y, _, _ = load_tennis()
    target = np.arange(14.0) if algorithm is CARTRegressor else y
    report = algorithm().fit(X, target).explain_split(0)
    schema = load_schema("split_report")
    assert faults(json.loads(json.dumps(report.to_dict())), schema, schema) == []
    assert len(report.to_frame()) == 4
    assert "<table" in report._repr_html_() and report.to_latex()


def test_a_test_made_by_hand_stands_beside_what_the_search_found() -> None:
    X, y, names, _ = load_tennis()
    edited = Grower(C45Classifier(), X, y, feature_names=names).split(0, feature="wind").to_estimator()
    for report in (
        edited.explain_split(0, feature_names=names),
        edited.explain_split(0, X, y, feature_names=names),
    ):
        assert report.notes[0] == "A hand chose this test. The search itself would test outlook."
        assert report.winner is not None and report.winner.feature == "wind"
        assert [c.feature for c in report.candidates] == ["wind", "outlook", "humidity", "temperature"]
