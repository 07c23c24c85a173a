"""The nearest change of a forest's answer: true, and nothing nearer would do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.explain.test_votes import ROWS, choose, encoded
from tests.unit.model.forest_cases import forest_model, mixed_rows

from treewright.explain import VotesReport, changes, explain_votes
from treewright.model import Model


def report_of(model: Model, row: np.ndarray) -> VotesReport:
    return explain_votes(model, row[np.newaxis], choose)


def answer_of(model: Model, row: np.ndarray) -> str:
    return str(model.classes[choose(model.values(row[np.newaxis]))[0]])


def thresholds_of(model: Model, feature: int) -> np.ndarray:
    arrays = model.trees.arrays
    return np.unique(arrays["number"][(arrays["feature"] == feature) & ((arrays["flags"] & 2) == 0)])


def nearest_by_trying(model: Model, row: np.ndarray, feature: int) -> float:
    """Return the distance of the nearest value with another answer: both sides of each threshold."""
    thresholds = thresholds_of(model, feature)
    thresholds = thresholds[np.isfinite(thresholds)]
    tried = np.concatenate([thresholds, np.nextafter(thresholds, np.inf)])
    rows = np.repeat(row[np.newaxis], len(tried), axis=0)
    rows[:, feature] = tried
    other = choose(model.values(rows)) != choose(model.values(row[np.newaxis]))[0]
    if np.isnan(row[feature]):
        return 1.0 if other.any() else np.inf
    return float(np.abs(tried[other] - row[feature]).min(initial=np.inf) / np.ptp(thresholds))


@pytest.mark.parametrize("aggregation", ["mean", "votes"])
def test_a_change_is_the_nearest_one_of_its_feature(aggregation: str) -> None:
    model = forest_model(n_trees=9, facts={"aggregation": aggregation})
    rows = encoded(mixed_rows(25)[0] + ROWS)
    n_changes = 0
    for row in rows:
        report = report_of(model, row)
        changes = {change.feature: change for change in report.changes}
        n_changes += len(changes)
        for feature in (0, 2):
            expected = nearest_by_trying(model, row, feature)
            if np.isfinite(expected):
                assert changes[f"x{feature}"].distance == pytest.approx(expected)
            else:
                assert f"x{feature}" not in changes
        assert [c.distance for c in report.changes] == sorted(c.distance for c in report.changes)
        assert report.nearest_change == (report.changes[0] if report.changes else None)
    assert n_changes > len(rows)


def test_a_change_does_change_the_answer() -> None:
    model = forest_model(n_trees=9)
    categories = [str(c) for c in model.schema.features[1].categories or ()]
    for row in encoded(mixed_rows(25)[0]):
        for change in report_of(model, row).changes:
            feature, changed = int(change.feature[1:]), row.copy()
            if feature == 1:
                changed[1] = categories.index(change.instead) + 1
            else:
                sign, words = change.instead.split(" ")
                thresholds = thresholds_of(model, feature)
                exact = thresholds[np.argmin(np.abs(thresholds - float(words)))]
                changed[feature] = exact if sign == "≤" else np.nextafter(exact, np.inf)
            assert answer_of(model, changed) == change.answer != answer_of(model, row)


def test_categories_are_tried_one_by_one() -> None:
    model = forest_model(n_trees=9)
    for row in encoded(mixed_rows(25)[0]):
        rows = np.repeat(row[np.newaxis], 7, axis=0)
        rows[:, 1] = np.arange(1, 8)
        possible = (choose(model.values(rows)) != choose(model.values(row[np.newaxis]))[0]).any()
        assert possible == any(change.feature == "x1" for change in report_of(model, row).changes)


def test_the_text_names_the_nearest_change() -> None:
    report = report_of(forest_model(n_trees=9), encoded(ROWS)[4])
    change = report.changes[0]
    assert (
        f"Nearest change: {change.feature} {change.instead} instead of {change.now} → {change.answer}"
        in str(report)
    )
    assert explain_votes(forest_model(), encoded(ROWS)[[4]], choose, changes=False).changes == ()


def test_numbers_and_calibrated_probabilities_have_no_changes() -> None:
    assert report_of(forest_model("squared_error"), encoded(ROWS)[0]).changes == ()
    calibrated = explain_votes(forest_model(), encoded(ROWS)[[0]], choose, prediction=[0.0, 0.1, 0.9])
    assert calibrated.changes == ()


def test_a_feature_of_too_many_steps_is_left_out(monkeypatch: Any) -> None:
    model, row = forest_model(n_trees=9), encoded(ROWS)[4]
    monkeypatch.setattr(changes, "MOST_STEPS", 20)
    fewer = report_of(model, row).changes
    monkeypatch.setattr(changes, "MOST_STEPS", 0)
    none = report_of(model, row).changes
    assert {change.feature for change in none} <= {"x1"}
    assert {change.feature for change in none} <= {change.feature for change in fewer}
