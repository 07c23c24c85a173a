"""A model as one HTML file, as somebody opens it who has nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import treewright as tw
from treewright import export_html
from treewright.datasets import load_tennis

VOID = {"meta", "link", "br", "img", "hr", "input", "path", "circle", "polyline", "polygon", "rect", "line"}


class Checked(HTMLParser):
    """Follows tags and refuses what is not closed in order, what runs and what is fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        values = dict(attrs)
        assert tag not in ("script", "link", "img", "iframe", "object", "image", "b", "i")
        assert not any(name.startswith("on") or name == "src" for name in values)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if "href" in values else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def tennis() -> tuple[pd.DataFrame, pd.Series]:
    X, y, names, target = load_tennis()
    return pd.DataFrame(X, columns=names), pd.Series(y, name=target)


def test_a_tree_comes_with_picture_text_rules_splits_and_pruning() -> None:
    X, y = tennis()
    tree = tw.C45Classifier().fit(X, y)
    page = export_html(tree, X=X, y=y)
    checked = Checked(page)
    assert {"picture", "text", "rules", "splits", "pruning"} <= set(checked.ids)
    words = "".join(checked.words)
    assert tw.export_text(tree) in words and tw.export_rules(tree) in words
    assert "gain below average, not eligible" in words  # found again in the rows
    assert page.count("<details") >= 3 and "Node 0: outlook? · 14 rows" in words
    assert set(re.findall(r"https?://[^\"'<\s)]*", page)) <= {"http://www.w3.org/2000/svg"}
    assert len(checked.ids) == len(set(checked.ids))
    assert all(link.startswith("#") and link[1:] in checked.ids for link in checked.links)


def test_many_trees_come_as_a_summary_and_those_that_were_asked_for() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    forest = tw.RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0).fit(X, y)
    checked = Checked(export_html(forest))
    assert [name for name in checked.ids if name.startswith("picture")] == [
        "picture-0",
        "picture-1",
        "picture-2",
    ]
    assert "summary" in checked.ids and "pruning" not in checked.ids
    checked = Checked(export_html(forest, tree=[4, 1], X=X, y=y))
    assert [name for name in checked.ids if name.startswith("text")] == ["text-4", "text-1"]
    for wrong in (5, [0, 9], "1"):
        with pytest.raises((ValueError, TypeError, IndexError)):
            export_html(forest, tree=wrong)
    booster = tw.NewtonBoostingClassifier(n_estimators=3, max_depth=2).fit(X, y)
    assert "score G²/(H + λ)" in export_html(booster)
    assert "Votes" not in export_html(forest) and "Votes of 5 trees" in export_html(forest, highlight=X[:1])


def test_rows_that_are_not_those_of_the_fit_are_drawn_and_said_so() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    tree = tw.CARTClassifier(max_depth=2).fit(X, y)
    page = export_html(tree, X=X[:100], y=y[:100])
    assert "These rows are not those of the fit" in page
    assert "These rows are not those of the fit" not in export_html(tree, X=X, y=y)
    with pytest.raises(ValueError, match="X and y belong together"):
        export_html(tree, X=X)


def test_hostile_names_stay_words() -> None:
    name = '</pre></style><script>alert("1")</script>'
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "<b>": ["<i>", "&", "<i>", "&"]})
    tree = tw.CARTClassifier().fit(X, ["<img src=x onerror=alert(1)>", "<b>", "<b>", "&amp;"])
    checked = Checked(export_html(tree, X=X, y=tree.predict(X), target_name="<h1>&"))
    assert "<script>" in "".join(checked.words)


def test_only_the_heaviest_splits_are_worked_out() -> None:
    random = np.random.default_rng(0)
    X, y = random.standard_normal((400, 3)), random.standard_normal(400)
    tree = tw.CARTRegressor().fit(X, y)
    page = export_html(tree, max_reports=5)
    inner = tree.tree_.node_count - tree.get_n_leaves()
    assert page.count("Best test of each feature") >= 5 and f"… {inner - 5} more splits of fewer rows" in page
    assert 'id="splits"' not in export_html(tree, max_reports=0)
    with pytest.raises(ValueError, match="max_reports"):
        export_html(tree, max_reports=-1)


def test_a_single_leaf_has_a_page() -> None:
    Checked(export_html(tw.CARTClassifier().fit([[0.0], [1.0]], ["a", "a"])))


def test_a_member_of_a_forest_of_numbers_has_a_page_without_pruning():
    X, y = np.arange(40.0)[:, np.newaxis], np.arange(40.0) % 7
    member = tw.RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, y).estimators_[0]
    assert 'id="pruning"' not in export_html(member)
