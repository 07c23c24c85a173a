"""The arrays of a tree: names, types and what one entry belongs to: a node, a table word, a side test.

This is the contract with the native core (core/tree/tree.h) and with the model file. Whether arrays are a
tree is stated once, in core/tree/check.cpp. Only names, types and dimensions are checked here: the engine
reads arrays of one type each, and a message shall say which type came instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
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
    "check_arrays",
    "check_names",
    "check_trees",
    "check_type",
    "complete",
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


TWO_DIMENSIONAL = ("value", "distributions")


def complete(arrays: TreeArrays) -> TreeArrays:
    """Return the arrays with what a tree from elsewhere may lack.

    Its candidates are none, and how many rows had no value of a tested feature is not known.
    """
    if not CANDIDATE_ARRAYS.keys() & arrays.keys():
        arrays = {**arrays, **{name: np.zeros(0, dtype) for name, dtype in CANDIDATE_ARRAYS.items()}}
    if not arrays.keys() & set(MISSING_ARRAYS) and "kind" in arrays:
        inner = np.asarray(arrays["kind"]) != KIND_LEAF
        arrays = {
            **arrays,
            "missing_rows": np.where(inner, np.int64(ROWS_UNKNOWN), np.int64(0)),
            "missing_weight": np.where(inner, np.nan, 0.0),
        }
    return arrays


# --- from a file
# ----------------------------------------------------------------------------------------------------------


def check_arrays(arrays: TreeArrays, n_codes: NDArray[np.uint32]) -> None:
    """Raise ValueError, with a sentence, when the arrays are not a tree over these features.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        All arrays of `TREE_ARRAYS`.
    n_codes : ndarray of uint32
        Number of categories of each feature, 0 for a numeric one.
    """
    check_trees([arrays], n_codes)


def check_trees(trees: Sequence[TreeArrays], n_codes: NDArray[np.uint32]) -> None:
    """Raise ValueError, with a sentence, when one of the trees is none; see `check_arrays`."""
    for arrays in trees:
        check_names(arrays, TREE_ARRAYS, "tree")
        for name, dtype in TREE_ARRAYS.items():
            check_type(name, arrays[name], (dtype,))
        if arrays["value"].shape[1] < 1:
            raise ValueError("array 'value' has no output")
    _core.check_stored_trees([dict(arrays) for arrays in trees], n_codes)


def check_names(names: Iterable[str], expected: Mapping[str, str], what: str) -> None:
    """Raise ValueError when arrays are missing or unknown."""
    if wrong := sorted(set(names) ^ set(expected)):
        raise ValueError(f"the set of {what} arrays is wrong: {', '.join(wrong)}")


def check_type(name: str, array: NDArray[Any], allowed: tuple[str, ...]) -> None:
    """Raise ValueError when an array is of another type or has other dimensions than the engine reads."""
    if array.dtype not in [np.dtype(one) for one in allowed]:
        raise ValueError(f"array '{name}' has dtype {array.dtype}, expected {np.dtype(allowed[0])}")
    if array.ndim != (2 if name in TWO_DIMENSIONAL else 1):
        raise ValueError(f"array '{name}' has {array.ndim} dimensions")
