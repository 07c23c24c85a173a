"""Reports of extremely randomised trees show the random tests that a node chose from."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from treewright import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, load
from treewright.explain import SplitReport
from treewright.measures import gini


def table(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(n, 5)), 2)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int) + (X[:, 3] > 1)
    return X, y


def with_gaps_and_categories() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X, y = table()
    mixed = X.astype(object)
    mixed[:, 1] = np.array(list("abcd"))[rng.integers(0, 4, len(X))]
    mixed[rng.random(len(X)) < 0.2, 0] = None
    mixed[rng.random(len(X)) < 0.2, 1] = None
    return mixed, y


WEIGHTS = np.random.default_rng(5).integers(1, 4, 200).astype(float)
CASES: dict[str, tuple[Any, Any, Any]] = {
    "classes": (ExtraTreesClassifier(), table(), None),
    "entropy": (ExtraTreesClassifier(criterion="entropy", max_features=None), table(), None),
    "numbers": (ExtraTreesRegressor(max_features=0.6), table(), None),
    "absolute error": (ExtraTreesRegressor(criterion="absolute_error", max_depth=4), table(), None),
    "bags": (ExtraTreesClassifier(bootstrap=True, class_weight="balanced_subsample"), table(), None),
    "bags of weighted rows": (ExtraTreesClassifier(bootstrap=True), table(), WEIGHTS),
    "weights": (ExtraTreesRegressor(), table(), WEIGHTS),
    "bins": (ExtraTreesClassifier(max_bins=8, bootstrap=True), table(), None),
    "small leaves": (ExtraTreesClassifier(min_samples_leaf=15), table(), None),
    "few leaves": (ExtraTreesClassifier(max_leaf_nodes=9), table(), None),
    "pruned": (ExtraTreesClassifier(ccp_alpha=0.005), table(), None),
    "constraints": (ExtraTreesRegressor(monotonic_cst=[1, 0, -1, 0, 0]), table(), None),
    "gaps and categories": (ExtraTreesClassifier(max_features=None), with_gaps_and_categories(), None),
    "numbers of categories": (ExtraTreesRegressor(max_features=None), with_gaps_and_categories(), None),
    "sparse": (ExtraTreesClassifier(), (csr_matrix(np.maximum(table()[0], 0)), table()[1]), None),
}


def reports(name: str) -> Iterator[tuple[Any, SplitReport]]:
    estimator, (X, y), weights = CASES[name]
    forest = estimator.set_params(n_estimators=3, random_state=7).fit(X, y, weights)
    inner = [node for node in forest.estimators_[2].model_.view() if not node.is_leaf]
    for node in inner[:25]:
        yield node, forest.explain_split(node.id, X, y, weights, tree=2)


@pytest.mark.parametrize("name", CASES)
def test_the_test_of_the_tree_is_the_best_of_those_that_its_node_drew(name: str):
    n_seen = 0
    for node, report in reports(name):
        chosen = report.winner
        assert chosen is not None and report.candidates[0] is chosen
        assert sum(candidate.chosen for candidate in report.candidates) == 1
        if chosen.kind == "threshold":
            assert chosen.threshold == node.split.threshold
        assert sum(branch.n for branch in chosen.branches) == report.n
        assert [branch.n for branch in chosen.branches] == [child.rows for child in node.children]
        tolerance = 1e-9 * max(report.impurity, 1.0)
        have_paid = any("paid for their number" in note for note in report.notes)
        assert have_paid <= ("categories" in name)
        for candidate in report.candidates:
            if candidate.admissible and not have_paid:
                assert candidate.gain <= chosen.gain + tolerance
            if candidate.offers_test and "absolute" not in name:
                fallen = candidate.impurity_before - candidate.impurity_after
                assert candidate.decrease == pytest.approx(fallen, rel=1e-7, abs=1e-9 * report.impurity)
        n_seen += len(report.candidates) > 1
    assert n_seen > 3


def test_each_drawn_feature_stands_there_with_a_cut_within_its_values_and_its_gain():
    X, y = table()
    forest = ExtraTreesClassifier(n_estimators=4, max_features=3, random_state=1).fit(X, y)
    for tree in range(4):
        report = forest.explain_split(0, X, y, tree=tree)
        assert len(report.candidates) == 3
        for candidate in report.candidates:
            column = X[:, candidate.index]
            assert column.min() <= candidate.threshold < column.max()
            left = column <= candidate.threshold
            after = sum(side.mean() * gini(y[side]) for side in (left, ~left))
            assert candidate.decrease == pytest.approx(gini(y) - after, rel=1e-9)
        others = {f"x{i}" for i in range(5)} - {candidate.feature for candidate in report.candidates}
        assert f"Not drawn here: {', '.join(sorted(others))}." in report.notes


def test_the_same_tests_are_drawn_whoever_is_asked(tmp_path: Path):
    X, y = table()
    forest = ExtraTreesClassifier(n_estimators=4, random_state=1, n_jobs=2).fit(X, y)
    report = forest.explain_split(0, X, y, tree=3)
    member = forest.estimators_[3]
    forest.save(tmp_path / "forest.tree")
    grown = ExtraTreesClassifier(n_estimators=2, random_state=1, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=4).fit(X, y)
    for other in (
        member.explain_split(0, X, y),
        pickle.loads(pickle.dumps(member)).explain_split(0, X, y),
        load(tmp_path / "forest.tree").explain_split(0, X, y, tree=3),
        grown.explain_split(0, X, y, tree=3),
    ):
        assert other.candidates == report.candidates


def test_cuts_of_two_trees_are_drawn_anew():
    X, y = table()
    forest = ExtraTreesClassifier(n_estimators=6, max_features=None, random_state=1).fit(X, y)
    drawn = [
        {c.index: c.threshold for c in forest.explain_split(0, X, y, tree=tree).candidates}
        for tree in range(6)
    ]
    assert all(one[0] != other[0] for one, other in pairwise(drawn))


def test_a_constant_feature_and_a_pair_of_rows_are_told():
    X = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 7.0]])
    forest = ExtraTreesClassifier(n_estimators=1, max_features=None, random_state=0).fit(X, [0, 1])
    report = forest.explain_split(0, X, [0, 1], tree=0)
    assert {candidate.feature: candidate.reason for candidate in report.candidates} == {
        "x0": "", "x1": "constant here", "x2": "",
    }  # fmt: skip
    assert len(report.ties) == 1


def test_a_tree_whose_draws_are_not_known_shows_the_best_tests(monkeypatch: pytest.MonkeyPatch):
    X, y = table()
    forest = ExtraTreesClassifier(n_estimators=1, random_state=0).fit(X, y)
    monkeypatch.setattr("treewright.forests._bag.Bag._drawn_tests", lambda *_: [])
    assert len({candidate.index for candidate in forest.explain_split(0, X, y, tree=0).candidates}) == 5


def test_trees_that_search_all_cuts_draw_no_tests():
    X, y = table()
    forest = RandomForestClassifier(n_estimators=1, random_state=0).fit(X, y)
    assert forest.estimators_[0]._bag_.forest is None
