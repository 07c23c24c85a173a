"""Trees in the numbering of another library become a `Forest`: children adjacent, parents first.

The inner node with rank r among those of its tree gets its children at 1 + 2r and 2 + 2r. Where every parent
stands before its children, so it does afterwards, and no tree has to be walked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.imported.faults import fault
from treewright.model import Forest
from treewright.model.forest_arrays import FOREST_LEAF, FOREST_MISSING, FOREST_SUBSET, FOREST_WIDE

__all__ = ["CategorySets", "PeerTrees", "assemble"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_NARROW_FEATURES = 32767
MOST_WEIGHT = 3e38  # float32 numbers hold it
LIST_RIGHT, LIST_LEFT = 1, 3  # layouts of tables: the listed codes take branch 1, or branch 0


@dataclass(frozen=True)
class CategorySets:
    """Tests of categories, one table after the other.

    Attributes
    ----------
    nodes : ndarray of int64
        The nodes that test categories, counted over all trees, ascending.
    tables : ndarray of uint32
        Their tables in the same order, in the layout of `docs/model_format.md`.
    offsets : ndarray of int64
        Where each begins.
    """

    nodes: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    tables: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    offsets: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of_codes(
        cls, nodes: Ints, codes: NDArray[np.uint32], lengths: Ints, left: NDArray[np.bool_]
    ) -> CategorySets:
        """Return sets from their codes, ascending within each; `left` says of which they take branch 0."""
        if not len(nodes):
            return cls()
        offsets = np.concatenate([[0], np.cumsum(lengths + 2)[:-1]]).astype(np.int64)
        tables = np.empty(int((lengths + 2).sum()), dtype=np.uint32)
        tables[offsets] = np.where(left, LIST_LEFT, LIST_RIGHT)
        tables[offsets + 1] = lengths
        in_list = np.ones(len(tables), dtype=np.bool_)
        in_list[offsets] = in_list[offsets + 1] = False
        tables[in_list] = codes
        return cls(nodes, tables, offsets)


@dataclass(frozen=True)
class PeerTrees:
    """Trees as another library numbers their nodes: one entry per node, one tree after the other.

    Attributes
    ----------
    begin : ndarray of int64 of shape (n_trees + 1,)
        First node of each tree, the root, and the number of nodes.
    left, right : ndarray of int64
        Ids of the children within the tree; -1 for a leaf.
    feature : ndarray of int64
        What an inner node tests.
    threshold : ndarray of float64
        ``x <= threshold`` goes left.
    missing_right : ndarray of bool
        Where a missing value goes.
    value : ndarray of shape (n_nodes,) or (n_nodes, n_classes)
        The answers of leaves.
    weight, rows : ndarray
        Weight and number of the training rows of leaves; 0 where the library does not tell.
    number : ndarray of int64
        What the library calls the leaf.
    gain : ndarray of float64
        What the test of a node gained; 0 where the library does not tell.
    sets : CategorySets
        Tests of categories.
    """

    begin: Ints
    left: Ints
    right: Ints
    feature: Ints
    threshold: Floats
    missing_right: NDArray[np.bool_]
    value: Floats
    weight: Floats
    rows: Ints
    number: Ints
    gain: Floats
    sets: CategorySets = field(default_factory=CategorySets)


def assemble(
    trees: PeerTrees, n_codes: NDArray[np.uint32], criterion: str, *, spare_nodes: bool = False
) -> tuple[Forest, NDArray[np.int32]]:
    """Return the forest, and for each of its nodes what the other library calls it.

    Parameters
    ----------
    trees : PeerTrees
        From a file that may hold anything.
    n_codes : ndarray of uint32
        Number of categories of each feature, 0 for a numeric one.
    criterion : str
        What the trees were grown by, a name of `treewright.criteria`.
    spare_nodes : bool, default=False
        Whether leaves without a parent are left out (XGBoost keeps nodes that pruning has removed).
    """
    begin, sizes = trees.begin, np.diff(trees.begin)
    if len(sizes) < 1:
        fault("the model", "it has no tree")
    if (sizes < 1).any():
        fault(f"tree {int(np.argmin(sizes))}", "it has no node")
    tree = np.repeat(np.arange(len(sizes)), sizes)
    base = begin[tree]
    inner = _checked_links(trees, tree, base, len(n_codes))
    nodes = np.flatnonzero(inner)
    left, right = base[nodes] + trees.left[nodes], base[nodes] + trees.right[nodes]
    parents = np.bincount(np.concatenate([left, right]), minlength=len(tree))
    parents[begin[:-1]] += 1  # a root has none, and nobody else's child
    spare = (parents == 0) & ~inner if spare_nodes else np.zeros(len(tree), np.bool_)
    if (wrong := np.flatnonzero((parents != 1) & ~spare)).size:
        what = "it is the child of no node" if parents[wrong[0]] == 0 else "it is the child of two nodes"
        fault(_place(trees, int(wrong[0])), what)
    if ((left <= nodes) | (right <= nodes)).any():
        order = _topological(trees, tree, nodes, left, right)
        nodes, left, right = nodes[order], left[order], right[order]
    counts = np.bincount(tree[nodes], minlength=len(sizes))
    new_begin = np.concatenate([[0], np.cumsum(1 + 2 * counts)]).astype(np.int64)
    rank = np.arange(len(nodes)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = np.full(len(tree), -1, dtype=np.int64)
    place[begin[:-1]] = new_begin[:-1]
    place[left] = new_begin[tree[nodes]] + 1 + 2 * rank
    place[right] = new_begin[tree[nodes]] + 2 + 2 * rank
    kept = np.flatnonzero(place >= 0)
    leaves = kept[~inner[kept]]
    moved = place[nodes]
    n = int(new_begin[-1])
    wide = len(n_codes) > MOST_NARROW_FEATURES
    arrays: dict[str, NDArray[Any]] = {
        "begin": new_begin,
        "number": np.zeros(n),
        "child": np.zeros(n, dtype=np.uint32),
        "feature": np.full(n, FOREST_LEAF, dtype=FOREST_WIDE if wide else np.int16),
        "flags": np.zeros(n, dtype=np.uint8),
        "weight": np.zeros(n, dtype=np.float32),
        "rows": np.zeros(n, dtype=np.uint32),
        "tables": trees.sets.tables,
    }
    arrays["number"][moved] = trees.threshold[nodes]
    arrays["child"][moved] = 1 + 2 * rank
    arrays["feature"][moved] = trees.feature[nodes]
    arrays["flags"][moved] = np.where(trees.missing_right[nodes], FOREST_MISSING, 0)
    sizes_below = np.zeros((n, 2))
    sizes_below[place[leaves]] = np.column_stack([trees.weight[leaves], trees.rows[leaves]])
    sizes_below = _sums_below(sizes_below, moved, new_begin[tree[nodes]] + 1 + 2 * rank)
    if not sizes_below.max(initial=0.0) < MOST_WEIGHT:
        fault("the model", "the weights of its leaves are too large")
    arrays["weight"][:], arrays["rows"][:] = sizes_below[:, 0], np.minimum(sizes_below[:, 1], 2**32 - 1)
    if len(trees.sets.nodes):
        of_sets = place[trees.sets.nodes]
        arrays["number"][of_sets] = trees.sets.offsets
        arrays["flags"][of_sets] |= FOREST_SUBSET
    if trees.value.ndim == 1:
        arrays["number"][place[leaves]] = trees.value[leaves]
        arrays["distributions"] = np.zeros((0, 1))
    else:
        arrays["distributions"], row = _distinct(trees.value[leaves])
        arrays["child"][place[leaves]] = row
    number = np.full(n, -1, dtype=np.int32)
    number[place[leaves]] = trees.number[leaves]
    return Forest.from_arrays(arrays, n_codes, criterion), number


def _sums_below(sums: Floats, inner: Ints, first: Ints) -> Floats:
    """Return for each node the sums of the leaves below it, whatever the library has rounded."""
    if len(sums) > 2**31 - 1:
        fault("the model", "it has too many nodes")
    first_child = np.full(len(sums), -1, dtype=np.int32)
    first_child[inner] = first
    n_children = np.zeros(len(sums), dtype=np.uint32)
    n_children[inner] = 2
    return _core.sum_subtrees(first_child, n_children, sums)


def _place(trees: PeerTrees, node: int) -> str:
    tree = int(np.searchsorted(trees.begin, node, side="right")) - 1
    return f"tree {tree}, node {node - int(trees.begin[tree])}"


def _checked_links(trees: PeerTrees, tree: Ints, base: Ints, n_features: int) -> NDArray[np.bool_]:
    """Return which nodes have children; refuse children and features that do not exist."""
    inner = trees.left >= 0
    size = np.diff(trees.begin)[tree]
    lost = (trees.left >= size) | (trees.right >= size) | ((trees.right >= 0) != inner)
    if lost.any():
        fault(_place(trees, int(np.argmax(lost))), "one of its children does not exist")
    unknown = inner & ((trees.feature < 0) | (trees.feature >= n_features))
    if unknown.any():
        node = int(np.argmax(unknown))
        known = f"the model has the features 0 to {n_features - 1}"
        fault(_place(trees, node), f"it tests feature {int(trees.feature[node])}, but {known}")
    no_number = inner & np.isnan(trees.threshold)
    no_number[trees.sets.nodes] = False
    if no_number.any():
        fault(_place(trees, int(np.argmax(no_number))), "its threshold is not a number")
    values = trees.value if trees.value.ndim == 1 else trees.value.sum(axis=1)
    no_value = ~inner & ~np.isfinite(values)
    if no_value.any():
        fault(_place(trees, int(np.argmax(no_value))), "the value of the leaf is not a finite number")
    no_weight = ~inner & ~(
        np.isfinite(trees.weight) & (trees.weight >= 0) & (trees.weight <= np.finfo(np.float32).max)
    )
    if no_weight.any():
        fault(_place(trees, int(np.argmax(no_weight))), "its weight is not a finite number of at least 0")
    return inner


def _topological(trees: PeerTrees, tree: Ints, nodes: Ints, left: Ints, right: Ints) -> Ints:
    """Return an order of the inner nodes, tree by tree, in which parents come before their children."""
    rank_of = dict(zip(nodes.tolist(), range(len(nodes)), strict=True))
    lefts, rights = left.tolist(), right.tolist()
    order: list[int] = []
    for root in trees.begin[:-1].tolist():
        waiting = [root]
        while waiting:
            rank = rank_of.get(waiting.pop())
            if rank is not None:
                order.append(rank)
                waiting += [rights[rank], lefts[rank]]
    if len(order) < len(nodes):
        # Everybody has one parent, so whoever cannot be reached is part of a circle.
        lost = np.setdiff1d(np.arange(len(nodes)), np.array(order, dtype=np.int64))
        fault(_place(trees, int(nodes[lost[0]])), "it is its own ancestor")
    return np.array(order, dtype=np.int64)


def _distinct(rows: Floats) -> tuple[Floats, Ints]:
    """Return the different rows, and which of them each row is."""
    rows = np.ascontiguousarray(rows)
    as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    return rows[first], group.astype(np.int64)
