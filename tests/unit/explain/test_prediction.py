from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.datasets import load_tennis


def test_the_steps_are_the_decision_path() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    for estimator in (CARTClassifier(), C45Classifier(), CARTRegressor()):
        tree = estimator.fit(X, y)
        for row in X[:10]:
            report = tree.explain_prediction([row])
            passed = tree.decision_path([row]).indices.tolist()
            assert [0, *(step.node for step in report.steps)] == passed
            assert [step.is_end for step in report.steps] == [False] * (len(passed) - 2) + [True] * (
                len(passed) > 1
            )
            assert all(step.share == 1 for step in report.steps)
            values = tree.predict_proba([row])[0] if report.classes else tree.predict([row])
            assert report.prediction == pytest.approx(tuple(values))


def test_a_missing_value_is_shared_out_by_c45() -> None:
    X, y, names, _ = load_tennis()
    tree = C45Classifier().fit(X, y)
    row = [[None, "mild", "normal", "strong"]]
    report = tree.explain_prediction(row, feature_names=names)
    ends = [step for step in report.steps if step.is_end]
    assert [round(step.share * 14) for step in ends] == [5, 4, 5]
    assert sum(step.share for step in ends) == pytest.approx(1.0)
    mixed = sum(step.share * np.array(step.prediction) for step in ends)
    assert report.prediction == pytest.approx(tuple(mixed))
    assert report.prediction == pytest.approx(tuple(tree.predict_proba(row)[0]))
    assert "outlook is missing: the row goes down every branch" in str(report)


def test_a_learned_direction_and_a_substitute_are_named() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    X = np.column_stack([x, x + 0.01 * rng.standard_normal(200)])
    X[:40, 0] = np.nan
    y = (x > 0).astype(int)
    learned = CARTClassifier().fit(X, y).explain_prediction([[np.nan, np.nan]])
    assert "is missing" in str(learned)
    tree = CARTClassifier(missing="surrogate").fit(X, y)
    feature = int(tree.tree_.feature[0])
    row = np.array([[1.0, 1.0]])
    row[0, feature] = np.nan
    report = tree.explain_prediction(row)
    assert f"x{1 - feature} decides in its place" in report.steps[0].routing
    assert [0, *(s.node for s in report.steps)] == tree.decision_path(row).indices.tolist()


def test_a_value_never_seen_ends_where_id3_asks_for_it() -> None:
    X, y, names, _ = load_tennis()
    tree = ID3Classifier().fit(X, y)
    report = tree.explain_prediction([["foggy", "hot", "high", "weak"]], feature_names=names)
    assert report.steps == () and report.answer == "yes"


def test_a_change_does_change_the_answer_and_nothing_nearer_does() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((150, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    tree = CARTClassifier(max_depth=4).fit(X, y)
    for row in X[:20]:
        report = tree.explain_prediction([row])
        for change in report.changes:
            feature = int(change.feature[1:])
            sign, threshold = change.instead.split(" ")
            thresholds = tree.tree_.threshold[tree.tree_.feature == feature]
            exact = thresholds[np.argmin(np.abs(thresholds - float(threshold.replace("−", "-"))))]
            changed = row.copy()
            changed[feature] = exact if sign == "≤" else np.nextafter(exact, np.inf)
            assert str(tree.predict([changed])[0]) == change.answer != report.answer
            halfway = row.copy()
            halfway[feature] = row[feature] + 0.5 * (changed[feature] - row[feature])
            between = np.sum((thresholds - row[feature]) * (thresholds - changed[feature]) < 0)
            if between == 0:
                assert str(tree.predict([halfway])[0]) == report.answer
        distances = [change.distance for change in report.changes]
        assert distances == sorted(distances)


def test_a_far_change_is_found_behind_thousands_of_nearer_thresholds_elsewhere() -> None:
    # Where x1 is 1, x0 has a threshold between any two rows; where it is 0, there is one, far away.
    near = np.column_stack([np.arange(2000.0), np.ones(2000)])
    far = np.column_stack([np.repeat([1000.0, 9000.0], [2000, 10]), np.zeros(2010)])
    labels = np.concatenate([np.arange(2000) % 2 + 2, np.repeat([0, 1], [2000, 10])])
    tree = CARTClassifier().fit(np.concatenate([near, far]), labels)
    assert len(tree.tree_.thresholds_of(0)) > 1000
    changes = {change.feature: change for change in tree.explain_prediction([[1000.0, 0.0]]).changes}
    assert (changes["x0"].instead, changes["x0"].answer) == ("> 5000", "1")


def test_a_category_that_would_change_the_answer_is_named() -> None:
    X, y, names, _ = load_tennis()
    frame = pd.DataFrame(X, columns=names)
    tree = C45Classifier().fit(frame, y)
    report = tree.explain_prediction(frame.iloc[[0]])
    assert report.answer == "no"
    changes = {(change.feature, change.instead): change.answer for change in report.changes}
    assert changes == {("outlook", "overcast"): "yes", ("humidity", "normal"): "yes"}
    assert "Nearest change: outlook overcast instead of sunny → yes" in str(report)
    assert tree.explain_prediction(frame.iloc[[0]], changes=False).nearest_change is None


def test_more_than_one_row_is_refused() -> None:
    X, y, _, _ = load_tennis()
    with pytest.raises(ValueError, match="one row, got 14"):
        CARTClassifier().fit(X, y).explain_prediction(X)


def test_the_report_is_a_static_page_too() -> None:
    X, y, names, _ = load_tennis()
    report = CARTClassifier().fit(X, y).explain_prediction(X[:1], feature_names=names)
    html = report._repr_html_()
    assert "<caption>" in html and "<script" not in html and "outlook" in html
