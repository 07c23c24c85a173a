"""explain_shap: the arithmetic of one row, which a reader can follow with the printed numbers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.unit.explain.json_schema import faults, load_schema

import treewright
from treewright.datasets import load_tennis

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(200, 8)), columns=list("abcdefgh"))
NUMBERS = FRAME["a"] * FRAME["b"] + FRAME["c"] * FRAME["d"] + FRAME["e"] * FRAME["f"]

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "few features": (treewright.CARTRegressor(max_depth=2), {}),
    "many features": (treewright.CARTRegressor(max_depth=6), {}),
    "classes": (treewright.CARTClassifier(max_depth=3), {"label": True}),
    "shares": (treewright.C45Classifier(), {}),
    "a tree of a forest": (treewright.RandomForestRegressor(n_estimators=3, random_state=0), {"tree": 1}),
    "a tree of a booster": (treewright.LeafwiseBoostingClassifier(n_estimators=3), {"tree": 2}),
}


def evaluated(line: str) -> tuple[float, float, int]:
    """Return both sides of a printed equation, and its decimals."""
    left, _, right = line.partition(": ")[2].replace("−", "-").rpartition(" = ")
    value = eval(left.replace("·", "*"), {"__builtins__": {}})  # numbers and signs alone
    return value, float(right), len(right.partition(".")[2])


@pytest.mark.parametrize("name", CASES)
def test_what_is_shown_is_what_shap_computes(name: str) -> None:
    estimator, options = CASES[name]
    y = NUMBERS > 0 if "Classifier" in type(estimator).__name__ else NUMBERS
    rows = FRAME.mask(RNG.random(FRAME.shape) < 0.1) if name == "shares" else FRAME
    fitted = estimator.fit(rows, y)
    row = rows[3:4]
    report = fitted.explain_shap(row, **options)
    alone = fitted.estimators_[options["tree"]] if hasattr(fitted, "estimators_") else fitted
    if name != "a tree of a booster":
        values = alone.shap(row).values[0]
        if report.label is not None:
            values = values[:, [str(label) for label in alone.classes_].index(report.label)]
        own = {one.feature: one.adds for one in report.features}
        expected = {f: v for f, v in zip(FRAME.columns, values, strict=True) if f in own}
        # Release 8 divides probabilities by their sum.
        assert own == pytest.approx(expected, abs=1e-7 if name == "shares" else 1e-12)
    total = report.base + sum(one.adds for one in report.features)
    assert total == pytest.approx(report.prediction, abs=1e-12)
    assert (report.coalitions is None) == (len(report.features) > 5)
    schema = load_schema("worked_shap_report")
    assert faults(report.to_dict(), schema, schema) == []
    assert json.loads(json.dumps(report.to_dict())) == report.to_dict()


@pytest.mark.parametrize("name", CASES)
def test_printed_equations_hold_in_their_own_digits(name: str) -> None:
    estimator, options = CASES[name]
    y = NUMBERS > 0 if "Classifier" in type(estimator).__name__ else NUMBERS
    fitted = estimator.fit(FRAME, y)
    for row in range(3):
        report = fitted.explain_shap(FRAME[row : row + 1], **options)
        assert report.to_latex().count("\\varphi") == len(report.steps)
        for step in report.steps:
            if " = " in step.text:
                left, right, decimals = evaluated(step.text)
                assert abs(left - right) <= 0.5 * 10.0**-decimals + 1e-12, step.text


def test_coalitions_are_the_answers_with_some_features_known() -> None:
    X, y, names, _ = load_tennis()
    tree = treewright.C45Classifier().fit(X, y)
    report = tree.explain_shap([["sunny", "mild", "normal", "weak"]], feature_names=names)
    worth = {one.known: round(one.worth, 4) for one in report.coalitions or ()}
    assert worth[()] == 0.6429  # 9 of 14
    assert worth[("outlook",)] == 0.4  # 2 of 5 sunny days
    assert worth[("outlook", "humidity", "wind")] == 1.0
    assert "1/3·(0.4000 − 0.6429) + 1/6·(1.0000 − 0.8571) + 1/6·(0.4000 − 0.7857) = −0.1214" in str(report)


def test_what_cannot_be_meant_is_refused() -> None:
    forest = treewright.RandomForestClassifier(n_estimators=3, random_state=0).fit(FRAME, NUMBERS > 0)
    with pytest.raises(ValueError, match="say which one"):
        forest.explain_shap(FRAME[:1])
    with pytest.raises(ValueError, match="one row"):
        forest.explain_shap(FRAME[:2], tree=0)
    with pytest.raises(ValueError, match="label='yes' is none of the classes"):
        forest.explain_shap(FRAME[:1], tree=0, label="yes")
    with pytest.raises(ValueError, match="leave label out"):
        treewright.CARTRegressor(max_depth=2).fit(FRAME, NUMBERS).explain_shap(FRAME[:1], label=1)
