"""The arrays of a forest: many binary trees, one after the other, at 23 bytes per node.

This is the contract with the native core (core/tree/forest.h) and with the model file. A node knows what
prediction and text need; what follows from its children is not stored. Whether arrays are a forest is stated
once, in core/tree/check_forest.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.model.tree import check_names, check_type, node_depths

__all__ = [
    "FOREST_ARRAYS",
    "FOREST_LEAF",
    "FOREST_MISSING",
    "FOREST_NODE_ARRAYS",
    "FOREST_OPTIONAL",
    "FOREST_SUBSET",
    "FOREST_WIDE",
    "ForestArrays",
    "check_forest_arrays",
    "forest_depths",
    "own_ids",
]

ForestArrays = Mapping[str, NDArray[Any]]

# `feature` of a leaf.
FOREST_LEAF: Final = _core.FOREST_LEAF

# Bits of `flags`.
FOREST_MISSING: Final = _core.FOREST_MISSING
FOREST_SUBSET: Final = _core.FOREST_SUBSET

# One entry per node.
FOREST_NODE_ARRAYS: Final[dict[str, str]] = {
    "number": "<f8",
    "child": "<u4",
    "feature": "<i2",
    "flags": "|u1",
    "weight": "<f4",
    "rows": "<u4",
}
# The type of `feature` when there are more features than two bytes can name.
FOREST_WIDE: Final = "<i4"

FOREST_ARRAYS: Final[dict[str, str]] = {
    "begin": "<i8",
    **FOREST_NODE_ARRAYS,
    "distributions": "<f8",
    "tables": "<u4",
}

# Only forests of boosters have these: one entry per node, too. `gradient` is the sum of the gradients of the
# node's rows; `weight` is the sum of their hessians then.
FOREST_OPTIONAL: Final[dict[str, str]] = {"gradient": "<f8"}


def own_ids(begin: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the id of every node within its tree."""
    sizes = np.diff(begin)
    return np.arange(int(begin[-1]), dtype=np.int64) - np.repeat(begin[:-1], sizes)


def forest_depths(arrays: ForestArrays) -> NDArray[np.int64]:
    """Return the depth of the deepest leaf of each tree."""
    begin = arrays["begin"]
    inner = arrays["feature"] != FOREST_LEAF
    depths = []
    for first, last in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
        n_children = np.where(inner[first:last], 2, 0)
        tree = {"kind": n_children, "n_children": n_children, "first_child": arrays["child"][first:last]}
        depths.append(int(node_depths(tree).max()))
    return np.array(depths, dtype=np.int64)


def check_forest_arrays(arrays: ForestArrays, n_codes: NDArray[np.uint32]) -> None:
    """Raise ValueError, with a sentence, when the arrays are not a forest over these features.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        All arrays of `FOREST_ARRAYS`, and any of `FOREST_OPTIONAL`.
    n_codes : ndarray of uint32
        Number of categories of each feature, 0 for a numeric one.
    """
    check_names(set(arrays) - set(FOREST_OPTIONAL), FOREST_ARRAYS, "forest")
    for name, dtype in {**FOREST_ARRAYS, **FOREST_OPTIONAL}.items():
        if name in arrays:
            check_type(name, arrays[name], (dtype, FOREST_WIDE) if name == "feature" else (dtype,))
    if arrays["distributions"].shape[1] < 1:
        raise ValueError("array 'distributions' has no class")
    _core.check_stored_forest(dict(arrays), n_codes)
