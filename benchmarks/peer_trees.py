"""Trees of LightGBM and XGBoost as arrays of ours, so that both sides explain the same ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from treewright import _core


def lightgbm_attributions(booster: Any, n_features: int) -> Any:
    """Return the engine's attributions of a LightGBM model of numbers, one output per class."""
    dumped = booster.dump_model()["tree_info"]
    n_outputs = booster.num_model_per_iteration()
    engine = _core.Attributions(np.zeros(n_features, np.uint32), n_outputs)
    for number, tree in enumerate(dumped):
        nodes = _nodes(tree["tree_structure"], "lightgbm")
        arrays = _arrays(
            [node.get("split_feature", -1) for node in nodes],
            [node.get("threshold", np.nan) for node in nodes],
            [0 if node.get("default_left", True) else 1 for node in nodes],
            [node["first"] for node in nodes],
            [node.get("internal_count", node.get("leaf_count")) for node in nodes],
            [node.get("leaf_value", 0.0) for node in nodes],
        )
        engine.add_tree(arrays, arrays["value"], first_output=number % n_outputs)
    return engine


def xgboost_attributions(booster: Any, n_features: int) -> Any:
    """Return the engine's attributions of an XGBoost model of numbers with one output."""
    engine = _core.Attributions(np.zeros(n_features, np.uint32), 1)
    for dumped in booster.get_dump(dump_format="json", with_stats=True):
        nodes = _nodes(json.loads(dumped), "xgboost")
        # XGBoost asks x < threshold in single precision.
        cuts = np.array([node.get("split_condition", np.nan) for node in nodes], np.float32)
        arrays = _arrays(
            [int(node["split"][1:]) if "split" in node else -1 for node in nodes],
            np.nextafter(cuts, np.float32(-np.inf)).astype(np.float64),
            [0 if node.get("missing") == node.get("yes") else 1 for node in nodes],
            [node["first"] for node in nodes],
            [node["cover"] for node in nodes],
            [node.get("leaf", 0.0) for node in nodes],
        )
        engine.add_tree(arrays, arrays["value"])
    return engine


def _nodes(tree: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the nodes of a dumped tree, parents first and children adjacent."""
    nodes, place = [tree], 0
    while place < len(nodes):
        node = nodes[place]
        if kind == "lightgbm":
            below = [node[name] for name in ("left_child", "right_child") if name in node]
        else:
            by_id = {child["nodeid"]: child for child in node.get("children", ())}
            below = [by_id[node["yes"]], by_id[node["no"]]] if by_id else []
        node["first"] = len(nodes) if below else -1
        nodes += below
        place += 1
    return nodes


def _arrays(
    feature: Any, threshold: Any, missing: Any, first: Any, weight: Any, value: Any
) -> dict[str, Any]:
    n = len(first)
    inner = np.asarray(first) >= 0
    return {
        "kind": inner.astype(np.uint8),
        "feature": np.where(inner, feature, -1).astype(np.int32),
        "first_child": np.asarray(first, np.int32),
        "n_children": np.where(inner, 2, 0).astype(np.uint32),
        "threshold": np.where(inner, threshold, np.nan),
        "table": np.full(n, -1, np.int64),
        "missing": np.where(inner, missing, 0).astype(np.uint32),
        "value": np.asarray(value, np.float64)[:, None],
        "rows": np.ones(n, np.int64),
        "weight": np.asarray(weight, np.float64),
        "loss": np.zeros(n),
        "gain": np.zeros(n),
        "tables": np.zeros(0, np.uint32),
    }
