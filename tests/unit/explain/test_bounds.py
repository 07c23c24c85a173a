"""What is printed has a width and a length, whatever the model is like; what is left out is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.export import export_rules, export_text

FEW: dict[str, Any] = {"n_estimators": 3, "random_state": 0}


def many_categories() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 800, 3000)
    X = pd.DataFrame({"town": [f"town number {code}" for code in codes], "x": rng.standard_normal(3000)})
    return X, np.where((codes % 2 == 0) ^ (rng.random(3000) < 0.1), "yes", "no")


@pytest.mark.parametrize("make", [
    lambda: tw.CARTClassifier(max_depth=3), lambda: tw.RandomForestClassifier(max_depth=3, **FEW),
    lambda: tw.LeafwiseBoostingClassifier(**FEW), lambda: tw.AdaBoostClassifier(**FEW),
])  # fmt: skip
def test_lists_of_categories_are_cut_in_every_text(make: Any) -> None:
    X, y = many_categories()
    model = make().fit(X, y)
    which = {} if isinstance(model, tw.CARTClassifier) else {"tree": 0}
    texts = [
        str(model.explain_split(0, **which)),
        str(model.explain_prediction(X[:1])),
        export_text(model, **which),
        export_rules(model, **which),
        str(model.model_.view(0).root.split),
        repr(model.model_.view(0).root),
    ]
    if hasattr(model, "explain_rounds"):
        texts.append(str(model.explain_rounds(X, y)))
    for text in texts:
        assert max(map(len, text.splitlines())) < 260
    assert which or all("more}" in text for text in texts)


def test_the_dict_names_every_category_of_a_way() -> None:
    X, y = many_categories()
    report = tw.CARTClassifier(max_depth=2).fit(X, y).explain_prediction(X[:1])
    words = report.to_dict()["steps"][0]["words"]
    assert words.count("town number") > 100 and "more" not in words
    assert "more}" in str(report) and "more}" in report._repr_html_()


@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.C45Classifier, tw.LeafwiseBoostingClassifier])
def test_a_report_shows_twenty_features_and_counts_the_others(make: Any) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((120, 150))
    y = X[:, 3] > 0
    model = make(**({"n_estimators": 2} if make is tw.LeafwiseBoostingClassifier else {})).fit(X, y)
    which = {"tree": 0} if make is tw.LeafwiseBoostingClassifier else {}
    report = model.explain_split(0, X, y, **which)
    assert "… 130 more features" in str(report) and "… 130 more features" in report._repr_html_()
    assert len(report.to_frame()) == 150 == len(report.to_dict()["candidates"])
    every = model.explain_split(0, X, y, top=None, **which)
    assert "more features" not in str(every) and "x149" in str(every)


def test_a_long_way_is_told_by_its_beginning_and_its_end() -> None:
    x = np.arange(200.0)
    chain = tw.CARTRegressor().fit(x[:, np.newaxis], 3.0**x)
    report = chain.explain_prediction([[0.0]])
    assert len(report.steps) > 100
    text = str(report)
    assert f"… {len(report.steps) - 40} more tests" in text and "← ends here" in text
    assert len(text.splitlines()) < 60
