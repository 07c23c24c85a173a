"""The arrays of a tree: names, types and what one entry belongs to: a node, a table word, a side test.

This is the contract with the native core (core/tree/tree.h) and with the model file. Whether arrays are a
tree is stated once, in core/tree/check.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from numpy.typing import NDArray

from treewright import _core

__all__ = [
    "CANDIDATE_ARRAYS",
    "EVERY_BRANCH",
    "KIND_LEAF",
    "KIND_MULTIWAY",
    "KIND_SUBSET",
    "KIND_THRESHOLD",
    "MISSING_ARRAYS",
    "NODE_ARRAYS",
    "ROWS_UNKNOWN",
    "STOP_HERE",
    "SURROGATE_ARRAYS",
    "TREE_ARRAYS",
    "TreeArrays",
]

TreeArrays = Mapping[str, NDArray[Any]]

KIND_LEAF: Final = _core.KIND_LEAF
KIND_THRESHOLD: Final = _core.KIND_THRESHOLD
KIND_SUBSET: Final = _core.KIND_SUBSET
KIND_MULTIWAY: Final = _core.KIND_MULTIWAY

# "All branches, each with its share": how C4.5 sends a missing value down.
EVERY_BRANCH: Final = _core.EVERY_BRANCH
# "No branch": the row ends at the node and takes the node's own value, as in ID3 for a value never seen.
STOP_HERE: Final = _core.STOP_HERE

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
    "missing_rows": "<i8",
    "missing_weight": "<f8",
}

# Those that trees from elsewhere and files of format 1 do not have.
MISSING_ARRAYS: Final = ("missing_rows", "missing_weight")
ROWS_UNKNOWN: Final = -1

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
