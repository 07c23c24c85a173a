"""Tiny builders that tests share: trees written by hand, and scikit-learn's trees in our arrays."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import hypothesis
import numpy as np
import pytest

from treewright.data import Feature, Schema
from treewright.model import Model, Tree
from treewright.model.arrays import EVERY_BRANCH, TREE_ARRAYS

Arrays = dict[str, np.ndarray]

# A process that a shell started in the background ignores Ctrl-C, and a test that waits for it would not end.
signal.signal(signal.SIGINT, signal.default_int_handler)

# `make test` tries the same examples every time, so that a change is what makes it fail; pytest by itself and
# `make test-slow` look for new ones.
hypothesis.settings.register_profile("steady", derandomize=True, database=None)


def build_arrays(nodes: list[dict[str, Any]], tables: list[int] | None = None) -> Arrays:
    """Return tree arrays from one dict per node; what a dict does not say is what a leaf has."""
    leaf = {
        "kind": 0, "feature": -1, "first_child": -1, "n_children": 0, "threshold": np.nan, "table": -1,
        "missing": 0, "value": [0.0], "rows": 1, "weight": 1.0, "loss": 0.0, "gain": 0.0, "missing_rows": 0,
        "missing_weight": 0.0,
    }  # fmt: skip
    arrays: Arrays = {}
    for name, dtype in TREE_ARRAYS.items():
        if name in leaf:
            arrays[name] = np.array([{**leaf, **node}[name] for node in nodes], dtype=dtype)
        else:
            arrays[name] = np.array([] if name != "tables" else tables or [], dtype=dtype)
    return arrays


def mixed_arrays() -> Arrays:
    """A tree with a threshold, a subset and a multiway test; its features are those of `mixed_schema`."""
    return build_arrays(
        [
            {"kind": 1, "feature": 0, "first_child": 1, "n_children": 2, "threshold": 16.795, "missing": 1,
             "value": [0.5, 0.5], "rows": 12, "weight": 12.0, "loss": 6.0, "gain": 3.0},
            {"kind": 2, "feature": 1, "first_child": 3, "n_children": 2, "table": 0, "missing": 0,
             "value": [0.75, 0.25], "rows": 4, "weight": 4.0, "loss": 1.5, "gain": 1.0},
            {"kind": 3, "feature": 2, "first_child": 5, "n_children": 3, "table": 3, "missing": EVERY_BRANCH,
             "value": [0.25, 0.75], "rows": 8, "weight": 8.0, "loss": 1.5, "gain": 1.0},
            {"value": [1.0, 0.0], "rows": 3, "weight": 3.0},
            {"value": [0.5, 0.5], "weight": 1.0, "loss": 0.5},
            {"value": [1.0, 0.0], "rows": 2, "weight": 2.0},
            {"value": [0.0, 1.0], "rows": 4, "weight": 4.0},
            {"value": [0.5, 0.5], "rows": 2, "weight": 2.0, "loss": 0.5},
        ],
        # subset: codes 1 and 3 to branch 1; multiway: missing everywhere, codes 1, 2, 3 to branch 0, 1, 2
        tables=[0, 1, 0b1010, 2, 5, EVERY_BRANCH, 0, 1, 2, EVERY_BRANCH],
    )  # fmt: skip


def mixed_schema() -> Schema:
    return Schema(
        (
            Feature("worst radius", "numeric"),
            Feature("outlook", "nominal", ("sunny", "overcast", "rain")),
            Feature("größe", "nominal", ("S", "M", "L")),
            Feature("grade", "ordinal", ("low", "mid", "high")),
        ),
        named=True,
    )


@pytest.fixture
def arrays() -> Arrays:
    return mixed_arrays()


@pytest.fixture
def schema() -> Schema:
    return mixed_schema()


@pytest.fixture
def model() -> Model:
    schema = mixed_schema()
    return Model(
        algorithm="CARTClassifier",
        params={"max_depth": 3, "class_weight": {"no": 1.0, "yes": 2.0}},
        task="classification",
        schema=schema,
        trees=(Tree.from_arrays(mixed_arrays(), schema.n_codes),),
        classes=np.array(["no", "yes"]),
        class_order=np.array(["yes", "no"]),
        facts={"max_features": 4},
    )


@pytest.fixture
def node_arrays() -> Callable[..., Arrays]:
    return build_arrays


@pytest.fixture
def from_scikit_learn() -> Callable[[Any], Tree]:
    """Return a function that renumbers a scikit-learn tree into ours: children adjacent, parents first."""

    def convert(fitted: Any) -> Tree:
        theirs = fitted.tree_
        order, children = [0], {}
        waiting = [0]
        while waiting:
            node = waiting.pop()
            if theirs.children_left[node] >= 0:
                pair = [int(theirs.children_left[node]), int(theirs.children_right[node])]
                children[node] = len(order)
                order += pair
                waiting += pair[::-1]
        loss = theirs.impurity * theirs.weighted_n_node_samples
        nodes = []
        for node in order:
            described = {
                "value": theirs.value[node, 0], "rows": theirs.n_node_samples[node],
                "weight": theirs.weighted_n_node_samples[node], "loss": loss[node],
            }  # fmt: skip
            if node in children:
                left, right = theirs.children_left[node], theirs.children_right[node]
                described |= {
                    "kind": 1, "feature": theirs.feature[node], "threshold": theirs.threshold[node],
                    "first_child": children[node], "n_children": 2,
                    "gain": loss[node] - loss[left] - loss[right],
                }  # fmt: skip
            nodes.append(described)
        return Tree.from_arrays(build_arrays(nodes), np.zeros(fitted.n_features_in_, np.uint32))

    return convert
