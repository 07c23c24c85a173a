"""SumReport: sums that are those of `predict`, tree by tree and feature by feature."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.unit.explain.boosted.boost_cases import (
    CLASSIFIERS,
    REGRESSORS,
    fitted,
    table,
    three_classes,
    two_classes,
)
from tests.unit.explain.json_schema import faults, load_schema

import treewright as tw
from treewright.explain import PathReport
from treewright.explain.boosted.sum_prediction import node_means

ROWS = (0, 7, 33)


@pytest.mark.parametrize("make", CLASSIFIERS)
@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_start_and_trees_make_the_raw_scores_of_the_booster(make: Any, data: Any) -> None:
    X, y = data()
    booster = fitted(make, X, y)
    for row in ROWS:
        one = X.iloc[[row]]
        report = booster.explain_prediction(one)
        raw = np.atleast_1d(np.squeeze(booster.decision_function(one)))
        assert [score.raw for score in report.scores] == raw.tolist()
        assert report.prediction == tuple(booster.predict_proba(one)[0])
        assert report.answer == booster.predict(one)[0]
        for k, score in enumerate(report.scores):
            own = [step.step for step in report.trees if step.output == k]
            assert len(own) == report.n_rounds == 4
            assert score.start + sum(own) == pytest.approx(score.raw)
            assert score.trees == pytest.approx(sum(own))
            adds = [part.adds for part in report.features if part.output == k]
            assert score.start + score.average + sum(adds) == pytest.approx(score.raw)


@pytest.mark.parametrize("make", REGRESSORS)
def test_steps_follow_the_staged_predictions(make: Any) -> None:
    X, y = table()
    booster = fitted(make, X, y)
    report = booster.explain_prediction(X.iloc[[5]])
    staged = [float(stage[5]) for stage in booster.staged_predict(X)]
    assert [step.raw for step in report.trees] == pytest.approx(staged)
    leaves = booster.apply(X.iloc[[5]])[0]
    assert [step.leaf for step in report.trees] == leaves.tolist()
    rows = [booster.model_.trees[t].n_node_samples[leaf] for t, leaf in enumerate(leaves)]
    assert [step.n for step in report.trees] == rows


def test_what_a_feature_adds_is_how_its_tests_move_the_mean_of_the_rows() -> None:
    X, y = table()
    booster = fitted(tw.GradientBoostingRegressor, X, y, n_estimators=1)
    report = booster.explain_prediction(X.iloc[[3]])
    tree = booster.model_.trees[0]
    leaves = booster.apply(X)[:, 0]
    steps = booster.predict(X) - booster.model_.arrays["start"][0]
    below: dict[int, set[int]] = {}
    for node in reversed(range(tree.node_count)):
        first = int(tree.first_child[node])
        below[node] = {node} | (below[first] | below[first + 1] if first >= 0 else set())
    at, adds = 0, dict.fromkeys(X.columns, 0.0)
    while tree.n_children[at]:
        child = next(
            c for c in (int(tree.first_child[at]), int(tree.first_child[at]) + 1) if leaves[3] in below[c]
        )
        means = [steps[np.isin(leaves, list(below[node]))].mean() for node in (at, child)]
        adds[X.columns[tree.feature[at]]] += means[1] - means[0]
        at = child
    assert {part.feature: part.adds for part in report.features} == pytest.approx(
        {name: value for name, value in adds.items() if value}
    )
    assert report.scores[0].average == pytest.approx(steps.mean(), abs=1e-6)


def test_means_of_nodes_are_those_of_the_rows_below() -> None:
    X, y = two_classes()
    booster = fitted(tw.LeafwiseBoostingClassifier, X, y)
    forest = booster.model_.trees
    means = node_means(forest)
    for tree in range(len(forest)):
        first = int(forest.arrays["begin"][tree])
        np.testing.assert_allclose(
            means[first : first + forest[tree].node_count], forest[tree].value[:, 0, 0], atol=1e-7
        )


def test_the_link_is_worked_out() -> None:
    X, y = table()
    counts = np.floor(np.exp(np.clip(y, -2, 2)))
    booster = fitted(tw.NewtonBoostingRegressor, X, counts, loss="poisson")
    report = booster.explain_prediction(X.iloc[[0]])
    assert report.link == "log"
    assert report.prediction[0] == pytest.approx(np.exp(report.scores[0].raw))
    assert f"prediction: e^{report.scores[0].raw:.4f}".replace("-", "−") in str(report)
    two = fitted(tw.GradientBoostingClassifier, *two_classes(), loss="exponential")
    report = two.explain_prediction(X.iloc[[0]])
    assert report.link == "half_logit"
    assert report.prediction[1] == pytest.approx(1 / (1 + np.exp(-2 * report.scores[0].raw)))
    assert "1/(1 + e^" in str(report)
    three = fitted(tw.NewtonBoostingClassifier, *three_classes()).explain_prediction(X.iloc[[0]])
    assert str(three).count("e^") == 4 and three.scores[three.shown].label == three.answer


def test_an_offset_is_added() -> None:
    X, y = table()
    booster = fitted(tw.NewtonBoostingRegressor, X, y)
    plain, moved = (booster.explain_prediction(X.iloc[[2]], offset=offset) for offset in (None, [0.75]))
    assert moved.scores[0].raw == pytest.approx(plain.scores[0].raw + 0.75)
    assert "offset" in str(moved) and "offset" not in str(plain)
    with pytest.raises(ValueError, match="offset must be a finite number"):
        booster.explain_prediction(X.iloc[[2]], offset=[1.0, 2.0])


def test_missing_and_unseen_values_have_words() -> None:
    X, y = table()
    booster = fitted(tw.NewtonBoostingRegressor, X, y, n_estimators=20)
    row = pd.DataFrame({"size": [0.1], "age": [np.nan], "colour": ["violet"]})
    report = booster.explain_prediction(row)
    values = {part.feature: part.value for part in report.features}
    assert values["age"] == "missing" and values["colour"] == "not seen in training"
    assert report.scores[0].raw == booster.predict(row)[0]


def test_a_single_tree_is_explained_as_a_path() -> None:
    X, y = two_classes()
    booster = fitted(tw.NewtonBoostingClassifier, X, y)
    path = booster.explain_prediction(X.iloc[[4]], tree=2)
    step = booster.explain_prediction(X.iloc[[4]]).trees[2]
    assert isinstance(path, PathReport) and path.classes is None
    assert path.prediction[0] == step.step and path.steps[-1].node == step.leaf
    assert path.algorithm == "NewtonBoosting, tree 2 of 4"
    with pytest.raises(IndexError, match="tree=4 does not exist; the booster has the trees 0 to 3"):
        booster.explain_prediction(X.iloc[[4]], tree=4)


def test_every_form_tells_the_same() -> None:
    X, y = three_classes()
    booster = fitted(tw.LeafwiseBoostingClassifier, X, y)
    report = booster.explain_prediction(X.iloc[[1]], top=2)
    plain, schema = report.to_dict(), load_schema("sum_report")
    assert json.loads(json.dumps(plain)) == plain and faults(plain, schema, schema) == []
    text, page = str(report), report._repr_html_()
    for score in report.scores:
        shown = f"{abs(score.raw):.4f}"
        assert shown in text and shown in page
    assert "… 2 more" in text
    frame = report.to_frame()
    assert isinstance(frame, pd.DataFrame) and frame["step"].tolist() == [step.step for step in report.trees]
    with pytest.raises(ValueError, match="explains one row, got 3"):
        booster.explain_prediction(X.iloc[:3])
    with pytest.raises(ValueError, match="top must be 1 or more"):
        booster.explain_prediction(X.iloc[:1], top=0)


def test_a_booster_from_a_file_explains_the_same(tmp_path: Any) -> None:
    X, y = two_classes()
    booster = fitted(tw.GradientBoostingClassifier, X, y)
    booster.save(tmp_path / "b.tree")
    loaded = tw.load(tmp_path / "b.tree")
    assert loaded.explain_prediction(X.iloc[[0]]) == booster.explain_prediction(X.iloc[[0]])
    assert loaded.explain_split(0, X, y, tree=3) == booster.explain_split(0, X, y, tree=3)
