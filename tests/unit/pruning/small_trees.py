"""Small trees with any shape and any class counts, and all of their subtrees, one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.conftest import build_arrays

from treewright.model import Tree

Counts = NDArray[np.float64]


def entropy(counts: Counts) -> float:
    total = counts.sum()
    shares = counts[counts > 0] / total if total else counts[:0]
    return float(-total * (shares * np.log2(shares)).sum())


def gini(counts: Counts) -> float:
    total = counts.sum()
    return float(total - (counts**2).sum() / total) if total else 0.0


def misclassification(counts: Counts) -> float:
    return float(counts.sum() - counts.max())


LOSSES = {"entropy": entropy, "gini": gini, "misclassification": misclassification}


@st.composite
def shapes(draw: Any, most_inner: int = 7, most_children: int = 3) -> list[int]:
    """Number of children of each node."""
    n_children = [0]
    for _ in range(draw(st.integers(0, most_inner))):
        leaves = [node for node, count in enumerate(n_children) if count == 0]
        node = draw(st.sampled_from(leaves))
        n_children[node] = draw(st.integers(1 if len(n_children) > 1 else 2, most_children))
        n_children += [0] * n_children[node]
    return n_children


@st.composite
def class_trees(draw: Any, criterion: str = "gini", most_inner: int = 7, n_classes: int = 3) -> Tree:
    """A tree whose leaves have small class counts, some of them none at all."""
    first, count = numbered(draw(shapes(most_inner)))
    whole = st.lists(st.integers(0, 6), min_size=n_classes, max_size=n_classes)
    counts = np.zeros((len(count), n_classes))
    for node in range(len(count) - 1, -1, -1):
        if count[node]:
            counts[node] = counts[first[node] : first[node] + count[node]].sum(axis=0)
        else:
            counts[node] = draw(whole)
    if not counts[0].any():
        counts[:, 0] += np.array(leaf_counts(first, count))
    return tree_of_counts(first, count, counts, criterion)


def tree_of_counts(first: list[int], count: list[int], counts: Counts, criterion: str) -> Tree:
    nodes = []
    for node, (start, children) in enumerate(zip(first, count, strict=True)):
        weight = counts[node].sum()
        # A branch without rows answers as its parent does; for the risk only its weight counts.
        value = counts[node] / weight if weight else np.eye(counts.shape[1])[0]
        described = {
            "value": value,
            "rows": int(weight),
            "weight": weight,
            "loss": LOSSES[criterion](counts[node]),
        }
        if children:
            described |= {
                "kind": 1,
                "feature": 0,
                "threshold": 0.0,
                "first_child": start,
                "n_children": children,
            }
        nodes.append(described)
    return Tree(build_arrays(nodes), [0])


def numbered(n_children: list[int]) -> tuple[list[int], list[int]]:
    """First child and number of children of each node, level by level."""
    # Every node but the root has a parent of a smaller number, so there are always children to hand out.
    before = [1 + sum(n_children[:node]) for node in range(len(n_children))]
    return [start if count else -1 for start, count in zip(before, n_children, strict=True)], n_children


def leaf_counts(first: list[int], count: list[int]) -> list[int]:
    leaves = [1] * len(count)
    for node in range(len(count) - 1, -1, -1):
        if count[node]:
            leaves[node] = sum(leaves[first[node] : first[node] + count[node]])
    return leaves


def every_subtree(tree: Tree, node: int = 0) -> list[frozenset[int]]:
    """All pruned subtrees under a node, each as the set of its leaves."""
    here = [frozenset([node])]
    first, count = int(tree.first_child[node]), int(tree.n_children[node])
    if count:
        below = [every_subtree(tree, child) for child in range(first, first + count)]
        here += [frozenset().union(*parts) for parts in itertools.product(*below)]
    return here


def leaves_left(tree: Tree, collapsed: NDArray[np.bool_]) -> frozenset[int]:
    """Leaves of the tree after the marked nodes have become leaves."""
    found, waiting = set(), [0]
    while waiting:
        node = waiting.pop()
        count = int(tree.n_children[node])
        if count == 0 or collapsed[node]:
            found.add(node)
        else:
            waiting += range(int(tree.first_child[node]), int(tree.first_child[node]) + count)
    return frozenset(found)
