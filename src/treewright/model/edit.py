"""Make a smaller tree from a tree: turn nodes into leaves and drop what stood under them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.arrays import (
    CANDIDATE_ARRAYS,
    KIND_LEAF,
    NODE_ARRAYS,
    SURROGATE_ARRAYS,
)
from treewright.model.tree import Tree, parent_ids

__all__ = ["collapse"]

LEAF_VALUES = {
    "kind": KIND_LEAF,
    "feature": -1,
    "first_child": -1,
    "n_children": 0,
    "threshold": np.nan,
    "table": -1,
    "missing": 0,
    "gain": 0.0,
    "missing_rows": 0,
    "missing_weight": 0.0,
}


def collapse(tree: Tree, nodes: NDArray[np.bool_]) -> Tree:
    """Return the tree with the marked nodes as leaves.

    Parameters
    ----------
    tree : Tree
        The tree; it stays as it is.
    nodes : ndarray of bool of shape (node_count,)
        Nodes to turn into leaves. Marks on leaves and below other marked nodes change nothing.
    """
    arrays = tree.to_arrays()
    removed = _below(parent_ids(arrays), nodes)
    if not removed.any():
        return tree
    kept = np.flatnonzero(~removed)
    new_id = np.cumsum(~removed) - 1
    smaller = {name: arrays[name][kept] for name in NODE_ARRAYS}
    for name, value in LEAF_VALUES.items():
        smaller[name][nodes[kept]] = value
    inner = smaller["kind"] != KIND_LEAF
    # The children of a kept inner node are all kept, so they stay adjacent.
    smaller["first_child"][inner] = new_id[smaller["first_child"][inner]]
    smaller |= _kept_surrogates(arrays, kept, inner)
    smaller |= _kept_candidates(arrays, kept, inner)
    smaller |= _kept_tables(arrays["tables"], smaller)
    return Tree(smaller, tree.n_codes)


def _below(parent: NDArray[np.int64], marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which nodes have a marked ancestor, by doubling the distance that each node looks up."""
    ancestor = np.maximum(parent, 0)
    below = marked[ancestor]
    below[0] = False
    while ancestor.any():
        below = below | below[ancestor]
        ancestor = ancestor[ancestor]
    return below


def _kept_surrogates(
    arrays: dict[str, NDArray[Any]], kept: NDArray[np.int64], inner: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    begin = arrays["surrogate_begin"]
    if len(begin) == 0:
        return {name: arrays[name] for name in ("surrogate_begin", *SURROGATE_ARRAYS)}
    counts = np.diff(begin)
    keeps_own = np.zeros(len(counts), dtype=np.bool_)
    keeps_own[kept[inner]] = True
    chosen = np.repeat(keeps_own, counts)
    new_begin = np.concatenate([[0], np.cumsum(np.where(inner, counts[kept], 0))]).astype(np.int64)
    return {"surrogate_begin": new_begin, **{name: arrays[name][chosen] for name in SURROGATE_ARRAYS}}


def _kept_candidates(
    arrays: dict[str, NDArray[Any]], kept: NDArray[np.int64], inner: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    new_id = np.full(len(arrays["kind"]), -1, dtype=np.int32)
    new_id[kept[inner]] = np.flatnonzero(inner)
    node = new_id[arrays["candidate_node"]]
    return {**{name: arrays[name][node >= 0] for name in CANDIDATE_ARRAYS}, "candidate_node": node[node >= 0]}


def _kept_tables(tables: NDArray[np.uint32], arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Copy the tables that are still used to the front and return the arrays that point to them."""
    pieces: list[NDArray[np.uint32]] = []
    position = 0
    moved: dict[str, NDArray[Any]] = {}
    for name in ("table", "surrogate_table", "candidate_table"):
        offsets = arrays[name].copy()
        for i in np.flatnonzero(offsets >= 0):
            length = 2 + int(tables[offsets[i] + 1])
            pieces.append(tables[offsets[i] : offsets[i] + length])
            offsets[i] = position
            position += length
        moved[name] = offsets
    moved["tables"] = np.concatenate(pieces) if pieces else tables[:0]
    return moved
