"""One node of a tree that is grown by hand, and what it tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.explain import NodeRows

__all__ = ["GrownNode", "Test"]


@dataclass(frozen=True, eq=False)
class Test:
    """What a node tests, as the arrays of a tree have it.

    Attributes
    ----------
    feature : int
        The column.
    kind : int
        Kind of the node.
    threshold : float
        The threshold; NaN for a test of categories.
    table : ndarray of uint32
        The branches of categories; empty for a threshold.
    missing : int
        Branch of a missing value, or EVERY_BRANCH or STOP_HERE.
    n_children : int
        Number of branches.
    values : tuple of float
        What the two sides would predict, for monotone constraints.
    """

    __test__ = False  # its name makes pytest curious

    feature: int
    kind: int
    threshold: float
    table: NDArray[np.uint32]
    missing: int
    n_children: int
    values: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class GrownNode:
    """A node: its place, its rows, their sums and, once it is split, its test and children.

    Attributes
    ----------
    id : int
        Its number: nodes are numbered as they come into being.
    parent : int
        The node above, -1 for the root.
    depth : int
        Number of tests above.
    condition : tuple of str
        These tests, in words.
    rows : NodeRows
        Its rows.
    weight, loss : float
        Their weight and their loss as one leaf.
    value : ndarray of float64
        What it answers, classes in the order of their codes.
    test : Test or None
        What it tests.
    children : tuple of int
        The nodes below.
    by_hand : bool
        Whether the user chose the test.
    memory : dict of str to ndarray, or None
        The candidates that the search found here and the tree remembers, under the names of its arrays.
    """

    id: int
    parent: int
    depth: int
    condition: tuple[str, ...]
    rows: NodeRows
    weight: float
    loss: float
    value: NDArray[np.float64]
    test: Test | None = None
    children: tuple[int, ...] = ()
    by_hand: bool = False
    memory: dict[str, NDArray[Any]] | None = None
