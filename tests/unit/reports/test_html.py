"""Every report as a notebook shows it: a picture, tables with captions, nothing fetched, never too large."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.draw.colours import BLUE, ORANGE, contrast
from treewright.draw.text_width import text_width
from treewright.reports.html import page_to_html
from treewright.reports.page import Column, Page, Row, Table

HOSTILE = ['<script>alert("1")</script>', "a & b < c\n'd' </style></svg></table>", "汉字名称" * 20]
LIMIT = 150_000


def hostile_table(n_rows: int = 90) -> tuple[pd.DataFrame, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(0)
    numbers = random.standard_normal((n_rows, 2))
    words = np.array(["<b>x</b>", "y & z", '"quoted"'], dtype=object)[random.integers(0, 3, n_rows)]
    frame = pd.DataFrame({HOSTILE[0]: numbers[:, 0], HOSTILE[1]: numbers[:, 1], HOSTILE[2]: words})
    frame.iloc[::9, 0] = np.nan
    score = np.nan_to_num(frame.iloc[:, 0].to_numpy()) + numbers[:, 1] + (words == "y & z")
    labels = np.array(["<i>no</i>", "maybe & so", "</td>yes"], dtype=object)[np.digitize(score, [-0.5, 0.5])]
    return frame, labels, score


def every_report() -> Iterator[tuple[str, Any]]:
    X, labels, score = hostile_table()
    row = X.iloc[[0]]
    two = np.where(score > 0, labels[0], "other")
    few = {"n_estimators": 6, "random_state": 0}
    c45 = tw.C45Classifier().fit(X, labels)
    yield "split of C4.5", c45.explain_split(0, X, labels)
    yield "path with shares", c45.explain_prediction(row)
    yield "pessimistic pruning", c45.explain_pruning()
    cart = tw.CARTClassifier(prune="cost_complexity", cv=3, random_state=0).fit(X, labels)
    yield "split of CART", cart.explain_split(0)
    yield "path", cart.explain_prediction(row)
    yield "pruning", cart.explain_pruning()
    yield "pruning by loss", tw.CARTClassifier(prune="loss", alpha_total=2.0).fit(X, labels).explain_pruning()
    number = tw.CARTRegressor(max_depth=3).fit(X, score)
    yield "split of numbers", number.explain_split(0, X, score)
    yield "path of numbers", number.explain_prediction(row)
    yield "single leaf", tw.CARTClassifier().fit(X, ["<u>"] * len(X)).explain_split(0, X, ["<u>"] * len(X))
    yield "votes", tw.RandomForestClassifier(**few).fit(X, labels).explain_prediction(row)
    yield "votes of numbers", tw.RandomForestRegressor(**few).fit(X, score).explain_prediction(row)
    booster = tw.NewtonBoostingClassifier(**few).fit(X, labels)
    yield "sum", booster.explain_prediction(row)
    yield "boosted split", booster.explain_split(0, X, labels, tree=0)
    yield "sum of numbers", tw.LeafwiseBoostingRegressor(**few).fit(X, score).explain_prediction(row)
    ada = tw.AdaBoostClassifier(**few).fit(X, two)
    yield "weighted", ada.explain_prediction(row)
    yield "rounds", ada.explain_rounds(X, two)
    yield "weighted numbers", tw.AdaBoostRegressor(**few).fit(X, score).explain_prediction(row)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {name: report._repr_html_() for name, report in every_report()}


def test_pages_are_well_formed_whatever_names_hold(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        root = ElementTree.fromstring(page)  # a name that is not escaped would break this
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not tags & {"script", "b", "i", "u", "img", "link", "iframe", "image"}, name
        words = " ".join(root.itertext())
        assert name in ("pruning", "weighted numbers") or any(
            part in words for part in ("<b>", "<i>", "<script>", "</td>", "& so", "& z", "<u>")
        ), name


def test_pages_have_a_picture_captions_and_scoped_headers(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        root = ElementTree.fromstring(page)
        pictures = root.findall(".//{http://www.w3.org/2000/svg}svg")
        assert len(pictures) == 1, name
        assert {child.tag.rpartition("}")[2] for child in pictures[0][:2]} == {"title", "desc"}
        for table in root.iter("table"):
            assert table.find("caption") is not None and table.find("caption").text
            assert {cell.get("scope") for cell in table.iter("th")} == {"row", "col"}
        # Where style rules are taken out, what is left of a picture must not be read as words.
        assert root.find(".//div[@class='tw-picture']").get("hidden") is not None


def test_pages_fetch_nothing_and_are_small(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        assert len(page.encode()) < LIMIT, name
        assert set(re.findall(r"https?://[^\"'<\s]*", page)) <= {"http://www.w3.org/2000/svg"}, name
        assert not re.search(r"url\(|@import|javascript:|\bon\w+=|\bsrc=|\bhref=", page), name


def test_words_have_the_colour_of_the_page_around_them(pages: dict[str, str]) -> None:
    for page in pages.values():
        assert "--tw-ink:currentColor!important" in page and "--tw-page:transparent!important" in page
        assert all('class="' in text for text in re.findall(r"<text [^>]*>", page))  # ink or grey
        assert not re.search(r"[^-]color:\s*#", page)
    for colour in (BLUE, ORANGE):
        assert min(contrast(colour, "#ffffff"), contrast(colour, "#111111")) >= 3


def test_no_words_leave_the_picture(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        picture = ElementTree.fromstring(page).find(".//{http://www.w3.org/2000/svg}svg")
        width, height = (float(part) for part in picture.get("viewBox").split()[2:])
        for element in picture.iter("{http://www.w3.org/2000/svg}text"):
            words = text_width(element.text or "", float(element.get("font-size")))
            at = float(element.get("x"))
            begin = (
                at - words * {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor", "start")]
            )
            assert begin >= -1 and begin + words <= width + 1, (name, element.text)
            assert 0 < float(element.get("y")) <= height


def test_pictures_of_two_reports_do_not_share_a_name(pages: dict[str, str]) -> None:
    names = [name for page in pages.values() for name in set(re.findall(r'\bid="([^"]+)"', page))]
    assert len(names) == len(set(names))


def test_a_report_of_any_length_stays_within_its_bytes() -> None:
    rows = tuple(Row(("<name>" * 100, f"{i}", "0.1234"), "remark") for i in range(20_000))
    table = Table("Many", (Column("feature"), Column("n", True), Column("gain", True)), rows)
    page = Page(
        "Title", "subject", ("fact " * 9000,), (table, table), ("x" * 90_000,) * 20, (), ("note",) * 5
    )
    text = page_to_html(page, "<svg/>")
    assert len(text.encode()) < LIMIT
    ElementTree.fromstring(text)
    assert re.search(r"… \d+ more have no room here", text)


def test_a_tree_with_thousands_of_features_has_a_small_report() -> None:
    random = np.random.default_rng(1)
    X = pd.DataFrame(
        random.standard_normal((60, 1500)), columns=[f"feature {i} " + "w" * 80 for i in range(1500)]
    )
    y = (X.iloc[:, 3] > 0).map({True: "up", False: "down"})
    tree = tw.CARTClassifier().fit(X, y)
    assert len(tree.explain_split(0, X, y, top=None)._repr_html_().encode()) < LIMIT
    assert len(tree.tree_._repr_html_().encode()) < LIMIT


def test_a_huge_tree_shows_its_beginning_and_counts_the_rest() -> None:
    random = np.random.default_rng(2)
    X = pd.DataFrame(random.standard_normal((3000, 4)), columns=[c * 90 for c in "abcd"])
    y = np.array([f"a class with a long name {k}" for k in range(30)])[random.integers(0, 30, 3000)]
    tree = tw.CARTClassifier().fit(X, y).tree_
    assert tree.node_count > 2000
    bundle = tree._repr_mimebundle_()
    assert len(bundle["text/html"].encode()) < LIMIT
    assert re.search(r"… [\d ,]+ more nodes|… \+ [\d ,]+ nodes", bundle["image/svg+xml"])
