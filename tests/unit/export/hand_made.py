"""Trees written down node by node, so that tests of printing need no training."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data import Feature, Schema
from treewright.model import Model, Tree
from treewright.model.arrays import TREE_ARRAYS

LEAF, THRESHOLD, SUBSET, MULTIWAY = range(4)


def hand_made_model(
    nodes: list[dict[str, Any]],
    features: list[Feature],
    *,
    classes: list[Any] | None = None,
    criterion: str = "gini",
    tables: list[int] | None = None,
) -> Model:
    """Make a model of one tree; a node says kind, feature, first_child, n_children, value, rows, …"""
    defaults = {
        "kind": LEAF, "feature": -1, "first_child": -1, "n_children": 0, "threshold": np.nan, "table": -1,
        "missing": 0, "value": [0.0], "rows": 1, "loss": 0.0, "gain": 0.0, "missing_rows": 0,
        "missing_weight": 0.0,
    }  # fmt: skip
    full = [{**defaults, **node} for node in nodes]
    full = [{"weight": float(node["rows"]), **node} for node in full]
    arrays = {
        name: np.array([node[name] for node in full] if name in full[0] else [], dtype=dtype)
        for name, dtype in TREE_ARRAYS.items()
    }
    arrays["tables"] = np.array(tables or [], dtype=np.uint32)
    schema = Schema(tuple(features), named=True)
    return Model(
        algorithm="CARTClassifier" if classes else "CARTRegressor",
        params={"criterion": criterion},
        task="classification" if classes else "regression",
        schema=schema,
        trees=(Tree(arrays, schema.n_codes),),
        classes=None if classes is None else np.array(classes, dtype=object),
    )


def chain(depth: int) -> Model:
    """Make a tree in which every inner node has one leaf and one inner child."""
    nodes: list[dict[str, Any]] = []
    for level in range(depth):
        rows = depth - level + 1
        test = {
            "kind": THRESHOLD,
            "feature": 0,
            "first_child": 2 * level + 1,
            "n_children": 2,
            "threshold": level,
        }
        nodes.append({**test, "rows": rows, "value": [1.0, 0.0], "loss": 0.0})
        nodes.append({"value": [1.0, 0.0]})
    nodes.append({"value": [0.0, 1.0]})
    # Children are adjacent: leaf 2·level + 1, next inner node 2·level + 2.
    order = [nodes[0]]
    for level in range(1, depth):
        order += [nodes[2 * level - 1], nodes[2 * level]]
    order += [nodes[2 * depth - 1], nodes[2 * depth]]
    return hand_made_model(order, [Feature("x", "numeric")], classes=["a", "b"])
