"""Invariants of forest arrays, checked with NumPy for all trees at once: what a model file must fulfil.

The native core checks the same when it reads a forest; this one accepts arrays of any content.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.model.forest_arrays import (
    FOREST_ARRAYS,
    FOREST_LEAF,
    FOREST_MISSING,
    FOREST_NODE_ARRAYS,
    FOREST_OPTIONAL,
    FOREST_SUBSET,
    FOREST_WIDE,
    ForestArrays,
    own_ids,
)

__all__ = ["check_forest_arrays"]

MAX_NODES = 2**31 - 1
# Layouts of tables with two branches: a bit set, a list of branch 1, a list of branch 0.
BITS, LIST, LIST_LEFT = 0, 1, 3


def check_forest_arrays(arrays: ForestArrays, n_codes: NDArray[np.uint32]) -> None:
    """Raise ValueError, with a sentence, when the arrays are not a forest over these features.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        All arrays of `treewright.model.forest_arrays.FOREST_ARRAYS`, and any of `FOREST_OPTIONAL`.
    n_codes : ndarray of uint32
        Number of categories of each feature, 0 for a numeric one.
    """
    _check_shapes(arrays)
    _check_begin(arrays["begin"], len(arrays["feature"]))
    _check_links(arrays)
    _check_tests(arrays, n_codes)
    _check_leaves(arrays)
    _check_tables(arrays, n_codes)


def _check_shapes(arrays: ForestArrays) -> None:
    present = set(arrays) - set(FOREST_OPTIONAL)
    if present != set(FOREST_ARRAYS):
        wrong = sorted(present ^ set(FOREST_ARRAYS))
        raise ValueError(f"the set of forest arrays is wrong: {', '.join(wrong)}")
    optional = {name: dtype for name, dtype in FOREST_OPTIONAL.items() if name in arrays}
    for name, dtype in {**FOREST_ARRAYS, **optional}.items():
        allowed = (dtype, FOREST_WIDE) if name == "feature" else (dtype,)
        if arrays[name].dtype not in [np.dtype(one) for one in allowed]:
            raise ValueError(f"array '{name}' has dtype {arrays[name].dtype}, expected {np.dtype(dtype)}")
        if arrays[name].ndim != (2 if name == "distributions" else 1):
            raise ValueError(f"array '{name}' has {arrays[name].ndim} dimensions")
    n_nodes = len(arrays["feature"])
    for name in (*FOREST_NODE_ARRAYS, *optional):
        if len(arrays[name]) != n_nodes:
            raise ValueError(f"array '{name}' has {len(arrays[name])} entries for {n_nodes} nodes")
    n_distinct, n_values = arrays["distributions"].shape
    if n_values < 1 or (n_distinct == 0 and n_values != 1):
        raise ValueError("array 'distributions' has no class")


def _check_begin(begin: NDArray[np.int64], n_nodes: int) -> None:
    if len(begin) < 2:
        raise ValueError("the forest has no tree")
    if begin[0] != 0 or begin[-1] != n_nodes or (begin[1:] <= begin[:-1]).any():
        raise ValueError("array 'begin' does not divide the nodes among the trees")
    if (np.diff(begin) > MAX_NODES).any():
        raise ValueError(f"a tree has more than {MAX_NODES} nodes")


def _check_links(arrays: ForestArrays) -> None:
    begin, feature = arrays["begin"], arrays["feature"]
    inner = feature != FOREST_LEAF
    child = arrays["child"].astype(np.int64)
    ids = own_ids(begin)
    sizes = np.repeat(np.diff(begin), np.diff(begin))
    # With parents before children there can be no cycle, and with one parent each no node is shared or lost.
    _refuse(arrays, inner & (child <= ids), "stands after one of its children")
    _refuse(arrays, inner & (child + 2 > sizes), "has a child beyond the last node of its tree")
    first = child[inner] + np.repeat(begin[:-1], np.diff(begin))[inner]
    parents = np.bincount(first, minlength=len(feature)) + np.bincount(first + 1, minlength=len(feature))
    _refuse(arrays, parents != (ids > 0), "does not have exactly one parent")


def _check_tests(arrays: ForestArrays, n_codes: NDArray[np.uint32]) -> None:
    feature, flags, number = arrays["feature"], arrays["flags"], arrays["number"]
    inner = feature != FOREST_LEAF
    _refuse(
        arrays, inner & ((feature < 0) | (feature >= len(n_codes))), "tests a feature that does not exist"
    )
    _refuse(arrays, flags > FOREST_MISSING | FOREST_SUBSET, "has an unknown flag")
    _refuse(arrays, ~inner & (flags != 0), "is a leaf, but has flags of a test")
    _refuse(arrays, np.isnan(number), "has a number that is not one")
    subset = np.flatnonzero(flags & FOREST_SUBSET)
    numeric = np.zeros(len(feature), dtype=np.bool_)
    numeric[subset] = n_codes[feature[subset]] == 0
    _refuse(arrays, numeric, "tests categories of a numeric feature")


def _check_leaves(arrays: ForestArrays) -> None:
    leaf = arrays["feature"] == FOREST_LEAF
    child, number, weight = arrays["child"], arrays["number"], arrays["weight"]
    n_distinct = len(arrays["distributions"])
    if n_distinct:
        _refuse(arrays, leaf & (child >= n_distinct), "has a class distribution that does not exist")
        _refuse(arrays, leaf & (number != 0), "has a number beside its class distribution")
    else:
        _refuse(arrays, leaf & (child != 0), "has a class distribution in a forest without classes")
        _refuse(arrays, leaf & ~np.isfinite(number), "has a value that is not a finite number")
    shares = arrays["distributions"]
    if not (np.isfinite(shares) & (shares >= 0)).all():
        raise ValueError("a class distribution holds something else than shares")
    impossible = ~(np.isfinite(weight) & (weight >= 0))
    _refuse(arrays, impossible, "has a weight that is not a finite number of at least 0")
    if "gradient" in arrays:
        _refuse(arrays, ~np.isfinite(arrays["gradient"]), "has a gradient that is not a finite number")


def _check_tables(arrays: ForestArrays, n_codes: NDArray[np.uint32]) -> None:
    tables = arrays["tables"]
    nodes = np.flatnonzero(arrays["flags"] & FOREST_SUBSET)
    number = arrays["number"][nodes]
    # Compared as floats first: what is not a whole number within the tables is not converted.
    outside = ~((number >= 0) & (number <= len(tables) - 2) & (number == np.floor(number)))
    _refuse_at(arrays, nodes, outside, "has its table outside the tables")
    offset = number.astype(np.int64)
    layout, length = tables[offset], tables[offset + 1].astype(np.int64)
    end = offset + 2 + length
    _refuse_at(arrays, nodes, end > len(tables), "has a table that ends outside the tables")
    # Tables may not share words: otherwise a small file could demand endless checking.
    order = np.argsort(offset, kind="stable")
    overlap = offset[order][1:] < end[order][:-1]
    _refuse_at(arrays, nodes[order][1:], overlap, "has a table that overlaps another one")
    _refuse_at(arrays, nodes, ~np.isin(layout, (BITS, LIST, LIST_LEFT)), "has a table of unknown format")
    lists = np.flatnonzero(layout != BITS)
    owner = np.repeat(lists, length[lists])
    before = np.cumsum(length[lists]) - length[lists]
    place = np.arange(len(owner)) - np.repeat(before, length[lists]) + offset[owner] + 2
    codes = tables[place].astype(np.int64)
    same = owner[1:] == owner[:-1]
    _refuse_at(
        arrays,
        nodes[owner[1:]],
        same & (codes[1:] <= codes[:-1]),
        "has a category list that is not ascending",
    )
    most = n_codes[arrays["feature"][nodes[owner]]].astype(np.int64) + 1
    _refuse_at(arrays, nodes[owner], codes > most, "lists a category that does not exist")


def _refuse(arrays: ForestArrays, wrong: NDArray[np.bool_], fault: str) -> None:
    if wrong.any():
        _refuse_node(arrays, int(np.argmax(wrong)), fault)


def _refuse_at(arrays: ForestArrays, nodes: NDArray[np.int64], wrong: NDArray[np.bool_], fault: str) -> None:
    if wrong.any():
        _refuse_node(arrays, int(nodes[np.argmax(wrong)]), fault)


def _refuse_node(arrays: ForestArrays, place: int, fault: str) -> None:
    begin = arrays["begin"]
    tree = int(np.searchsorted(begin, place, side="right")) - 1
    raise ValueError(f"node {place - int(begin[tree])} of tree {tree} {fault}")
