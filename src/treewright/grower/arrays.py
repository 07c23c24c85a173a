"""Nodes grown by hand as the arrays of a tree, in the canonical order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain import NodeRows
from treewright.grower.node import GrownNode, Test
from treewright.model.arrays import CANDIDATE_ARRAYS, ROWS_UNKNOWN, TREE_ARRAYS

__all__ = ["test_arrays", "tree_arrays"]


def tree_arrays(
    nodes: Mapping[int, GrownNode], matrix: NDArray[np.float64] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the arrays: parents before children, the children of a node side by side.

    Parameters
    ----------
    nodes : mapping of int to GrownNode
        The nodes by their numbers.
    matrix : ndarray, optional
        The encoded rows, to count those without a value of a tested feature; without it that is not known.
    """
    n = len(nodes)
    place = {0: 0}
    order = [0]
    waiting = [0]
    while waiting:  # a node's children get the next numbers when the node is visited
        node = nodes[waiting.pop()]
        for child in node.children:
            place[child] = len(order)
            order.append(child)
        waiting.extend(reversed(node.children))
    outputs = len(nodes[0].value)
    blank: dict[str, Any] = {
        "kind": 0, "feature": -1, "first_child": -1, "n_children": 0, "threshold": np.nan, "table": -1,
        "missing": 0, "rows": 0, "weight": 0.0, "loss": 0.0, "gain": 0.0, "missing_rows": 0,
        "missing_weight": 0.0,
    }  # fmt: skip
    arrays = {
        name: np.full(n, blank[name], dtype=dtype) if name in blank else np.zeros(0, dtype=dtype)
        for name, dtype in TREE_ARRAYS.items()
    }
    arrays["value"] = np.zeros((n, outputs))
    tables: list[NDArray[np.uint32]] = []
    length = 0
    for number, key in enumerate(order):
        node = nodes[key]
        arrays["rows"][number] = len(node.rows.rows)
        arrays["weight"][number] = node.weight
        arrays["loss"][number] = node.loss
        arrays["value"][number] = node.value
        test = node.test
        if test is None:
            continue
        arrays["kind"][number] = test.kind
        arrays["feature"][number] = test.feature
        arrays["first_child"][number] = place[node.children[0]]
        arrays["n_children"][number] = test.n_children
        arrays["threshold"][number] = test.threshold
        arrays["missing"][number] = test.missing
        arrays["gain"][number] = max(0.0, node.loss - sum(nodes[child].loss for child in node.children))
        arrays["missing_rows"][number], arrays["missing_weight"][number] = _without_value(node, test, matrix)
        if len(test.table):
            arrays["table"][number] = length
            tables.append(test.table)
            length += len(test.table)
    arrays["tables"] = np.concatenate(tables) if tables else np.zeros(0, dtype=np.uint32)
    memories = [(number, memory) for number, key in enumerate(order) if (memory := nodes[key].memory)]
    return arrays | _candidates(arrays["tables"], memories)


def _without_value(node: GrownNode, test: Test, matrix: NDArray[np.float64] | None) -> tuple[int, float]:
    """Return how many rows of a node lack the feature that it tests, and their weight."""
    if matrix is None:
        return ROWS_UNKNOWN, np.nan
    absent = np.isnan(matrix[node.rows.rows, test.feature])
    n_absent = int(np.count_nonzero(absent))
    if n_absent == 0 or node.rows.weights is None:
        return n_absent, float(n_absent)
    # Row after row, as the engine adds them.
    return n_absent, float(np.cumsum(node.rows.weights[absent])[-1])


def test_arrays(test: Test) -> dict[str, NDArray[Any]]:
    """Return the arrays of a tree that has this test alone."""
    nothing = NodeRows(np.zeros(0, dtype=np.uint32), None)
    children = tuple(range(1, test.n_children + 1))
    root = GrownNode(0, -1, 0, (), nothing, 0.0, 0.0, np.zeros(1), test, children)
    leaves = {number: GrownNode(number, 0, 1, (), nothing, 0.0, 0.0, np.zeros(1)) for number in children}
    return tree_arrays({0: root, **leaves})


def _candidates(
    tables: NDArray[np.uint32], memories: list[tuple[int, dict[str, NDArray[Any]]]]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of candidates, and the tables with theirs behind the others."""
    if not memories:
        return {}
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in (*CANDIDATE_ARRAYS, "tables")}
    length = len(tables)
    parts["tables"].append(tables)
    for number, memory in memories:
        offsets = memory["candidate_table"]
        moved = {
            "candidate_node": np.full(len(offsets), number, dtype=np.int32),
            "candidate_table": np.where(offsets < 0, offsets, offsets + length),
        }
        for name, pieces in parts.items():
            pieces.append(moved.get(name, memory[name]))
        length += len(memory["tables"])
    return {name: np.concatenate(pieces) for name, pieces in parts.items()}
