"""The arrays of XGBoost's trees as `PeerTrees`: float32 numbers, ``<``, listed categories to the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.imported.assembly import CategorySets, PeerTrees
from treewright.imported.faults import fault, unsupported
from treewright.imported.fields import number_list, sub_object, whole_number
from treewright.program.floats import at_most_below_single

__all__ = ["category_lists", "xgboost_trees"]

Ints = NDArray[np.int64]


def category_lists(trees: Sequence[dict[str, Any]]) -> dict[int, list[int]]:
    """Return the categories that tests of each feature name, ascending.

    Parameters
    ----------
    trees : sequence of dict
        The trees of a file.
    """
    found: dict[int, set[int]] = {}
    for number, tree in enumerate(trees):
        feature = number_list(tree, "split_indices", f"tree {number}", np.int64)
        for node, values in _sets_of(tree, number, len(feature)):
            found.setdefault(int(feature[node]), set()).update(values.tolist())
    return {feature: sorted(values) for feature, values in found.items()}


def _sets_of(tree: dict[str, Any], number: int, n_nodes: int) -> list[tuple[int, Ints]]:
    """Return the nodes of a tree that test categories, ascending, each with what it sends right."""
    if not len(tree.get("categories_nodes", ())):
        return []
    where = f"tree {number}"
    nodes = number_list(tree, "categories_nodes", where, np.int64)
    begin = number_list(tree, "categories_segments", where, np.int64, len(nodes))
    size = number_list(tree, "categories_sizes", where, np.int64, len(nodes))
    values = number_list(tree, "categories", where, np.int64)
    if (nodes < 0).any() or (nodes >= n_nodes).any() or (np.diff(nodes) <= 0).any():
        fault(where, "categories_nodes does not name nodes in their order")
    if (begin < 0).any() or (size < 0).any() or (begin + size > len(values)).any() or (values < 0).any():
        fault(where, "categories_segments and categories_sizes do not divide the categories")
    if size.sum() > len(values):
        fault(where, "sets of categories overlap")
    return [(int(n), np.unique(values[b : b + s])) for n, b, s in zip(nodes, begin, size, strict=True)]


def xgboost_trees(
    trees: Sequence[dict[str, Any]],
    weights: NDArray[np.float32],
    codes: dict[int, Ints],
    numbers: Ints,
) -> PeerTrees:
    """Return the trees.

    Parameters
    ----------
    trees : sequence of dict
        The trees of a file, which may hold anything.
    weights : ndarray of float32
        What the leaves of each are multiplied with (DART).
    codes : dict of int to ndarray
        The categories of columns, ascending.
    numbers : ndarray of int64
        What messages call each tree.
    """
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in FIELDS}
    sizes: list[int] = []
    n_before = 0
    set_nodes: list[int] = []
    set_codes: list[NDArray[np.uint32]] = []
    for tree, number in zip(trees, numbers.tolist(), strict=True):
        where = f"tree {number}"
        if whole_number(sub_object(tree, "tree_param", where), "size_leaf_vector", where, 0) > 1:
            unsupported(f"{where} has leaves of several numbers (multi_strategy), which cannot be imported")
        n = len(number_list(tree, "left_children", where, np.int64))
        for name, (dtype, optional) in FIELDS.items():
            columns[name].append(number_list(tree, name, where, dtype, n, optional))
        feature, by_set = columns["split_indices"][-1], columns["split_type"][-1] != 0
        inner = columns["left_children"][-1] >= 0
        found = [(node, values) for node, values in _sets_of(tree, number, n) if inner[node]]
        if sorted(node for node, _ in found) != np.flatnonzero(by_set & inner).tolist():
            fault(where, "split_type and categories_nodes name different nodes")
        for one in np.unique(feature[inner & ~by_set]).tolist():
            if one in codes:
                unsupported(f"feature {one} is tested as a category by some trees and as a number by others")
        for node, values in found:
            known = codes[int(feature[node])]
            place = np.searchsorted(known, values)
            if (place >= len(known)).any() or (known[place] != values).any():
                fault(f"{where}, node {node}", "it names a category that does not exist")
            set_nodes.append(n_before + node)
            set_codes.append((place + 1).astype(np.uint32))
        sizes.append(n)
        n_before += n
    begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    left, right = joined["left_children"], joined["right_children"]
    inner = left >= 0
    number_of = joined["split_conditions"]  # the threshold of a test, the value of a leaf
    lengths = np.array([len(one) for one in set_codes], dtype=np.int64)
    all_codes = np.concatenate(set_codes) if set_codes else np.zeros(0, np.uint32)
    is_left = np.zeros(len(set_nodes), np.bool_)
    return PeerTrees(
        begin=begin,
        left=left,
        right=np.where(inner | (right >= 0), right, -1),
        feature=joined["split_indices"],
        threshold=at_most_below_single(np.where(inner, number_of, np.float32(0.0)).astype(np.float32)),
        missing_right=joined["default_left"] == 0,
        value=np.where(inner, 0.0, number_of * np.repeat(weights, sizes)).astype(np.float64),
        weight=joined["sum_hessian"].astype(np.float64),
        rows=np.zeros(len(left), dtype=np.int64),
        number=np.arange(len(left)) - np.repeat(begin[:-1], sizes),
        gain=np.maximum(joined["loss_changes"].astype(np.float64), 0.0),
        sets=CategorySets.of_codes(np.array(set_nodes, dtype=np.int64), all_codes, lengths, is_left),
    )


# The fields of a tree: their types, and whether older versions lack them.
FIELDS: dict[str, tuple[Any, bool]] = {
    "left_children": (np.int64, False),
    "right_children": (np.int64, False),
    "split_indices": (np.int64, False),
    "split_conditions": (np.float32, False),
    "default_left": (np.int64, False),
    "split_type": (np.int64, True),
    "sum_hessian": (np.float32, True),
    "loss_changes": (np.float32, True),
}
