"""Invariants of tree arrays, checked with NumPy: what a model file must fulfil before anything walks over it.

The native `check_tree` checks the same; this one needs no compiled code and accepts arrays of any content.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.model.arrays import (
    CANDIDATE_ARRAYS,
    KIND_LEAF,
    KIND_MULTIWAY,
    KIND_SUBSET,
    KIND_THRESHOLD,
    NODE_ARRAYS,
    STOP_HERE,
    SURROGATE_ARRAYS,
    TREE_ARRAYS,
    TreeArrays,
    child_ids,
)

__all__ = ["check_arrays"]

MAX_NODES = 2**31 - 1


def check_arrays(arrays: TreeArrays, n_codes: NDArray[np.uint32]) -> None:
    """Raise ValueError, with a sentence, when the arrays are not a tree over these features.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        All arrays of `treewright.model.arrays.TREE_ARRAYS`.
    n_codes : ndarray of uint32
        Number of categories of each feature, 0 for a numeric one.
    """
    _check_shapes(arrays)
    _check_links(arrays)
    _check_tests(arrays, n_codes)
    _check_numbers(arrays)
    _check_surrogates(arrays, n_codes)
    _check_candidates(arrays, n_codes)
    _check_tables(arrays["tables"], _tests_of_categories(arrays, n_codes))


def _check_shapes(arrays: TreeArrays) -> None:
    if set(arrays) != set(TREE_ARRAYS):
        wrong = sorted(set(arrays) ^ set(TREE_ARRAYS))
        raise ValueError(f"the set of tree arrays is wrong: {', '.join(wrong)}")
    for name, dtype in TREE_ARRAYS.items():
        if arrays[name].dtype != np.dtype(dtype):
            raise ValueError(f"array '{name}' has dtype {arrays[name].dtype}, expected {np.dtype(dtype)}")
        if arrays[name].ndim != (2 if name == "value" else 1):
            raise ValueError(f"array '{name}' has {arrays[name].ndim} dimensions")
    n_nodes = len(arrays["kind"])
    if not 1 <= n_nodes <= MAX_NODES:
        raise ValueError(f"a tree needs at least one and at most {MAX_NODES} nodes, not {n_nodes}")
    for name in NODE_ARRAYS:
        if len(arrays[name]) != n_nodes:
            raise ValueError(f"array '{name}' has {len(arrays[name])} entries for {n_nodes} nodes")
    if arrays["value"].shape[1] < 1:
        raise ValueError("array 'value' has no output")
    n_surrogates = len(arrays["surrogate_feature"])
    for name in SURROGATE_ARRAYS:
        if len(arrays[name]) != n_surrogates:
            raise ValueError(f"array '{name}' has {len(arrays[name])} entries for {n_surrogates} surrogates")
    n_candidates = len(arrays["candidate_node"])
    for name in CANDIDATE_ARRAYS:
        if len(arrays[name]) != n_candidates:
            raise ValueError(f"array '{name}' has {len(arrays[name])} entries for {n_candidates} candidates")


def _check_links(arrays: TreeArrays) -> None:
    kind, first_child = arrays["kind"], arrays["first_child"]
    n_children = arrays["n_children"].astype(np.int64)
    n_nodes = len(kind)
    leaf = kind == KIND_LEAF
    _refuse(kind > KIND_MULTIWAY, "node {} has an unknown kind")
    _refuse(leaf & (n_children != 0), "leaf {} has children")
    _refuse(leaf & (first_child != -1), "leaf {} names a first child")
    _refuse(~leaf & (n_children < 1), "node {} has no children")
    _refuse(
        (kind != KIND_MULTIWAY) & ~leaf & (n_children != 2), "node {} has a binary test but not two children"
    )
    # With parents before children there can be no cycle, and with one parent each no node is shared or lost.
    _refuse(~leaf & (first_child <= np.arange(n_nodes)), "node {} stands after one of its children")
    _refuse(~leaf & (first_child + n_children > n_nodes), "node {} has a child beyond the last node")
    if int(n_children.sum()) != n_nodes - 1:
        raise ValueError(f"the tree has {n_nodes} nodes but {int(n_children.sum())} links")
    _, children = child_ids(arrays)
    parents = np.bincount(children, minlength=n_nodes)
    _refuse(parents != (np.arange(n_nodes) > 0), "node {} does not have exactly one parent")


def _check_tests(arrays: TreeArrays, n_codes: NDArray[np.uint32]) -> None:
    kind, feature = arrays["kind"], arrays["feature"]
    inner = kind != KIND_LEAF
    _refuse(
        inner & ((feature < 0) | (feature >= len(n_codes))), "node {} tests a feature that does not exist"
    )
    _refuse(~inner & (feature != -1), "leaf {} tests a feature")
    without_threshold = np.isnan(arrays["threshold"])
    _refuse((kind == KIND_THRESHOLD) & without_threshold, "node {} has no threshold")
    _refuse((kind != KIND_THRESHOLD) & ~without_threshold, "node {} has a threshold that it does not use")
    _refuse((kind <= KIND_THRESHOLD) & (arrays["table"] != -1), "node {} has a table that it does not use")
    missing = arrays["missing"]
    _refuse(~inner & (missing != 0), "leaf {} has a branch for missing values")
    _refuse(~inner & (arrays["gain"] != 0), "leaf {} has a gain")
    _refuse(
        inner & (missing >= arrays["n_children"]) & (missing < STOP_HERE),
        "node {} sends missing values to a branch that does not exist",
    )
    tabled = np.flatnonzero((kind == KIND_SUBSET) | (kind == KIND_MULTIWAY))
    _refuse_at(tabled, n_codes[feature[tabled]] == 0, "node {} tests categories of a numeric feature")


class _Tests(NamedTuple):
    """Tests of categories: those of nodes, then those of surrogates and of candidates."""

    node: NDArray[np.int64]
    kind: NDArray[np.uint8]
    n_codes: NDArray[np.uint32]
    offset: NDArray[np.int64]
    n_branches: NDArray[np.uint32]


def _tests_of_categories(arrays: TreeArrays, n_codes: NDArray[np.uint32]) -> _Tests:
    nodes = np.flatnonzero(arrays["kind"] >= KIND_SUBSET)
    surrogates = np.flatnonzero(arrays["surrogate_kind"] == KIND_SUBSET)
    owners = _surrogate_owners(arrays)[surrogates]
    candidates = np.flatnonzero(arrays["candidate_table"] != -1)

    def joined(node: str, surrogate: str, candidate: str) -> NDArray[Any]:
        return np.concatenate(
            [arrays[node][nodes], arrays[surrogate][surrogates], arrays[candidate][candidates]]
        )

    return _Tests(
        node=np.concatenate([nodes, owners, arrays["candidate_node"][candidates].astype(np.int64)]),
        kind=joined("kind", "surrogate_kind", "candidate_kind"),
        n_codes=n_codes[joined("feature", "surrogate_feature", "candidate_feature")],
        offset=joined("table", "surrogate_table", "candidate_table"),
        n_branches=np.concatenate(
            [
                arrays["n_children"][nodes],
                np.full(len(surrogates), 2, np.uint32),
                arrays["candidate_branches"][candidates],
            ]
        ),
    )


def _check_tables(tables: NDArray[np.uint32], tests: _Tests) -> None:
    node, offset = tests.node, tests.offset
    _refuse_at(node, (offset < 0) | (offset > len(tables) - 2), "node {} has its table outside the tables")
    table_format, length = tables[offset], tables[offset + 1].astype(np.int64)
    _refuse_at(node, offset + 2 + length > len(tables), "node {} has a table that ends outside the tables")
    # Tables may not share words: otherwise a small file could demand endless checking.
    order = np.argsort(offset, kind="stable")
    start, end = offset[order], (offset + 2 + length)[order]
    _refuse_at(node[order][1:], start[1:] < end[:-1], "node {} has a table that overlaps another one")
    _refuse_at(node, table_format > 4, "node {} has a table of unknown format")
    multiway = tests.kind == KIND_MULTIWAY
    _refuse_at(node, multiway != np.isin(table_format, (2, 4)), "node {} has a table of the wrong format")
    _refuse_at(node, multiway & (length == 0), "node {} has an empty table")
    _refuse_at(node, (table_format == 4) & (length % 2 == 0), "node {} has a table of pairs of even length")
    for i in np.flatnonzero(table_format > 0):
        entries = tables[offset[i] + 2 : offset[i] + 2 + length[i]]
        n_listed = {2: 0, 4: len(entries) // 2}.get(int(table_format[i]), len(entries))
        listed, branches = entries[:n_listed], entries[n_listed:]
        if not ((branches < tests.n_branches[i]) | (branches >= STOP_HERE)).all():
            raise ValueError(f"node {node[i]} sends a category to a branch that does not exist")
        if not (listed[1:] > listed[:-1]).all():
            raise ValueError(f"node {node[i]} has a category list that is not ascending")
        if len(listed) and listed[-1] > int(tests.n_codes[i]) + 1:
            raise ValueError(f"node {node[i]} lists a category that does not exist")


def _check_numbers(arrays: TreeArrays) -> None:
    _refuse(np.isfinite(arrays["value"]).min(axis=1) == 0, "node {} has a value that is not a finite number")
    _refuse(~np.isfinite(arrays["weight"]), "node {} has a weight that is not a finite number")
    for name in ("loss", "gain"):
        # NaN: not known, as in a tree of numbers that was part of a forest.
        _refuse(np.isinf(arrays[name]), f"node {{}} has an infinite {name}")
    _refuse(arrays["rows"] < 0, "node {} has a negative number of rows")
    _refuse(arrays["weight"] < 0, "node {} has a negative weight")


def _check_surrogates(arrays: TreeArrays, n_codes: NDArray[np.uint32]) -> None:
    begin, feature = arrays["surrogate_begin"], arrays["surrogate_feature"]
    kind = arrays["surrogate_kind"]
    if len(begin) == 0:
        if len(feature):
            raise ValueError("there are surrogates, but no node owns them")
        return
    n_nodes = len(arrays["kind"])
    if (
        len(begin) != n_nodes + 1
        or begin[0] != 0
        or begin[-1] != len(feature)
        or (begin[1:] < begin[:-1]).any()
    ):
        raise ValueError("array 'surrogate_begin' does not divide the surrogates among the nodes")
    owner = _surrogate_owners(arrays)
    _refuse_at(owner, arrays["n_children"][owner] != 2, "node {} has surrogates but no binary test")
    _refuse_at(
        owner, (feature < 0) | (feature >= len(n_codes)), "node {} has a surrogate on an unknown feature"
    )
    _refuse_at(
        owner, (kind != KIND_THRESHOLD) & (kind != KIND_SUBSET), "node {} has a surrogate of unknown kind"
    )
    threshold = arrays["surrogate_threshold"]
    _refuse_at(
        owner, (kind == KIND_THRESHOLD) & np.isnan(threshold), "node {} has a surrogate without threshold"
    )
    _refuse_at(owner, arrays["surrogate_flip"] > 1, "node {} has a surrogate whose flip is neither 0 nor 1")
    agreement = arrays["surrogate_agreement"]
    _refuse_at(
        owner, ~((agreement >= 0) & (agreement <= 1)), "node {} has a surrogate with an impossible agreement"
    )
    subset = kind == KIND_SUBSET
    _refuse_at(
        owner, subset & (n_codes[feature] == 0), "node {} has a category surrogate on a numeric feature"
    )
    _refuse_at(
        owner, subset & ~np.isnan(threshold), "node {} has a surrogate with a threshold that it does not use"
    )
    _refuse_at(
        owner, ~subset & (arrays["surrogate_table"] != -1), "node {} has a surrogate with an unused table"
    )


def _check_candidates(arrays: TreeArrays, n_codes: NDArray[np.uint32]) -> None:
    node, kind = arrays["candidate_node"].astype(np.int64), arrays["candidate_kind"]
    feature, branches = arrays["candidate_feature"], arrays["candidate_branches"].astype(np.int64)
    if len(node) == 0:
        return
    if node[0] < 0 or node[-1] >= len(arrays["kind"]) or (node[1:] < node[:-1]).any():
        raise ValueError("array 'candidate_node' does not name nodes in ascending order")
    _refuse_at(node, arrays["kind"][node] == KIND_LEAF, "leaf {} has candidates")
    _refuse_at(node, (kind == KIND_LEAF) | (kind > KIND_MULTIWAY), "node {} has a candidate of unknown kind")
    _refuse_at(
        node, (feature < 0) | (feature >= len(n_codes)), "node {} has a candidate on an unknown feature"
    )
    threshold, table = arrays["candidate_threshold"], arrays["candidate_table"]
    is_threshold, multiway = kind == KIND_THRESHOLD, kind == KIND_MULTIWAY
    _refuse_at(
        node, is_threshold == np.isnan(threshold), "node {} has a candidate with a threshold too many or few"
    )
    _refuse_at(node, is_threshold & (table != -1), "node {} has a candidate with an unused table")
    _refuse_at(node, (kind == KIND_SUBSET) & (table == -1), "node {} has a candidate without a table")
    codes = n_codes[feature].astype(np.int64)
    _refuse_at(node, ~is_threshold & (codes == 0), "node {} has a category candidate on a numeric feature")
    possible = np.where(multiway, (branches >= 1) & (branches <= codes + 2), branches == 2)
    _refuse_at(node, ~possible, "node {} has a candidate with an impossible number of branches")
    sides = (arrays["candidate_left"] >= 0) & (arrays["candidate_right"] >= 0)
    _refuse_at(node, ~multiway & ~sides, "node {} has a candidate whose branches weigh less than nothing")
    numbers = np.isfinite(arrays["candidate_gain"]) & np.isfinite(arrays["candidate_split_info"])
    numbers &= ~np.isnan(arrays["candidate_least_gain"])
    _refuse_at(node, ~numbers, "node {} has a candidate whose gain is not a number")


def _surrogate_owners(arrays: TreeArrays) -> NDArray[np.int64]:
    begin = arrays["surrogate_begin"]
    return np.searchsorted(begin, np.arange(len(arrays["surrogate_feature"])), side="right") - 1


def _refuse(wrong: NDArray[np.bool_], sentence: str) -> None:
    if wrong.any():
        raise ValueError(sentence.format(int(np.argmax(wrong))))


def _refuse_at(nodes: NDArray[np.int64], wrong: NDArray[np.bool_], sentence: str) -> None:
    if wrong.any():
        raise ValueError(sentence.format(int(nodes[np.argmax(wrong)])))
