"""One way to read any tree in the tests: Treewright's (estimator or native arrays) and scikit-learn's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAF, THRESHOLD, SUBSET, MULTIWAY = range(4)
EVERY_BRANCH = 0xFFFFFFFF
BITS, LIST, BRANCHES, LIST_LEFT, PAIRS = range(5)


def branch_of(tables: NDArray[np.uint32], offset: int, code: int) -> int:
    """Look a category up in a side table, as the table's format says."""
    form, length = int(tables[offset]), int(tables[offset + 1])
    data = tables[offset + 2 : offset + 2 + length]
    if form == BITS:
        word = code >> 5
        return int(data[word] >> np.uint32(code & 31)) & 1 if word < length else 0
    if form == LIST:
        return int(code in data)
    if form == LIST_LEFT:
        return int(code not in data)
    if form == PAIRS:
        listed = data[: length // 2].tolist()
        return int(data[length // 2 + listed.index(code)] if code in listed else data[-1])
    return int(data[min(code, length - 1)])


@dataclass(frozen=True)
class TreeView:
    """The arrays of a tree, with the few questions that the tests ask of it."""

    kind: NDArray[np.uint8]
    feature: NDArray[np.int32]
    first_child: NDArray[np.int32]
    second_child: NDArray[np.int32]
    n_children: NDArray[np.uint32]
    threshold: NDArray[np.float64]
    missing: NDArray[np.uint32]
    value: NDArray[np.float64]
    rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    loss: NDArray[np.float64]
    gain: NDArray[np.float64] | None = None
    table: NDArray[np.int64] | None = None
    tables: NDArray[np.uint32] | None = None

    @classmethod
    def of_arrays(cls, arrays: dict[str, Any]) -> TreeView:
        """Read the native arrays."""
        first = np.asarray(arrays["first_child"])
        kind = np.asarray(arrays["kind"])
        names = (
            "feature",
            "n_children",
            "threshold",
            "missing",
            "rows",
            "weight",
            "loss",
            "gain",
            "table",
            "tables",
        )
        value = np.asarray(arrays["value"]).reshape(len(kind), -1)
        return cls(
            kind=kind,
            first_child=first,
            second_child=np.where(kind == LEAF, -1, first + 1),
            value=value,
            **{name: np.asarray(arrays[name]) for name in names},
        )

    @classmethod
    def of(cls, estimator: Any) -> TreeView:
        """Read a fitted estimator, ours or scikit-learn's."""
        tree = estimator.tree_
        if hasattr(tree, "to_arrays"):
            return cls.of_arrays(tree.to_arrays())
        leaf = tree.children_left < 0
        return cls(
            kind=np.where(leaf, LEAF, THRESHOLD).astype(np.uint8),
            feature=tree.feature,
            first_child=tree.children_left,
            second_child=tree.children_right,
            n_children=np.where(leaf, 0, 2).astype(np.uint32),
            threshold=tree.threshold,
            missing=np.where(tree.missing_go_to_left, 0, 1).astype(np.uint32),
            value=tree.value[:, 0, :],
            rows=tree.n_node_samples,
            weight=tree.weighted_n_node_samples,
            loss=tree.impurity * tree.weighted_n_node_samples,
        )

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.kind)

    def is_leaf(self, node: int) -> bool:
        """Whether the node has no test."""
        return bool(self.kind[node] == LEAF)

    def children(self, node: int) -> list[int]:
        """Ids of the children, in branch order."""
        if self.is_leaf(node):
            return []
        if self.n_children[node] == 2:
            return [int(self.first_child[node]), int(self.second_child[node])]
        return [int(self.first_child[node]) + branch for branch in range(int(self.n_children[node]))]

    def branches(self, node: int, x: NDArray[Any]) -> NDArray[np.int64]:
        """Branch that each row of the matrix takes at the node (`EVERY_BRANCH` for a fractional row)."""
        column = np.asarray(x[:, self.feature[node]], dtype=np.float64)
        gap = np.isnan(column)
        result = np.full(len(column), int(self.missing[node]), dtype=np.int64)
        if self.kind[node] == THRESHOLD:
            result[~gap] = column[~gap] > self.threshold[node]
            return result
        assert self.table is not None and self.tables is not None
        codes, position = np.unique(column[~gap].astype(np.int64), return_inverse=True)
        offset = int(self.table[node])
        result[~gap] = np.array(
            [branch_of(self.tables, offset, int(code)) for code in codes], dtype=np.int64
        )[position]
        return result

    def rows_by_node(self, x: NDArray[Any]) -> list[NDArray[np.int64]]:
        """Rows of the matrix that reach each node, found by walking the tree."""
        reached: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * len(self)
        reached[0] = np.arange(len(x))
        for node in range(len(self)):
            if not self.is_leaf(node):
                branch = self.branches(node, x[reached[node]])
                for number, child in enumerate(self.children(node)):
                    reached[child] = reached[node][branch == number]
        return reached
