"""Boosted trees as text, rules and tables: leaves tell their steps, nodes their sums."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.unit.explain.boosted.boost_cases import fitted, table, two_classes

import treewright as tw
from treewright.export import export_rules, export_summary, export_text, tree_to_html
from treewright.model.number import format_threshold


@pytest.mark.parametrize("make", [tw.NewtonBoostingClassifier, tw.GradientBoostingClassifier])
def test_leaves_tell_their_steps_and_nodes_their_sums(make: type) -> None:
    X, y = two_classes()
    booster = fitted(make, X, y)
    lines = export_text(booster, tree=2).splitlines()
    forest = booster.model_.trees
    nodes = slice(*forest.arrays["begin"][2:4].tolist())
    leaves = forest.arrays["feature"][nodes] < 0
    for number in forest.arrays["number"][nodes][leaves]:
        assert sum(f"── {format_threshold(number, 4)} " in line for line in lines) == 1
    sums = [re.search(r"G (\S+) · (H|weight) (\S+)", line) for line in lines]
    shown = sorted((m[1], m[3]) for m in sums if m)
    arrays = (forest.arrays["gradient"][nodes], forest.arrays["weight"][nodes])
    assert shown == sorted(
        (format_threshold(float(g), 4), format_threshold(float(h), 4)) for g, h in zip(*arrays, strict=True)
    )
    assert "yes" not in "".join(lines), "a step is no class"


def test_other_trees_have_no_sums() -> None:
    X, y = two_classes()
    with pytest.raises(ValueError, match="show='sums' is for boosters"):
        export_text(tw.CARTClassifier(max_depth=1).fit(X, y), show=("sums",))


def test_a_tree_of_a_booster_must_be_named() -> None:
    booster = fitted(tw.NewtonBoostingRegressor, *table())
    with pytest.raises(ValueError, match=r"This is a booster of 4 trees: say which one, e\.g\. tree=3"):
        export_text(booster)
    with pytest.raises(IndexError, match="tree=4 does not exist; the model has 4"):
        export_text(booster, tree=4)


def test_rules_summaries_and_tables_know_boosters() -> None:
    booster = fitted(tw.NewtonBoostingClassifier, *two_classes())
    assert export_rules(booster, tree=0).count("Rule") == booster.model_.trees[0].n_leaves
    assert export_summary(booster).startswith("NewtonBoostingClassifier: 4 trees, log loss, predicts from")
    assert "G " in tree_to_html(booster.model_, 1) and "<script" not in tree_to_html(booster.model_, 1)
    ada = tw.AdaBoostClassifier(n_estimators=5).fit(*two_classes())
    best = max(ada.feature_importances_)
    assert f"{best:.4f}   " in export_summary(ada)


def test_the_text_of_a_booster_s_tree_has_room_on_a_terminal() -> None:
    data = load_breast_cancer(as_frame=True)
    booster = tw.LeafwiseBoostingClassifier(n_estimators=2, random_state=0).fit(data.data, data.target)
    text = export_text(booster, tree=0)
    assert max(map(len, text.splitlines())) <= 100
    assert "mean concave points" in text and "   mean -" not in text


@pytest.mark.parametrize(
    "kind", [tw.LeafwiseBoostingRegressor, tw.NewtonBoostingRegressor, tw.GradientBoostingRegressor]
)
def test_the_summary_of_a_booster_lists_its_importances(kind: Any) -> None:
    booster = fitted(kind, *table())
    listed = dict(re.findall(r"^ +(0\.\d+) {3}(.+)$", export_summary(booster), re.M))
    most = int(np.argmax(booster.feature_importances_))
    assert listed[f"{booster.feature_importances_[most]:.4f}"] == booster.model_.names(None)[most]
