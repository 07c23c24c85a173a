"""Trees in any numbering become a forest, and what is not a tree is refused with its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from treewright.exceptions import ModelFileError
from treewright.imported.assembly import PeerTrees, assemble

NUMBERS = np.zeros(1, dtype=np.uint32)


def trees_of(left: list[int], right: list[int], **others: Any) -> PeerTrees:
    n = len(left)
    columns: dict[str, Any] = {
        "feature": np.zeros(n, np.int64),
        "threshold": np.arange(n, dtype=np.float64),
        "missing_right": np.zeros(n, np.bool_),
        "value": np.arange(n) * 10.0,
        "weight": np.ones(n),
        "rows": np.ones(n, np.int64),
        "number": np.arange(n),
        "gain": np.zeros(n),
    }
    columns |= others
    return PeerTrees(begin=np.array([0, n]), left=np.array(left), right=np.array(right), **columns)


def test_children_that_stand_before_their_parents_are_put_behind_them() -> None:
    # 0 → (2, 1), 2 → (3, 4); then the same with the two inner nodes' children in front of them.
    forward = assemble(trees_of([2, -1, 3, -1, -1], [1, -1, 4, -1, -1]), NUMBERS, "squared_error")
    backward = assemble(
        trees_of([4, -1, -1, -1, 2], [1, -1, -1, -1, 3], threshold=np.array([0.0, 9.0, 9.0, 9.0, 2.0])),
        NUMBERS,
        "squared_error",
    )
    for forest, numbers in (forward, backward):
        assert forest.arrays["number"][:2].tolist() == [0.0, 2.0]
        assert forest.arrays["child"].tolist() == [1, 3, 0, 0, 0]
        assert numbers[0] == -1  # no leaf
    assert forward[1].tolist() == [-1, -1, 1, 3, 4]
    assert backward[1].tolist() == [-1, -1, 1, 2, 3]


@pytest.mark.parametrize(
    ("left", "right", "fault"),
    [
        ([1, -1], [5, -1], "tree 0, node 0: one of its children does not exist"),
        ([1, -1, -1], [1, -1, -1], "child of"),
        ([1, 0, -1], [2, 2, -1], "child of two nodes"),
        ([1, -1, -1, -1], [2, -1, -1, -1], "tree 0, node 3: it is the child of no node"),
        ([1, -1, -1, 4, 3], [2, -1, -1, 5, 6], "does not exist"),
        ([1, -1, -1, 4, 3, -1, -1], [2, -1, -1, 5, 6, -1, -1], "its own ancestor"),
        ([1, -1, -1], [-1, -1, -1], "one of its children does not exist"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_place(left: list[int], right: list[int], fault: str) -> None:
    with pytest.raises(ModelFileError, match=fault):
        assemble(trees_of(left, right), NUMBERS, "squared_error")


@pytest.mark.parametrize(
    ("column", "values", "fault"),
    [
        ("feature", [7, 0, 0], "tests feature 7"),
        ("feature", [-2, 0, 0], "tests feature -2"),
        ("threshold", [np.nan, 0, 0], "threshold is not a number"),
        ("value", [0, np.inf, 0], "node 1: the value of the leaf"),
        ("weight", [1, 1, -1], "node 2: its weight"),
        ("weight", [1, 1e300, 1], "node 1: its weight"),
    ],
)
def test_numbers_that_cannot_be_are_refused_with_their_place(
    column: str, values: list[float], fault: str
) -> None:
    trees = trees_of([1, -1, -1], [2, -1, -1])
    dtype = np.int64 if column == "feature" else np.float64
    with pytest.raises(ModelFileError, match=fault):
        assemble(replace(trees, **{column: np.array(values, dtype)}), NUMBERS, "squared_error")


def test_spare_leaves_are_left_out_where_a_library_keeps_them() -> None:
    trees = trees_of([1, -1, -1, -1], [2, -1, -1, -1])
    forest, numbers = assemble(trees, NUMBERS, "squared_error", spare_nodes=True)
    assert forest.node_count == 3
    assert numbers.tolist() == [-1, 1, 2]
