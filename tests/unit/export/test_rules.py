from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treewright import C45Classifier, CARTClassifier, CARTRegressor
from treewright.datasets import load_tennis
from treewright.export import EXPORTERS, export_rules


def test_several_tests_of_a_feature_become_one_condition() -> None:
    X = np.arange(9.0).reshape(-1, 1)
    y = [0, 0, 0, 1, 1, 1, 0, 0, 0]
    assert export_rules(CARTClassifier().fit(X, y), feature_names=["größe"]).splitlines() == [
        "Rule 1   n=3   0: 3",
        "  if größe ≤ 2.5 then 0",
        "Rule 2   n=3   1: 3",
        "  if 2.5 < größe ≤ 5.5 then 1",
        "Rule 3   n=3   0: 3",
        "  if größe > 5.5 then 0",
    ]


def test_categories_that_are_left_are_listed() -> None:
    frame = pd.DataFrame({"colour": list("rgbyrgby") * 3})
    y = [{"r": 0.0, "g": 1.0, "b": 5.0, "y": 9.0}[c] for c in frame["colour"]]
    text = export_rules(CARTRegressor().fit(frame, y), target_name="price")
    assert "if colour = r then price = 0" in text
    assert export_rules(CARTRegressor(max_depth=1).fit(frame, y)).count("colour in {") == 2


def test_a_rule_holds_for_the_rows_of_its_leaf() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 2)).round(2), columns=["a", "b"])
    y = (frame["a"] * frame["b"] > 0).to_numpy()
    tree = CARTClassifier().fit(frame, y)
    lines = export_rules(tree).splitlines()
    leaves = pd.Series(tree.apply(frame)).value_counts()
    found = []
    for head, rule in zip(lines[::2], lines[1::2], strict=True):
        tests = rule.split("if ")[1].split(" then ")[0].replace("≤", "<=").split(" and ")
        inside = np.logical_and.reduce([frame.eval(test) for test in tests])
        assert f"n={inside.sum()} " in head
        assert set(map(str, y[inside])) == {rule.split(" then ")[1]}
        found.append(int(inside.sum()))
    assert sorted(found) == sorted(leaves)


def test_many_rules_are_abridged_to_the_largest() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    tree = CARTClassifier().fit(X, rng.integers(0, 2, 300))
    lines = export_rules(tree, max_rules=3).splitlines()
    assert sum(line.startswith("Rule") for line in lines) == 3
    assert lines[-1] == f"… {tree.get_n_leaves() - 3} more rules for {lines[-1].split()[5]} of 300 rows"


def test_a_single_leaf_is_a_rule_without_conditions() -> None:
    tree = CARTClassifier().fit([[1.0], [1.0]], ["a", "b"])
    assert export_rules(tree).splitlines()[1] == "  always then a"


def test_long_rules_are_wrapped_and_the_registry_knows_them() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((200, 6)), columns=[f"a rather long name {i}" for i in range(6)])
    text = EXPORTERS["rules"](CARTRegressor().fit(frame, rng.standard_normal(200)))
    assert max(len(line) for line in text.splitlines()) <= 100


def test_missing_values_of_their_own_are_named() -> None:
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    text = export_rules(CARTClassifier().fit(X, [0, 0, 1, 1]), feature_names=["x"])
    assert "if x is known then 0" in text and "if x is missing then 1" in text


def test_mistakes_are_refused() -> None:
    X, y, _, _ = load_tennis()
    tree = C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match="max_rules must be 1 or more"):
        export_rules(tree, max_rules=0)
    with pytest.raises(IndexError, match="tree=3 does not exist"):
        export_rules(tree, tree=3)
    with pytest.raises(TypeError, match="export_rules takes a Treewright estimator"):
        export_rules("tree")
