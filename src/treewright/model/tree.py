"""Tree: the fitted tree as frozen NumPy arrays, with scikit-learn's attribute names.

Parents stand before their children, and the children of a node are adjacent, so no pass over a tree recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.data.schema import frozen
from treewright.model.arrays import (
    CANDIDATE_ARRAYS,
    EVERY_BRANCH,
    KIND_LEAF,
    KIND_THRESHOLD,
    MISSING_ARRAYS,
    ROWS_UNKNOWN,
    TREE_ARRAYS,
    TreeArrays,
)

__all__ = [
    "Tree",
    "Words",
    "check_arrays",
    "check_names",
    "check_trees",
    "check_type",
    "child_ids",
    "complete",
    "node_depths",
    "parent_ids",
]

TWO_DIMENSIONAL = ("value", "distributions")
TREE_LEAF = -1  # scikit-learn's mark for "no child"
TREE_UNDEFINED = -2  # scikit-learn's mark for "no feature, no threshold"


class Words(NamedTuple):
    """How a tree is written, as functions that do so when asked."""

    text: Callable[[Tree], str]
    html: Callable[[Tree], str]
    svg: Callable[[Tree], str]


class Tree:
    """A fitted tree.

    The attributes named as in scikit-learn's ``tree_`` have its meaning and its marks for leaves (-1 for a
    child, -2 for feature and threshold). `to_arrays` gives the arrays as the native core and the model file
    have them.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The arrays of `treewright.model.arrays.TREE_ARRAYS`, trusted to be consistent; `from_arrays` checks
        them.
    n_codes : array-like of int
        Number of categories of each feature, 0 for a numeric one.
    """

    def __init__(self, arrays: TreeArrays, n_codes: ArrayLike) -> None:
        if "candidate_node" not in arrays or "missing_rows" not in arrays:  # a tree from elsewhere
            arrays = complete(arrays)
        self._arrays = {name: frozen(arrays[name]) for name in TREE_ARRAYS}
        self._n_codes = frozen(np.asarray(n_codes, dtype=np.uint32))

    @classmethod
    def from_arrays(cls, arrays: TreeArrays, n_codes: ArrayLike) -> Self:
        """Make a tree from arrays of unknown origin; ValueError with a sentence when they are not one."""
        codes = np.asarray(n_codes, dtype=np.uint32)
        arrays = complete(arrays)
        check_arrays(arrays, codes)
        return cls(arrays, codes)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays under their own names (read-only, not copied)."""
        return dict(self._arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {"arrays": self._arrays, "n_codes": self._n_codes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writable (or memory-mapped): freeze them again.
        self.__init__(state["arrays"], state["n_codes"])  # type: ignore[misc]

    # A tree alone has numbers only; the model around it knows names and classes.
    _words: Words | None = None

    def show_in(self, words: Words) -> None:
        """Let the tree print itself in the words of a model."""
        self._words = words

    def __repr__(self) -> str:
        short = f"<Tree: {self.node_count} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"
        return short if self._words is None else f"{short}\n{self._words.text(self)}"

    def __str__(self) -> str:
        return repr(self) if self._words is None else self._words.text(self)

    def _repr_html_(self) -> str | None:
        return None if self._words is None else self._words.html(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what notebooks choose from: words, a picture, a picture with a table."""
        if self._words is None:
            return {"text/plain": repr(self)}
        return {
            "text/plain": repr(self),
            "image/svg+xml": self._words.svg(self),
            "text/html": self._words.html(self),
        }

    # --- size
    # -------------------------------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return len(self._arrays["kind"])

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self._arrays["kind"] == KIND_LEAF))

    @cached_property
    def max_depth(self) -> int:
        """Number of tests on the longest way from the root to a leaf."""
        return int(self.node_depths.max())

    @cached_property
    def node_depths(self) -> NDArray[np.int64]:
        """Depth of every node, 0 for the root."""
        return frozen(node_depths(self._arrays))

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """Parent of every node, -1 for the root."""
        return frozen(parent_ids(self._arrays))

    @cached_property
    def _thresholds(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def thresholds_of(self, feature: int) -> NDArray[np.float64]:
        """Return all different thresholds of a feature, ascending; looked for once, when asked."""
        if feature not in self._thresholds:
            of_feature = (self._arrays["feature"] == feature) & (self._arrays["kind"] == KIND_THRESHOLD)
            self._thresholds[feature] = frozen(np.unique(self._arrays["threshold"][of_feature]))
        return self._thresholds[feature]

    def compute_node_depths(self) -> NDArray[np.int64]:
        """Return the depth of every node, counted from 1 as in scikit-learn."""
        return self.node_depths + 1

    @property
    def n_features(self) -> int:
        """Number of features the tree may test."""
        return len(self._n_codes)

    @property
    def n_codes(self) -> NDArray[np.uint32]:
        """Number of categories of each feature, 0 for a numeric one."""
        return self._n_codes

    @property
    def n_outputs(self) -> int:
        """Number of targets: always one."""
        return 1

    @property
    def n_classes(self) -> NDArray[np.int64]:
        """Number of classes of each target, as in scikit-learn: one entry, 1 for a regression tree."""
        return np.array([self.n_values], dtype=np.int64)

    @property
    def max_n_classes(self) -> int:
        """The largest of `n_classes`."""
        return self.n_values

    @property
    def capacity(self) -> int:
        """Nodes that the arrays have room for: as many as there are."""
        return self.node_count

    @property
    def n_values(self) -> int:
        """Numbers per node: one per class, or one for a regression tree."""
        return int(self._arrays["value"].shape[1])

    # --- Treewright's own arrays
    # ------------------------------------------------------------------------------------

    @property
    def kind(self) -> NDArray[np.uint8]:
        """What each node is: 0 leaf, 1 threshold, 2 subset of categories, 3 one branch per category."""
        return self._arrays["kind"]

    @property
    def first_child(self) -> NDArray[np.int32]:
        """Id of the first child, -1 for a leaf; the others follow it."""
        return self._arrays["first_child"]

    @property
    def n_children(self) -> NDArray[np.uint32]:
        """Number of children."""
        return self._arrays["n_children"]

    @property
    def loss(self) -> NDArray[np.float64]:
        """Total loss of the node's rows as one leaf."""
        return self._arrays["loss"]

    @property
    def gain(self) -> NDArray[np.float64]:
        """Loss of the node minus the losses of its children, 0 for a leaf."""
        return self._arrays["gain"]

    @property
    def missing_rows(self) -> NDArray[np.int64]:
        """Training rows of each node that have no value of the feature that it tests.

        0 for a leaf; -1 where it is not known: in trees of forests, and in files of format 1.
        """
        return self._arrays["missing_rows"]

    @property
    def missing_weight(self) -> NDArray[np.float64]:
        """Weight of the rows that `missing_rows` counts; NaN where it is not known."""
        return self._arrays["missing_weight"]

    # --- scikit-learn's names
    # ---------------------------------------------------------------------------------------

    @cached_property
    def children_left(self) -> NDArray[np.int64]:
        """Child where the test holds, -1 for a leaf."""
        self._require_binary("children_left")
        return frozen(self._arrays["first_child"].astype(np.int64))

    @cached_property
    def children_right(self) -> NDArray[np.int64]:
        """Child where the test does not hold, -1 for a leaf."""
        self._require_binary("children_right")
        left = self._arrays["first_child"].astype(np.int64)
        return frozen(np.where(left == TREE_LEAF, TREE_LEAF, left + 1))

    @cached_property
    def feature(self) -> NDArray[np.int64]:
        """Feature that a node tests, -2 for a leaf."""
        leaf = self._arrays["kind"] == KIND_LEAF
        return frozen(np.where(leaf, TREE_UNDEFINED, self._arrays["feature"].astype(np.int64)))

    @cached_property
    def threshold(self) -> NDArray[np.float64]:
        """Threshold of a node, -2 for a leaf, NaN for a test of categories."""
        kind = self._arrays["kind"]
        undefined = np.where(kind == KIND_LEAF, float(TREE_UNDEFINED), np.nan)
        return frozen(np.where(kind == KIND_THRESHOLD, self._arrays["threshold"], undefined))

    @cached_property
    def impurity(self) -> NDArray[np.float64]:
        """Loss per unit of weight: what the criterion's name stands for."""
        weight = self._arrays["weight"]
        loss = self._arrays["loss"]
        return frozen(np.divide(loss, weight, out=np.zeros_like(loss), where=weight > 0))

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        """Training rows that reached each node."""
        return self._arrays["rows"]

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """Weight of the training rows that reached each node."""
        return self._arrays["weight"]

    @property
    def value(self) -> NDArray[np.float64]:
        """Class distribution or predicted number of each node, shape (node_count, 1, n_values)."""
        return self._arrays["value"][:, np.newaxis, :]

    @cached_property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """1 where a missing value takes the left branch, 0 elsewhere and for leaves."""
        self._require_binary("missing_go_to_left")
        inner = self._arrays["kind"] != KIND_LEAF
        return frozen((inner & (self._arrays["missing"] == 0)).astype(np.uint8))

    def compute_feature_importances(self, normalize: bool = True) -> NDArray[np.float64]:
        """Return the gain of each feature per unit of weight, divided by the sum of all if `normalize`."""
        inner = self._arrays["kind"] != KIND_LEAF
        features, gains = self._arrays["feature"][inner], self._arrays["gain"][inner]
        importances = np.zeros(self.n_features)
        np.add.at(importances, features, gains / max(float(self._arrays["weight"][0]), np.finfo(float).tiny))
        whole = importances.sum()
        return importances / whole if normalize and whole > 0 else importances

    def _require_binary(self, attribute: str) -> None:
        wide = (self._arrays["n_children"] > 2) | (self._arrays["missing"] == EVERY_BRANCH)
        if wide.any():
            node = int(np.argmax(wide))
            # AttributeError, so that hasattr() tells tools for binary trees the truth.
            raise AttributeError(
                f"'{attribute}' describes binary trees, but node {node} sends rows to "
                f"{int(self._arrays['n_children'][node])} branches; use first_child and n_children."
            )


# --- from node to node
# ----------------------------------------------------------------------------------------------------------


def child_ids(arrays: TreeArrays) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (parent, child) ids of every edge, ordered by parent and then by branch."""
    count = arrays["n_children"].astype(np.int64)
    parents = np.repeat(np.arange(len(count), dtype=np.int64), count)
    edges_before = np.cumsum(count) - count
    branch = np.arange(len(parents), dtype=np.int64) - edges_before[parents]
    return parents, arrays["first_child"].astype(np.int64)[parents] + branch


def parent_ids(arrays: TreeArrays) -> NDArray[np.int64]:
    """Return the parent of every node, -1 for the root."""
    parent = np.full(len(arrays["kind"]), -1, dtype=np.int64)
    parents, children = child_ids(arrays)
    parent[children] = parents
    return parent


def node_depths(arrays: TreeArrays) -> NDArray[np.int64]:
    """Return the depth of every node, 0 for the root.

    Pointer doubling: each pass doubles the distance that a node looks up, so a chain of 100 000 levels takes
    17 passes.
    """
    ancestor = parent_ids(arrays)
    depth = (ancestor >= 0).astype(np.int64)
    ancestor[0] = 0
    while ancestor.any():
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    return depth


# --- arrays from elsewhere: names, types and dimensions; whether they are a tree the engine says
# ----------------------------------------------------------------------------------------------------------


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
