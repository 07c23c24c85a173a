"""Tests that a hand makes: checked against the rows of their node, and put in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.argument import is_number
from treewright.data.schema import Feature
from treewright.explain import NodeRows, Training
from treewright.grower.arrays import tree_arrays
from treewright.grower.growing import Growing
from treewright.grower.node import GrownNode, Test
from treewright.model import Model, Tree

__all__ = ["conditions", "hand_made_test"]


def hand_made_test(
    growing: Growing,
    place: GrownNode,
    column: int,
    name: str,
    threshold: float | None,
    categories: Iterable[Any] | None,
) -> Test:
    """Return a test with the threshold or the categories of the first branch that the user wants.

    Parameters
    ----------
    growing : Growing
        The rows of the tree.
    place : GrownNode
        The node to split.
    column : int
        The feature.
    name : str
        Its name, for messages.
    threshold : float or None
        The largest number of the first branch.
    categories : iterable or None
        The categories of the first branch, where there is no threshold.
    """
    feature = growing.training.schema.features[column]
    if threshold is not None:
        if feature.kind != "numeric":
            raise ValueError(f"{name!r} has no numbers: pass categories= instead of threshold=.")
        if not is_number(threshold) or np.isnan(threshold):
            raise ValueError(f"The threshold of {name!r} must be a number, got {threshold!r}.")
        test = growing.threshold_test(place.rows, column, float(threshold))
    else:
        if feature.kind != "nominal":
            raise ValueError(f"{name!r} is not nominal: pass threshold= instead of categories=.")
        wanted = list(categories or ())
        unknown = [category for category in wanted if not _is_known(category, feature)]
        if unknown:
            known = ", ".join(map(repr, (feature.categories or ())[:12]))
            raise ValueError(f"{name!r} has no category {unknown[0]!r}; it has {known}.")
        codes = sorted({feature.index[category] for category in wanted})
        test = growing.subset_test(place.rows, column, codes)
    if any(len(child.rows) == 0 for child in growing.children(place.rows, test)):
        raise ValueError(f"This test of {name!r} leaves one branch of node {place.id} without rows.")
    return test


def _is_known(category: Any, feature: Feature) -> bool:
    try:
        return category in feature.index
    except TypeError:  # a list is no category
        return False


def conditions(training: Training, names: Sequence[str], test: Test) -> list[str]:
    """Return for each branch of a test the words of the tree's own view, whoever made the test."""
    root = GrownNode(
        0,
        -1,
        0,
        (),
        NodeRows(np.zeros(0, dtype=np.uint32), None),
        1.0,
        0.0,
        np.zeros(1),
        test,
        tuple(range(1, test.n_children + 1)),
    )
    stump = {0: root}
    for branch in root.children:
        stump[branch] = replace(root, id=branch, test=None, children=())
    schema = training.schema
    features = tuple(replace(f, name=n) for f, n in zip(schema.features, names, strict=True))
    tree = Tree(tree_arrays(stump), schema.n_codes)
    view = Model("", {}, "regression", replace(schema, features=features), (tree,)).view()
    return [child.condition for child in view.root.children]
