"""ShapReport: its rows, forms and words, and the way to the package shap."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.unit.explain.json_schema import faults, load_schema

import treewright
from treewright.explain import ShapReport


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"size": rng.normal(size=200), "colour": rng.choice(list("abc"), 200)})
    found["row"] = rng.normal(size=200)
    found.loc[[3, 4], "colour"] = None
    return found


@pytest.fixture(scope="module")
def y(frame: pd.DataFrame) -> pd.Series:
    return frame["size"] + (frame["colour"] == "a") + frame["row"] ** 2


@pytest.fixture(scope="module")
def report(frame: pd.DataFrame, y: pd.Series) -> ShapReport:
    return treewright.NewtonBoostingRegressor(n_estimators=10).fit(frame, y).shap(frame[:20])


@pytest.fixture(scope="module")
def of_classes(frame: pd.DataFrame, y: pd.Series) -> ShapReport:
    labels = pd.qcut(y, 3, labels=["low", "mid", "high"]).astype(str)
    forest = treewright.RandomForestClassifier(n_estimators=10, random_state=0)
    return forest.fit(frame, labels).shap(frame[:5])


def test_a_report_has_rows(report: ShapReport) -> None:
    assert len(report) == 20
    assert [len(one) for one in report] == [1] * 20
    assert np.array_equal(report[-1].values[0], report.values[19])
    assert np.array_equal(report[2:4].data, report.data[2:4], equal_nan=True)
    assert len(report[report.values[:, 0] > 0]) == int((report.values[:, 0] > 0).sum())
    with pytest.raises(IndexError, match="rows 0 to 19"):
        report[20]


@pytest.mark.parametrize("name", ["report", "of_classes"])
def test_plain_values_follow_the_schema(name: str, request: pytest.FixtureRequest) -> None:
    found: ShapReport = request.getfixturevalue(name)
    schema = load_schema("shap_report")
    plain = found.to_dict()
    assert faults(plain, schema, schema) == []
    assert json.loads(json.dumps(plain)) == plain
    assert plain["data"][3][1] is None
    schema = load_schema("shap_importance")
    assert faults(found.importance().to_dict(), schema, schema) == []


def test_the_frame_is_of_the_library_of_the_rows(
    frame: pd.DataFrame, y: pd.Series, report: ShapReport
) -> None:
    shown = report.to_frame()
    assert isinstance(shown, pd.DataFrame)
    # A feature called "row" keeps its name.
    assert list(shown.columns) == ["row_", "base_value", "prediction", "size", "colour", "row"]
    tree = treewright.CARTRegressor(max_depth=2).fit(pl.from_pandas(frame), y)
    assert isinstance(tree.shap(pl.from_pandas(frame[:3])).to_frame(), pl.DataFrame)


def test_the_frame_of_classes_has_a_row_for_each(of_classes: ShapReport) -> None:
    shown = of_classes.to_frame()
    assert shown["class"].tolist() == ["high", "low", "mid"] * 5
    total = shown["base_value"] + shown[["size", "colour", "row"]].sum(axis=1)
    assert total.to_numpy() == pytest.approx(shown["prediction"].to_numpy())


def test_the_sum_of_a_row_holds_as_it_is_printed(report: ShapReport, of_classes: ShapReport) -> None:
    texts = [str(one).splitlines() for one in [*report, *of_classes]]
    sums = [line for lines in texts for line in lines if " = " in line]
    # A few need more digits than people read, and say so by ≈.
    assert len(sums) > len(texts) / 2
    for line in sums:
        left, right = line.rpartition(": ")[2].replace("−", "-").split("=")
        terms = [float(term.replace(" ", "")) for term in re.findall(r"[+-]?\s*[\d.]+", left)]
        assert round(sum(terms), 9) == pytest.approx(float(right), abs=1e-9)


def test_text_and_page_say_the_same_numbers(report: ShapReport) -> None:
    text, page = str(report), report._repr_html_()
    assert "mean |value|" in text
    for cell in re.findall(r"\d+\.\d{4}", text):
        assert cell in page
    assert "<script" not in page


def test_importance_is_the_mean_size(report: ShapReport, of_classes: ShapReport) -> None:
    found = report.importance()
    assert found.importances_mean == pytest.approx(np.abs(report.values).mean(axis=0))
    assert found.importances_std == pytest.approx(np.abs(report.values).std(axis=0))
    assert [one.mean for one in found.features] == sorted((one.mean for one in found.features), reverse=True)
    assert of_classes.importance().importances_mean == pytest.approx(
        np.abs(of_classes.values).mean(axis=0).sum(axis=1)
    )


def test_categories_are_codes_in_data_and_labels_for_people(report: ShapReport, frame: pd.DataFrame) -> None:
    assert report.display_data[:3, 1].tolist() == frame["colour"][:3].tolist()
    assert report.display_data[3, 1] is None
    assert np.isnan(report.data[3, 1])
    assert set(np.unique(report.data[~np.isnan(report.data[:, 1]), 1])) <= {1.0, 2.0, 3.0}


def test_offsets_are_part_of_the_base(frame: pd.DataFrame, y: pd.Series) -> None:
    booster = treewright.LeafwiseBoostingRegressor(n_estimators=3).fit(frame, y)
    offset = np.arange(20.0)
    plain, shifted = booster.shap(frame[:20]), booster.shap(frame[:20], offset=offset)
    assert np.array_equal(plain.values, shifted.values)
    assert shifted.base_values == pytest.approx(plain.base_values + offset)
    with pytest.raises(ValueError, match=r"shape \(20,\)"):
        booster.shap(frame[:20], offset=offset[:5])
    with pytest.raises(ValueError, match="no raw score"):
        treewright.CARTRegressor().fit(frame, y).shap(frame, offset=np.zeros(len(frame)))


def test_interactions_of_many_features_say_how_much_memory_they_take() -> None:
    X = np.random.default_rng(0).normal(size=(1000, 1000))
    tree = treewright.CARTRegressor(max_depth=2).fit(X, X[:, 0])
    with pytest.raises(MemoryError, match=r"7\.5 GiB.*7\.63 MiB for each row.*iter_shap"):
        tree.shap(X, interactions=True)
    assert tree.shap(X[:2], interactions=True).interactions.shape == (2, 1000, 1000)


@pytest.mark.parametrize("batch_size", [0, -1, 1.5, True])
def test_a_batch_has_at_least_one_row(batch_size: object, frame: pd.DataFrame, y: pd.Series) -> None:
    with pytest.raises(ValueError, match="batch_size"):
        treewright.CARTRegressor(max_depth=2).fit(frame, y).iter_shap(frame, batch_size=batch_size)


def test_a_vote_that_is_shared_among_leaves_is_no_sum(frame: pd.DataFrame, y: pd.Series) -> None:
    bagging = treewright.BaggingClassifier(
        treewright.C45Classifier(), n_estimators=3, voting="hard", random_state=0
    ).fit(frame, y > 0.5)
    whole = frame.dropna()
    assert bagging.shap(whole).predictions == pytest.approx(bagging.predict_proba(whole), abs=1e-12)
    with pytest.raises(ValueError, match=r"tree \d+ shares row 3 .*voting='soft'"):
        bagging.shap(frame)
