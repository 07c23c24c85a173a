"""The arrays of a tree: names, types and what one entry belongs to: a node, a table word, a side test.

This is the contract with the native core (core/tree/tree.h) and with the model file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CANDIDATE_ARRAYS",
    "EVERY_BRANCH",
    "KIND_LEAF",
    "KIND_MULTIWAY",
    "KIND_SUBSET",
    "KIND_THRESHOLD",
    "NODE_ARRAYS",
    "STOP_HERE",
    "SURROGATE_ARRAYS",
    "TREE_ARRAYS",
    "TreeArrays",
    "child_ids",
    "complete",
    "node_depths",
    "parent_ids",
]

TreeArrays = Mapping[str, NDArray[Any]]

KIND_LEAF: Final = 0
KIND_THRESHOLD: Final = 1
KIND_SUBSET: Final = 2
KIND_MULTIWAY: Final = 3

# "All branches, each with its share": how C4.5 sends a missing value down.
EVERY_BRANCH: Final = 0xFFFFFFFF
# "No branch": the row ends at the node and takes the node's own value, as in ID3 for a value never seen.
STOP_HERE: Final = 0xFFFFFFFE

# One entry per node ("value": one row of outputs per node).
NODE_ARRAYS: Final[dict[str, str]] = {
    "kind": "|u1",
    "feature": "<i4",
    "first_child": "<i4",
    "n_children": "<u4",
    "threshold": "<f8",
    "table": "<i8",
    "missing": "<u4",
    "value": "<f8",
    "rows": "<i8",
    "weight": "<f8",
    "loss": "<f8",
    "gain": "<f8",
}

# One entry per surrogate test; `surrogate_begin` has one entry per node and one more.
SURROGATE_ARRAYS: Final[dict[str, str]] = {
    "surrogate_feature": "<i4",
    "surrogate_kind": "|u1",
    "surrogate_threshold": "<f8",
    "surrogate_table": "<i8",
    "surrogate_flip": "|u1",
    "surrogate_agreement": "<f8",
}

# One entry per test that competed at a node and is remembered; `candidate_node` is ascending.
CANDIDATE_ARRAYS: Final[dict[str, str]] = {
    "candidate_node": "<i4",
    "candidate_feature": "<i4",
    "candidate_kind": "|u1",
    "candidate_threshold": "<f8",
    "candidate_table": "<i8",
    "candidate_branches": "<u4",
    "candidate_tries": "<u4",
    "candidate_left": "<f8",
    "candidate_right": "<f8",
    "candidate_gain": "<f8",
    "candidate_split_info": "<f8",
    "candidate_least_gain": "<f8",
}

TREE_ARRAYS: Final[dict[str, str]] = {
    **NODE_ARRAYS,
    "tables": "<u4",
    "surrogate_begin": "<i8",
    **SURROGATE_ARRAYS,
    **CANDIDATE_ARRAYS,
}


def complete(arrays: TreeArrays) -> TreeArrays:
    """Return the arrays with empty ones where a tree from elsewhere names no candidates."""
    if CANDIDATE_ARRAYS.keys() & arrays.keys():
        return arrays
    return {**arrays, **{name: np.zeros(0, dtype) for name, dtype in CANDIDATE_ARRAYS.items()}}


def child_ids(arrays: TreeArrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (parent, child) ids of every edge, ordered by parent and then by branch."""
    count = arrays["n_children"].astype(np.int64)
    parents = np.repeat(np.arange(len(count), dtype=np.int64), count)
    edges_before = np.cumsum(count) - count
    branch = np.arange(len(parents), dtype=np.int64) - edges_before[parents]
    return parents, arrays["first_child"].astype(np.int64)[parents] + branch


def parent_ids(arrays: TreeArrays) -> NDArray[np.int64]:
    """Return the parent of every node, -1 for the root."""
    parent = np.full(len(arrays["kind"]), -1, dtype=np.int64)
    parents, children = child_ids(arrays)
    parent[children] = parents
    return parent


def node_depths(arrays: TreeArrays) -> NDArray[np.int64]:
    """Return the depth of every node, 0 for the root.

    Pointer doubling: each pass doubles the distance that a node looks up, so a chain of 100 000 levels takes
    17 passes.
    """
    ancestor = parent_ids(arrays)
    depth = (ancestor >= 0).astype(np.int64)
    ancestor[0] = 0
    while ancestor.any():
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    return depth
