from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.unit.explain.json_schema import faults, load_schema

from treewright import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from treewright.datasets import load_tennis
from treewright.explain import SplitReport
from treewright.explain.words import number

RESULT = re.compile(r"(−?[0-9.]+)(?: bits)?$")
NUMBER = re.compile(r"−?\d+\.\d{4,7}\b")


def reports() -> list[SplitReport]:
    X, y, names, _ = load_tennis()
    numbers = np.random.default_rng(0).standard_normal((40, 3))
    numbers[3, 1] = np.nan
    found = [e().fit(X, y).explain_split(0, X, y, feature_names=names)
             for e in (CARTClassifier, C45Classifier, ID3Classifier)]  # fmt: skip
    found.append(CARTClassifier().fit(X, y).explain_split(0, feature_names=names))
    target = numbers[:, 0] ** 2
    for criterion in ("squared_error", "absolute_error", "poisson"):
        tree = CARTRegressor(criterion=criterion).fit(numbers, target)
        found.append(tree.explain_split(0, numbers, target, cuts=True))
    labels = (numbers[:, 0] > 0).astype(int)
    found.append(C45Classifier(prune=None).fit(numbers, labels).explain_split(0, numbers, labels))
    return found


class Plain(HTMLParser):
    """Collects the text of a page, that of its picture apart, and refuses what a static page has not."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.drawn: list[str] = []
        self.tags: list[str] = []
        self._into = [self.text]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("svg", "style"):
            self._into.pop()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag in ("svg", "style"):
            self._into.append(self.drawn if tag == "svg" else [])
        assert tag not in ("script", "link", "img", "iframe")
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self._into[-1].append(data)


@pytest.mark.parametrize("report", reports(), ids=lambda r: f"{r.algorithm}-{r.criterion}")
def test_every_renderer_shows_the_same_numbers(report: SplitReport) -> None:
    page = Plain()
    page.feed(report._repr_html_())
    html = " ".join(page.text)
    in_text = NUMBER.findall(str(report))
    assert in_text == NUMBER.findall(html)
    assert set(NUMBER.findall(" ".join(page.drawn))) <= set(in_text) and "svg" in page.tags
    plain = report.to_dict()
    for candidate, facts in zip(report.candidates, plain["candidates"], strict=True):
        if candidate.branches:
            assert number(facts["gain"]) in in_text
            assert facts["gain"] == candidate.gain and facts["decrease"] == candidate.decrease
    latex = report.to_latex().replace("-", "−")
    for step, facts in zip(report.steps, plain["steps"], strict=True):
        assert facts["value"] == step.value
        printed = RESULT.search(step.text)
        assert printed is not None
        assert float(printed[1].replace("−", "-")) == pytest.approx(step.value, abs=1e-4, rel=1e-4)
        assert printed[1] in latex
    frame = report.to_frame()
    assert frame["gain"].tolist() == [c.gain for c in report.candidates]


@pytest.mark.parametrize("report", reports(), ids=lambda r: f"{r.algorithm}-{r.criterion}")
def test_the_dict_is_json_of_the_published_schema(report: SplitReport) -> None:
    schema = load_schema("split_report")
    copy = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert faults(copy, schema, schema) == []
    path = CARTClassifier().fit([[1.0], [2.0]], [0, 1]).explain_prediction([[1.0]])
    schema = load_schema("path_report")
    assert faults(json.loads(json.dumps(path.to_dict(), allow_nan=False)), schema, schema) == []


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_are_those_of_the_users_library(library: Any) -> None:
    X, y, names, _ = load_tennis()
    frame = library.DataFrame({name: X[:, i].tolist() for i, name in enumerate(names)})
    tree = C45Classifier().fit(frame, y)
    report = tree.explain_split(0, frame, y).to_frame()
    assert type(report) is library.DataFrame
    assert list(report["feature"]) == ["outlook", "humidity", "wind", "temperature"]
    assert next(iter(report["rows"])) == "5 | 4 | 5"
    path = tree.explain_prediction(frame[:1]).to_frame()
    assert type(path) is library.DataFrame and list(path["p(yes)"]) == [0.4, 0.0]


def test_names_are_escaped_for_each_renderer() -> None:
    name = "<b>a_1\n&x</b>"
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0]})
    report = CARTClassifier().fit(X, [0, 0, 1, 1]).explain_split(0, X, [0, 0, 1, 1])
    assert "<b>" not in report._repr_html_() and "&lt;b&gt;a_1" in report._repr_html_()
    assert "\\n" in str(report) and name not in str(report)
    assert r"a\_1" in report.to_latex() and r"\&x" in report.to_latex()


def test_lines_fit_into_a_hundred_columns() -> None:
    for report in reports():
        assert max(len(line) for line in str(report).splitlines()) <= 100


def test_tables_have_captions_and_scoped_headers() -> None:
    html = reports()[0]._repr_html_()
    assert html.count("<table>") == html.count("<caption>") == 1
    assert 'scope="col"' in html and 'scope="row"' in html
