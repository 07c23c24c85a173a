"""VotesReport: counts that a reader can check tree by tree, in every form the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.unit.explain.json_schema import faults, load_schema
from tests.unit.explain.test_renderers import NUMBER, Plain
from tests.unit.model.forest_cases import bagged, forest_model

from treewright import C45Classifier
from treewright.datasets import load_tennis
from treewright.explain import VotesReport, explain_prediction, explain_split, explain_votes
from treewright.explain.row_paths import follow_row
from treewright.explain.votes import most_typical, similarities
from treewright.explain.words import number
from treewright.model import Model

ROWS = [[0.2, "a", -1.0], [None, "never seen", 0.5], [-0.4, None, 0.0], [9.0, "g", 9.0], [0.0, "b", 0.1]]


def choose(values: Any) -> Any:
    return values.argmax(axis=1)


def encoded(rows: Any, criterion: str = "gini") -> Any:
    return bagged(criterion, 1)[0]._encode(rows)[1]


def report_of(row: int = 0, criterion: str = "gini", **changes: Any) -> VotesReport:
    return explain_votes(forest_model(criterion, 9, **changes), encoded(ROWS)[[row]], choose)


def several(model: Model, **facts: Any) -> Model:
    """Return the same model with its trees unpacked."""
    return replace(
        model, trees=tuple(model.trees), facts={**model.facts, "criterion": model.criterion, **facts}
    )


# --- paths -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_the_ways_through_a_forest_are_those_through_its_trees(criterion: str) -> None:
    model = forest_model(criterion, 9)
    for row in encoded(ROWS):
        lean, full = follow_row(model, row), follow_row(several(model), row)
        np.testing.assert_array_equal(lean.leaves, full.leaves)
        np.testing.assert_array_equal(lean.leaves, model.apply(row[np.newaxis])[0])
        np.testing.assert_array_equal(lean.rows, full.rows)
        np.testing.assert_allclose(lean.values, full.values, atol=1e-12)
        assert sorted(zip(lean.trees, lean.features, strict=True)) == sorted(
            zip(full.trees, full.features, strict=True)
        )


# --- numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_votes_are_the_answers_of_the_trees(row: int) -> None:
    report = report_of(row)
    trees = bagged("gini", 9)
    answers = [tree.predict([ROWS[row]])[0] for tree in trees]
    assert [one.answer for one in report.trees] == [str(answer) for answer in answers]
    assert sum(one.votes for one in report.votes) == report.n_trees == 9
    for one in report.votes:
        assert one.votes == sum(str(answer) == one.label for answer in answers)
        assert one.share == one.votes / 9
    mean = np.mean([tree.predict_proba([ROWS[row]])[0] for tree in trees], axis=0)
    assert report.prediction == pytest.approx(tuple(mean))
    assert {one.label: one.probability for one in report.votes} == pytest.approx(
        dict(zip(report.classes or (), mean, strict=True))
    )
    assert report.answer == str(mean.argmax())
    assert {one.tree for one in report.dissenters} == {
        t for t, answer in enumerate(answers) if str(answer) != report.answer
    }
    assert [one.votes for one in report.votes] == sorted((one.votes for one in report.votes), reverse=True)


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_numbers_are_summed_up(row: int) -> None:
    report = report_of(row, "squared_error")
    own = np.array([tree.predict([ROWS[row]])[0] for tree in bagged("squared_error", 9)])
    spread = report.spread
    assert spread is not None and report.votes == () and report.classes is None
    assert (spread.mean, spread.sd) == pytest.approx((own.mean(), own.std()))
    assert (spread.least, spread.median, spread.most) == pytest.approx((own.min(), np.median(own), own.max()))
    assert report.prediction == pytest.approx((own.mean(),)) and report.answer == number(own.mean())
    far = np.abs(own - own.mean()) > 2 * own.std()
    assert [one.tree for one in report.trees if not one.agrees] == np.flatnonzero(far).tolist()


def test_the_farthest_dissenter_stands_first() -> None:
    for row in range(len(ROWS)):
        report = report_of(row)
        position = (report.classes or ()).index(report.answer)
        probabilities = [one.prediction[position] for one in report.dissenters]
        assert probabilities == sorted(probabilities)


def test_tested_features_are_counted_once_per_tree_and_once_per_test() -> None:
    report = report_of()
    forest = forest_model("gini", 9).trees
    paths = [
        explain_prediction(forest_model("gini", 9), encoded(ROWS)[[0]], choose, tree=t, changes=False)
        for t in range(len(forest))
    ]
    for one in report.features:
        assert one.tests == sum(step.feature == one.feature for path in paths for step in path.steps)
        assert one.trees == sum(any(s.feature == one.feature for s in path.steps) for path in paths)
        assert one.share == one.trees / 9
    assert [one.n_tests for one in report.trees] == [len(path.steps) for path in paths]
    assert [one.leaf for one in report.trees] == [path.steps[-1].node for path in paths]
    assert [one.value for one in report.features if one.feature == "x1"] == ["a"]


def test_hard_voting_reports_shares_of_votes() -> None:
    report = report_of(4, facts={"aggregation": "votes"})
    shares = {one.label: one.share for one in report.votes}
    assert dict(zip(report.classes or (), report.prediction, strict=True)) == shares
    assert report.answer == report.votes[0].label and "with most votes is predicted" in str(report)


def test_calibrated_probabilities_are_told_from_those_of_the_trees() -> None:
    report = explain_votes(forest_model(), encoded(ROWS)[[0]], choose, prediction=[0.0, 0.1, 0.9])
    assert report.prediction == (0.0, 0.1, 0.9) and report.answer == "2"
    assert "calibrated" in str(report)
    means = {one.label: one.probability for one in report.votes}
    assert means == pytest.approx(dict(zip("012", forest_model().values(encoded(ROWS)[[0]])[0], strict=True)))


# --- the typical way -------------------------------------------------------------------------------------


def test_the_typical_tree_is_the_one_that_its_definition_says() -> None:
    for criterion in ("gini", "squared_error"):
        for row in range(len(ROWS)):
            model = forest_model(criterion, 9)
            matrix = encoded(ROWS)[[row]]
            report = explain_votes(model, matrix, choose)
            paths = follow_row(model, matrix[0])
            sets = [set(paths.features[paths.trees == t].tolist()) for t in range(9)]
            p = {f: sum(f in own for own in sets) / 9 for f in range(3)}
            similar = [
                sum(p[f] for f in own) / (len(own) + sum(p[f] for f in p if f not in own)) for own in sets
            ]
            assert report.typical_similarity == pytest.approx(similar[report.typical_tree])
            if criterion == "gini":
                allowed = [one.tree for one in report.trees if one.agrees] or list(range(9))
            else:
                distance = [abs(one.prediction[0] - report.prediction[0]) for one in report.trees]
                allowed = [t for t in range(9) if distance[t] <= sorted(distance)[1]]
            assert report.typical_tree in allowed
            assert similar[report.typical_tree] == pytest.approx(max(similar[t] for t in allowed))
            typical = report.trees[report.typical_tree]
            assert report.typical.prediction == pytest.approx(typical.prediction)
            assert len(report.typical.steps) == typical.n_tests


def test_trees_without_a_test_are_alike() -> None:
    model = forest_model()
    paths = follow_row(model, encoded(ROWS)[0])
    none = replace(paths, trees=paths.trees[:0], features=paths.features[:0])
    assert similarities(none, 4, 3).tolist() == [1.0] * 4
    assert most_typical(np.array([0.1, 0.9]), np.array([[1.0, 0.0], [1.0, 0.0]]), np.zeros(2), 1) == 1


# --- forms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_every_form_shows_the_same_numbers(criterion: str) -> None:
    report = report_of(0, criterion)
    page = Plain()
    page.feed(report._repr_html_())
    assert NUMBER.findall(str(report)) == NUMBER.findall(" ".join(page.text))
    assert max(len(line) for line in str(report).splitlines()) <= 110
    schema, path = load_schema("votes_report"), load_schema("path_report")
    schema["properties"]["typical"] = path
    root = {"$defs": {**schema["$defs"], **path["$defs"]}}
    copy = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert faults(copy, schema, root) == []
    assert copy["dissenters"] == [one.tree for one in report.dissenters]


def test_the_text_says_what_a_reader_needs() -> None:
    text = str(report_of(4))
    for words in ("Predicted", "RandomForest, 9 trees", "mean probability", "tested on the way",
                  "most typical way (tree", "ends here"):  # fmt: skip
        assert words in text
    assert "trees disagree, the farthest first: " in text or "trees agree." in text


def test_all_trees_may_agree() -> None:
    same = forest_model(n_trees=1).trees
    model = forest_model(trees=same.extended(same).extended(same))
    report = explain_votes(model, encoded(ROWS)[[0]], choose)
    assert report.dissenters == () and "All 3 trees agree." in str(report)
    assert report.typical_similarity == 1.0 and report.typical_tree == 0


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_have_one_row_per_tree_in_the_users_library(library: Any) -> None:
    frame = library.DataFrame({"a": [1.0], "b": ["x"], "c": [0.0]})
    report = explain_votes(forest_model(), encoded(ROWS)[[0]], choose, X=frame)
    found = report.to_frame()
    assert type(found) is library.DataFrame and list(found["tree"]) == [0, 1, 2, 3]
    assert list(found["p(0)"]) == [one.prediction[0] for one in report.trees]
    numbers = report_of(0, "squared_error").to_frame()
    assert next(iter(numbers["prediction"])) == report_of(0, "squared_error").trees[0].prediction[0]


# --- single trees of many --------------------------------------------------------------------------------


def test_one_tree_of_a_forest_is_explained_when_it_is_named() -> None:
    model, matrix = forest_model(), encoded(ROWS)[[0]]
    path = explain_prediction(model, matrix, choose, tree=2)
    assert path.algorithm == "RandomForest, tree 2 of 4" and "tree 2 of 4" in str(path)
    assert path.steps[-1].node == model.apply(matrix)[0, 2]
    split = explain_split(model, 0, tree=2)
    assert split.tree == 2 and "Tree 2 of 4." in str(split)
    assert split.winner is not None and split.winner.gain == pytest.approx(
        float(bagged("gini")[2].explain_split(0).winner.gain), rel=1e-6
    )
    for ask in (
        lambda **t: explain_prediction(model, matrix, choose, **t),
        lambda **t: explain_split(model, 0, **t),
    ):
        with pytest.raises(ValueError, match=r"This is a forest of 4 trees: say which one, e\.g\. tree=3\."):
            ask()
        with pytest.raises(IndexError, match="tree=4 does not exist; the model has 4 tree"):
            ask(tree=4)
        with pytest.raises(TypeError, match="number of a tree"):
            ask(tree="first")


def test_a_stored_split_of_numbers_says_what_is_not_known() -> None:
    report = explain_split(forest_model("squared_error"), 0, tree=1)
    assert "A forest does not keep the squared error of its nodes." in str(report)
    assert "nan" not in str(report) and "nan" not in report._repr_html_() and report.to_latex() == ""
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    schema = load_schema("split_report")
    assert faults(plain, schema, schema) == [] and plain["impurity"] is None
    assert plain["candidates"][0]["decrease"] > 0


def test_more_than_one_row_is_refused() -> None:
    with pytest.raises(ValueError, match="one row, got 2"):
        explain_votes(forest_model(), encoded(ROWS)[:2], choose)


def test_bagged_trees_of_many_branches_vote_too() -> None:
    X, y, names, _ = load_tennis()
    rng = np.random.default_rng(0)
    fitted = []
    for _ in range(5):
        weights = rng.multinomial(len(y), np.full(len(y), 1 / len(y))).astype(float)
        fitted.append(C45Classifier().fit(X, y, sample_weight=weights + 0.1))
    first = fitted[0].model_
    model = replace(first, algorithm="BaggingClassifier", trees=tuple(one.tree_ for one in fitted))
    model = replace(model, facts={"aggregation": "mean", "criterion": "gain_ratio"})
    row = [["sunny", None, "normal", "strong"]]
    matrix = fitted[0]._encode(row)[1]
    report = explain_votes(model, matrix, choose, feature_names=names)
    assert [one.answer for one in report.trees] == [tree.predict(row)[0] for tree in fitted]
    mean = np.mean([tree.predict_proba(row)[0] for tree in fitted], axis=0)
    assert report.prediction == pytest.approx(tuple(mean))
    votes = replace(model, facts={"aggregation": "votes"}).values(matrix)[0]
    assert votes.tolist() == [sum(t.predict(row)[0] == c for t in fitted) / 5 for c in model.classes]
    assert explain_split(model, 0, tree=3).ranking == "gain_ratio"
