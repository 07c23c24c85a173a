"""Node and TreeView: a tree as objects, for everything that prints, draws or explains.

Both are thin and made on demand; the numbers stay in the tree's arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from treewright.model.arrays import EVERY_BRANCH, KIND_LEAF, KIND_THRESHOLD, STOP_HERE
from treewright.model.number import LEAST_DIGITS, threshold_digits
from treewright.model.split import KIND_NAMES, Split, branches_of_codes
from treewright.model.tree import Tree

if TYPE_CHECKING:
    from treewright.data import Schema

__all__ = ["IS_MISSING", "MissingWay", "Node", "TreeView", "with_missing"]

IS_MISSING = " is missing"  # how a condition ends that only missing values fulfil
MissingWay = Literal["branch", "shared", "ends", "substitutes"]


def with_missing(words: str, takes_missing: bool) -> str:
    """Return a condition that also says that missing values fulfil it, unless it says so already."""
    return f"{words} or missing" if takes_missing and not words.endswith(IS_MISSING) else words


class TreeView:
    """A tree together with the names of its features.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Names, kinds and categories of its features.
    missing_features : iterable of int or None
        Features without a value in some row of the fit; None: not known. Asked where nodes do not know
        their numbers of such rows, as those of forests do not.
    """

    def __init__(self, tree: Tree, schema: Schema, missing_features: Iterable[int] | None = None) -> None:
        self.tree = tree
        self.schema = schema
        self.missing_features = None if missing_features is None else frozenset(missing_features)
        self._arrays = tree.to_arrays()

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

    @property
    def parents(self) -> NDArray[np.int64]:
        """Parent of every node, -1 for the root."""
        return self.tree.parents

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
            digits=LEAST_DIGITS
            if kind != KIND_THRESHOLD
            else threshold_digits(threshold, self.tree.thresholds_of(index)),
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
        return with_missing(split.describe(branch), self.takes_missing)

    @property
    def missing_rows(self) -> int | None:
        """Training rows of the node without a value of the feature that it tests; None: not known."""
        found = int(self.view.tree.missing_rows[self.id])
        return None if found < 0 else found

    @property
    def had_missing(self) -> bool:
        """Whether the fit is known to have had rows without a value of the tested feature.

        The node's own number of them decides; where it is not stored, as in forests, the features that had
        missing values do. Files that store neither are silent: every inner node has a way for missing
        values, and to tell of it everywhere would claim gaps that the data did not have.
        """
        found = self.missing_rows
        if self.is_leaf or found is not None:
            return bool(found)
        return int(self.view.tree.feature[self.id]) in (self.view.missing_features or ())

    @property
    def missing_way(self) -> MissingWay:
        """Where rows without a value go: a branch, all branches with a share, nowhere, or by substitutes."""
        arrays = self.view.tree.to_arrays()
        begin = arrays["surrogate_begin"]
        if len(begin) and begin[self.id] < begin[self.id + 1]:
            return "substitutes"
        entry = int(arrays["missing"][self.id])
        return {EVERY_BRANCH: "shared", STOP_HERE: "ends"}.get(entry, "branch")  # type: ignore[return-value]

    @property
    def takes_missing(self) -> bool:
        """Whether rows come here because they have no value of what the parent tests: see `had_missing`."""
        parent = self.parent
        return (
            parent is not None
            and parent.had_missing
            and parent.missing_way == "branch"
            and int(self.view.tree.to_arrays()["missing"][parent.id]) == self.branch
        )

    @property
    def missing_note(self) -> str:
        """What must be said beside the number of rows about those without a value; empty without any."""
        parent, own = self.parent, self.missing_rows or 0
        notes = []
        known = parent is not None and parent.missing_rows is not None
        if known and self.takes_missing and not self.condition.endswith(IS_MISSING):
            assert parent is not None, "they came from somewhere"
            notes.append(f"{parent.missing_rows} missing")
        elif parent is not None and self.rows and parent.missing_rows and parent.missing_way == "shared":
            notes.append(f"{parent.missing_rows} missing, shared")
        if own and self.missing_way == "ends":
            notes.append(f"{own} missing end here")
        if own and self.missing_way == "substitutes":
            notes.append(f"{own} missing, by substitutes")
        return "; ".join(notes)

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
