"""Texts have a width, and name what their numbers count."""

import numpy as np
import pandas as pd
import pytest

import treewright
from treewright import C45Classifier, CARTClassifier, RandomForestClassifier, export_text

LONG = ["accepted after a long consideration of everything", "no"]


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=200), "b": random.normal(size=200)})
    return X, np.where(X["a"] + X["b"] > 0, *LONG)


def test_long_classes_are_cut_and_columns_stay_in_line(table):
    lines = export_text(CARTClassifier(max_depth=3).fit(*table)).splitlines()
    assert len({line.index("n=") for line in lines}) == 1
    assert "accepted after a long considera…" in lines[0] and LONG[0] not in "".join(lines)


def test_classes_that_would_look_the_same_are_not_cut(table):
    X, y = table
    y = np.where(y == "no", "x" * 40 + "1", "x" * 40 + "2")
    text = export_text(CARTClassifier(max_depth=1).fit(X, y))
    assert "x" * 40 + "1" in text and "x" * 40 + "2" in text


def test_lines_are_cut_at_the_width_that_is_asked_for(table):
    X, y = table
    tree = CARTClassifier(max_depth=2).fit(X.rename(columns={"a": "a" * 300, "b": "b" * 300}), y)
    assert max(map(len, export_text(tree).splitlines())) <= 200
    assert max(map(len, export_text(tree, max_width=None).splitlines())) > 300
    narrow = export_text(tree, max_width=40, ascii=True).splitlines()
    assert max(map(len, narrow)) == 40 and any(line.endswith("...") for line in narrow)
    with pytest.raises(ValueError, match="max_width must be 20 or more"):
        export_text(tree, max_width=1)


def test_weights_are_named_where_they_are_not_the_number_of_rows(table):
    X, y = table
    member = RandomForestClassifier(2, max_depth=1, random_state=0).fit(X, y).estimators_[0]
    assert f"n={member.tree_.n_node_samples[0]}, weight 200 " in export_text(member)
    assert ", weight" not in export_text(CARTClassifier(max_depth=2).fit(X, y))
    X.loc[::5, "a"] = np.nan
    assert ", weight" in export_text(C45Classifier(max_depth=2).fit(X, y))


def test_reports_show_their_text_where_python_shows_objects(table):
    X, y = table
    tree = CARTClassifier(max_depth=2, prune="cost_complexity", cv=3, random_state=0).fit(X, y)
    for report in (tree.explain_split(0), tree.explain_prediction(X[:1]), tree.explain_pruning()):
        assert repr(report) == str(report)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_report_becomes_a_frame_of_the_library_that_is_asked_for(table, backend):
    pytest.importorskip(backend)
    report = CARTClassifier(max_depth=1).fit(*table).explain_split(0)
    assert type(report.to_frame(backend)).__module__.startswith(backend)
    with pytest.raises(ValueError, match="backend must be one of 'pandas', 'polars', 'pyarrow', got 'dask'"):
        report.to_frame("dask")


def test_gradient_boosting_says_how_many_features_its_nodes_look_at(table):
    booster = treewright.GradientBoostingClassifier(n_estimators=1, max_features="sqrt").fit(*table)
    assert booster.max_features_ == 1
