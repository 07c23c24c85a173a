"""Node and TreeView: a tree as objects, for everything that prints, draws or explains.

Both are thin and made on demand; the numbers stay in the tree's arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treewright.model.arrays import KIND_LEAF, KIND_THRESHOLD, STOP_HERE
from treewright.model.number import LEAST_DIGITS, threshold_digits
from treewright.model.split import KIND_NAMES, Split, branches_of_codes
from treewright.model.tree import Tree, parent_ids

if TYPE_CHECKING:
    from treewright.data import Schema

__all__ = ["Node", "TreeView"]


class TreeView:
    """A tree together with the names of its features.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Names, kinds and categories of its features.
    """

    def __init__(self, tree: Tree, schema: Schema) -> None:
        self.tree = tree
        self.schema = schema
        self._arrays = tree.to_arrays()
        self._thresholds: dict[int, NDArray[np.float64]] = {}

    def __len__(self) -> int:
        return self.tree.node_count

    def __getitem__(self, node: int) -> Node:
        if not 0 <= node < len(self):
            raise IndexError(f"node {node} does not exist; the tree has the nodes 0 to {len(self) - 1}")
        return Node(self, int(node))

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, node) for node in range(len(self)))

    @property
    def root(self) -> Node:
        """The node every row starts at."""
        return Node(self, 0)

    def leaves(self) -> Iterator[Node]:
        """Yield the leaves, by id."""
        return (Node(self, int(node)) for node in np.flatnonzero(self.tree.kind == KIND_LEAF))

    def walk(self) -> Iterator[Node]:
        """Yield the nodes as they are read on paper: each one, then all below its first branch, and so on."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """Parent of every node, -1 for the root."""
        return parent_ids(self._arrays)

    def _digits(self, feature: int, threshold: float) -> int:
        """Return the digits that a threshold needs; only features that somebody asks for are looked at."""
        if feature not in self._thresholds:
            of_feature = (self.tree.feature == feature) & (self.tree.kind == KIND_THRESHOLD)
            self._thresholds[feature] = np.unique(self.tree.threshold[of_feature])
        return threshold_digits(threshold, self._thresholds[feature])

    def split_of(self, node: int) -> Split | None:
        """Return what a node tests, None for a leaf."""
        arrays = self._arrays
        kind = int(arrays["kind"][node])
        if kind == KIND_LEAF:
            return None
        index = int(arrays["feature"][node])
        feature = self.schema.features[index]
        threshold = float(arrays["threshold"][node])
        missing = int(arrays["missing"][node])
        of_codes = None
        if kind != KIND_THRESHOLD:
            codes = np.arange(1, len(feature.categories or ()) + 1)
            of_codes = branches_of_codes(arrays["tables"], int(arrays["table"][node]), codes)
        return Split(
            feature=feature,
            kind=KIND_NAMES[kind],
            n_branches=int(arrays["n_children"][node]),
            threshold=threshold,
            missing_branch=None if missing >= STOP_HERE else missing,
            code_branches=of_codes,
            digits=LEAST_DIGITS if kind != KIND_THRESHOLD else self._digits(index, threshold),
        )


class Node:
    """One node of a tree.

    Parameters
    ----------
    view : TreeView
        The tree it belongs to.
    id : int
        Its number.
    """

    __slots__ = ("id", "view")

    def __init__(self, view: TreeView, id: int) -> None:
        self.view = view
        self.id = id

    @property
    def is_leaf(self) -> bool:
        """Whether the node tests nothing."""
        return bool(self.view.tree.kind[self.id] == KIND_LEAF)

    @property
    def depth(self) -> int:
        """Number of tests between the root and this node."""
        return int(self.view.tree.node_depths[self.id])

    @property
    def parent(self) -> Node | None:
        """The node above, None for the root."""
        parent = int(self.view.parents[self.id])
        return None if parent < 0 else Node(self.view, parent)

    @property
    def branch(self) -> int | None:
        """The branch of the parent that leads here, None for the root."""
        parent = self.parent
        return None if parent is None else self.id - int(self.view.tree.first_child[parent.id])

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes below, in the order of the branches."""
        first = int(self.view.tree.first_child[self.id])
        return tuple(Node(self.view, first + b) for b in range(int(self.view.tree.n_children[self.id])))

    @property
    def split(self) -> Split | None:
        """What the node tests, None for a leaf."""
        return self.view.split_of(self.id)

    @property
    def condition(self) -> str:
        """What holds for rows that come here from the parent, in words; empty for the root."""
        parent, branch = self.parent, self.branch
        if parent is None or branch is None:
            return ""
        split = parent.split
        assert split is not None, "a parent has a split"
        return split.describe(branch)

    @property
    def path(self) -> tuple[Node, ...]:
        """The nodes from the root to this one, both included."""
        nodes = [self]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(parent)
        return tuple(reversed(nodes))

    @property
    def rows(self) -> int:
        """Training rows that reached the node."""
        return int(self.view.tree.n_node_samples[self.id])

    @property
    def weight(self) -> float:
        """Weight of these rows."""
        return float(self.view.tree.weighted_n_node_samples[self.id])

    @property
    def loss(self) -> float:
        """Total loss of these rows as one leaf."""
        return float(self.view.tree.loss[self.id])

    @property
    def impurity(self) -> float:
        """Loss per unit of weight."""
        return float(self.view.tree.impurity[self.id])

    @property
    def gain(self) -> float:
        """Loss minus the losses of the children."""
        return float(self.view.tree.gain[self.id])

    @property
    def value(self) -> NDArray[np.float64]:
        """Class distribution, or the predicted number."""
        values: NDArray[np.float64] = self.view.tree.value[self.id, 0]
        return values

    def __repr__(self) -> str:
        what = "leaf" if self.is_leaf else str(self.split)
        return f"<Node {self.id}: {what}, {self.rows} rows>"
