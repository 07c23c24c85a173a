"""Steps: one tree as tests, ways and values. Nodes are numbered; children of a node follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from treewright.model.arrays import EVERY_BRANCH, KIND_LEAF, KIND_THRESHOLD, STOP_HERE
from treewright.model.split import branches_of_codes
from treewright.model.tree import Tree, node_depths

__all__ = ["EVERY_WAY", "NO_WAY", "Steps", "Substitute", "steps_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Instead of a branch: the row goes down every branch with its share, or ends at the node.
EVERY_WAY: Final = -1
NO_WAY: Final = -2


@dataclass(frozen=True, eq=False)
class Substitute:
    """A test that stands in for the node's own when the tested value is missing.

    Attributes
    ----------
    feature : int
        The column it looks at; it says nothing when that is missing or was never seen.
    threshold : float
        Of a number; NaN for categories.
    ways : ndarray or None
        Of categories: the branch of code 1, 2, …
    below, above : int
        Branches of a number up to the threshold, and beyond it.
    """

    feature: int
    threshold: float
    ways: Ints | None
    below: int = 0
    above: int = 1


@dataclass(frozen=True, eq=False)
class Steps:
    """One tree.

    Attributes
    ----------
    feature : ndarray of int
        The column that a node looks at, -1 for a leaf.
    threshold : ndarray of float64
        A number (or the code of an ordered category) up to it takes branch 0, others branch 1; NaN where
        categories are looked up.
    first_child, n_children : ndarray of int
        Branch b leads to ``first_child + b``.
    missing : ndarray of int
        Branch of a missing value, `EVERY_WAY` or `NO_WAY`.
    ways : mapping of int to ndarray
        Of nodes that look categories up: the branch of code 1, 2, … and, last, of a category never seen;
        `EVERY_WAY` and `NO_WAY` among them.
    shares : mapping of int to ndarray
        Of nodes with `EVERY_WAY`: the share of each branch. Where all are 0 the row ends at the node.
    substitutes : mapping of int to tuple of Substitute
        Asked in this order when the value is missing, before `missing`.
    values : ndarray of shape (n_nodes, n_values)
        What a row that ends at a node counts.
    """

    feature: Ints
    threshold: Floats
    first_child: Ints
    n_children: Ints
    missing: Ints
    ways: Mapping[int, Ints]
    shares: Mapping[int, Floats]
    substitutes: Mapping[int, tuple[Substitute, ...]]
    values: Floats

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def n_values(self) -> int:
        """Numbers per node."""
        return int(self.values.shape[1])

    @property
    def mixes(self) -> bool:
        """Whether a row may go down several branches."""
        return bool(self.shares)

    @cached_property
    def ends(self) -> Ints:
        """The nodes where a row can end: leaves, and those with `NO_WAY`."""
        stops = self.feature < 0
        stops[self.missing == NO_WAY] = True
        for node, ways in self.ways.items():
            if (ways == NO_WAY).any():
                stops[node] = True
        for node, shares in self.shares.items():
            if not (shares > 0).any():
                stops[node] = True
        return np.flatnonzero(stops)

    @cached_property
    def depths(self) -> Ints:
        """Depth of every node, 0 for the root."""
        return node_depths(
            {"kind": self.feature, "n_children": self.n_children, "first_child": self.first_child}
        )

    def children(self, node: int) -> range:
        """Return the nodes below a node."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))


def steps_of(tree: Tree, values: Floats | None = None) -> Steps:
    """Return a tree as steps.

    Parameters
    ----------
    tree : Tree
        The tree.
    values : ndarray, optional
        What a row counts at each node, instead of the tree's own values.
    """
    arrays = tree.to_arrays()
    kind = arrays["kind"]
    inner = kind != KIND_LEAF
    feature = np.where(inner, arrays["feature"].astype(np.int64), -1)
    ways: dict[int, Ints] = {}
    for node in np.flatnonzero(inner & (kind != KIND_THRESHOLD)).tolist():
        ways[node] = _ways(tree, int(arrays["table"][node]), int(arrays["feature"][node]))
    missing = np.where(inner, _branches(arrays["missing"]), 0)
    shares: dict[int, Floats] = {}
    weight = arrays["weight"]
    shared = set(np.flatnonzero(missing == EVERY_WAY).tolist())
    shared.update(node for node in ways if (ways[node] == EVERY_WAY).any())
    for node in sorted(shared):
        first, count = int(arrays["first_child"][node]), int(arrays["n_children"][node])
        below = weight[first : first + count]
        whole = weight[node]
        shares[node] = np.where((below > 0) & (whole > 0), below / (whole if whole > 0 else 1.0), 0.0)
    return Steps(
        feature=feature,
        threshold=np.where(kind == KIND_THRESHOLD, arrays["threshold"], np.nan),
        first_child=arrays["first_child"].astype(np.int64),
        n_children=arrays["n_children"].astype(np.int64),
        missing=missing,
        ways=ways,
        shares=shares,
        substitutes=_substitutes(tree, arrays),
        values=np.array(arrays["value"] if values is None else values, dtype=np.float64),
    )


def _branches(entries: NDArray[Any]) -> Ints:
    found = entries.astype(np.int64)
    found[entries == EVERY_BRANCH] = EVERY_WAY
    found[entries == STOP_HERE] = NO_WAY
    return found


def _ways(tree: Tree, table: int, feature: int) -> Ints:
    codes = np.arange(1, int(tree.n_codes[feature]) + 2)
    return _branches(branches_of_codes(tree.to_arrays()["tables"], table, codes))


def _substitutes(tree: Tree, arrays: Mapping[str, NDArray[Any]]) -> dict[int, tuple[Substitute, ...]]:
    begin = arrays["surrogate_begin"]
    found: dict[int, tuple[Substitute, ...]] = {}
    if not len(arrays["surrogate_feature"]):
        return found
    for node in np.flatnonzero(np.diff(begin)).tolist():
        tests = []
        for i in range(int(begin[node]), int(begin[node + 1])):
            feature, flip = int(arrays["surrogate_feature"][i]), int(arrays["surrogate_flip"][i])
            if arrays["surrogate_kind"][i] == KIND_THRESHOLD:
                threshold = float(arrays["surrogate_threshold"][i])
                tests.append(Substitute(feature, threshold, None, flip, 1 - flip))
            else:
                ways = _ways(tree, int(arrays["surrogate_table"][i]), feature)[:-1] ^ flip
                tests.append(Substitute(feature, float("nan"), ways))
        found[node] = tuple(tests)
    return found
