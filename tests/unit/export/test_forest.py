"""One tree of many as text and as rules, and all of them in a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.model.forest_cases import CRITERIA, bagged, forest_model

from treewright.export import EXPORTERS, export_rules, export_summary, export_text, tree_to_html
from treewright.model import Tree


@pytest.mark.parametrize("exporter", [export_text, export_rules])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_tree_of_a_forest_reads_like_the_tree_alone(exporter, criterion) -> None:
    model = forest_model(criterion)
    for number, tree in enumerate(bagged(criterion)):
        assert exporter(model, tree=number) == exporter(without_counts(tree))


def without_counts(fitted):
    """Return the model of a tree that does not know, as a forest does not, how many rows lacked a value."""
    arrays = fitted.tree_.to_arrays()
    del arrays["missing_rows"], arrays["missing_weight"]
    return fitted.model_.with_trees((Tree.from_arrays(arrays, fitted.tree_.n_codes),))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_what_a_forest_does_not_know_is_not_written(criterion) -> None:
    model = forest_model(criterion)
    whole = export_text(model, tree=1, show=("n", "value", "impurity", "gain", "id"), max_nodes=10**6)
    short = export_text(model, tree=1, max_nodes=5)
    html = tree_to_html(model, tree=1)
    for text in (whole, short, html, export_rules(model, tree=1)):
        assert "nan" not in text.lower()
    assert "more nodes, depth" in short and ("impurity" in html)
    assert ("gain" in whole) == (criterion != "absolute_error")
    assert "tree 1: " in html


@pytest.mark.parametrize("exporter", [export_text, export_rules, tree_to_html])
def test_a_forest_must_be_told_which_tree(exporter) -> None:
    with pytest.raises(ValueError, match=r"This is a forest of 4 trees: say which one, e\.g\. tree=3\."):
        exporter(forest_model())
    with pytest.raises(IndexError, match="tree=4 does not exist"):
        exporter(forest_model(), tree=4)


def test_the_summary_of_a_forest_counts_its_trees() -> None:
    model = forest_model(n_trees=5)
    text = export_summary(model, feature_names=["size", "letter", "other\n"])
    forest = model.trees
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == "RandomForestClassifier: 5 trees, gini, predicts the mean of their answers".split()
    counts = [tree.node_count for tree in forest]
    assert lines[3] == ["nodes", *map(str, (sum(counts), min(counts), int(np.median(counts)), max(counts)))]
    depths = [tree.max_depth for tree in forest]
    assert lines[5] == ["depth", *map(str, (min(depths), int(np.median(depths)), max(depths)))]
    assert f"{forest.nbytes} bytes, {forest.bytes_per_node:.1f} per node" in text
    assert lines[-3:] == [["0.5000", "size"], ["0.3000", "letter"], ["0.2000", "other\\n"]]
    assert EXPORTERS["summary"](model, feature_names=["size", "letter", "other\n"]) == text


def test_the_summary_takes_the_mean_of_importances_per_tree_and_counts_the_rest() -> None:
    model = forest_model(arrays={"importances": np.array([[0.2, 0.8, 0.0], [0.6, 0.4, 0.0]])})
    text = export_summary(model, max_features=1)
    assert text.endswith("importance   feature\n    0.6000   x1\n    0.4000   … 1 more")
    assert "importance" not in export_summary(forest_model(arrays={}))
    with pytest.raises(ValueError, match="max_features must be 1 or more"):
        export_summary(model, max_features=0)


def test_the_summary_of_a_tuple_of_trees_is_that_of_their_forest() -> None:
    model = forest_model()
    several = replace(model, trees=tuple(model.trees), facts={"criterion": "gini", "aggregation": "votes"})
    lean, full = export_summary(model).splitlines(), export_summary(several).splitlines()
    assert full[2:6] == lean[2:6] and "the class with most votes" in full[0]
    own = replace(several, arrays={})
    mean = np.mean([tree.compute_feature_importances() for tree in model.trees], axis=0)
    assert f"{mean.max():.4f}" in export_summary(own)
