"""CatBoost's trees as `PeerTrees`: oblivious ones, the same test on every level, and others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.imported.assembly import CategorySets, PeerTrees
from treewright.imported.catboost_columns import Columns
from treewright.imported.faults import fault, unsupported
from treewright.imported.fields import number_list, sub_list
from treewright.program.floats import at_most_single

__all__ = ["catboost_trees"]

Floats = NDArray[np.float64]
MOST_LEVELS = 24
KINDS = {
    "OnlineCtr": "it tests statistics of categories (CTR)",
    "EstimatedFeature": "it tests texts or embeddings",
}


class _Tests:
    """Reads tests: which column, which border or which categories, where missing values go."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self.sets: list[NDArray[np.uint32]] = [np.zeros(0, np.uint32)]  # the first belongs to numbers

    def read(self, split: Any, where: str) -> dict[str, Any]:
        """Return what `_empty` has of a test."""
        if not isinstance(split, dict):
            fault(where, "a test is not an object")
        kind = split.get("split_type")
        if kind == "FloatFeature":
            return self._number(split, where)
        if kind == "OneHotFeature":
            return self._category(split, where)
        unsupported(
            f"{where}: {KINDS.get(str(kind), f'the test {str(kind)[:40]!r} is not known')}, "
            "which cannot be imported"
        )

    def _number(self, split: dict[str, Any], where: str) -> dict[str, Any]:
        feature, border = split.get("float_feature_index"), split.get("border")
        if type(feature) is not int or feature not in self._columns.numbers:
            fault(where, "a test names a feature that does not exist")
        if isinstance(border, bool) or not isinstance(border, int | float):
            fault(where, "a border is not a number")
        column, missing_right = self._columns.numbers[feature]
        return {"feature": column, "border": float(border), "missing_right": missing_right}

    def _category(self, split: dict[str, Any], where: str) -> dict[str, Any]:
        feature, value = split.get("cat_feature_index"), split.get("value")
        if type(feature) is not int or feature not in self._columns.categories:
            fault(where, "a test names a feature that does not exist")
        column, codes = self._columns.categories[feature]
        if type(value) is not int or value % 2**32 not in codes:
            fault(where, "a test names a category that its feature does not have")
        self.sets.append(codes[value % 2**32])
        return {"feature": column, "set": len(self.sets) - 1}


def catboost_trees(
    found: dict[str, Any],
    columns: Columns,
    scale: float,
    n_outputs: int,
) -> PeerTrees:
    """Return the trees; those with a number for each class once for each of them.

    Parameters
    ----------
    found : dict
        The file, which may hold anything.
    columns : Columns
        What tests refer to.
    scale : float
        What the numbers of leaves are multiplied with.
    n_outputs : int
        Numbers of a leaf.
    """
    tests = _Tests(columns)
    if "oblivious_trees" in found:
        trees = sub_list(found, "oblivious_trees", "the file")
        parts = [_oblivious(tree, tests, f"tree {i}", n_outputs) for i, tree in enumerate(trees)]
    else:
        trees = sub_list(found, "trees", "the file")
        parts = [_nested(tree, tests, f"tree {i}", n_outputs) for i, tree in enumerate(trees)]
    if not parts:
        fault("the file", "it has no tree")
    several = [(part, output) for part in parts for output in range(n_outputs)]
    sizes = [len(part["left"]) for part, _ in several]

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([part[name] for part, _ in several])

    of_sets = joined("set")
    with_sets = np.flatnonzero(of_sets)
    codes = [tests.sets[one] for one in of_sets[with_sets].tolist()]
    return PeerTrees(
        begin=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        left=joined("left"),
        right=joined("right"),
        feature=joined("feature"),
        threshold=at_most_single(joined("border")),
        missing_right=joined("missing_right"),
        value=scale * np.concatenate([part["value"][:, output] for part, output in several]),
        weight=joined("weight"),
        rows=np.zeros(sum(sizes), dtype=np.int64),
        number=joined("number"),
        gain=np.zeros(sum(sizes)),
        sets=CategorySets.of_codes(
            with_sets,
            np.concatenate([tests.sets[0], *codes]),
            np.array([len(one) for one in codes], dtype=np.int64),
            np.zeros(len(codes), np.bool_),  # CatBoost's "true" is our right branch
        ),
    )


def _oblivious(tree: Any, tests: _Tests, where: str, n_outputs: int) -> dict[str, NDArray[Any]]:
    """Return a tree with its last test at the root: leaves stand as CatBoost counts them."""
    if not isinstance(tree, dict):
        fault(where, "it is not an object")
    splits = tree.get("splits")
    splits = [] if splits is None else sub_list(tree, "splits", where)
    if len(splits) > MOST_LEVELS:
        fault(where, f"it has {len(splits)} levels")
    n_leaves = 1 << len(splits)
    values = number_list(tree, "leaf_values", where, np.float64, n_leaves * n_outputs)
    weights = number_list(tree, "leaf_weights", where, np.float64, n_leaves, optional=True)
    n = 2 * n_leaves - 1
    found = _empty(n, n_outputs)
    for level, split in enumerate(reversed(splits)):
        nodes = slice((1 << level) - 1, (2 << level) - 1)
        for name, value in tests.read(split, where).items():
            found[name][nodes] = value
        ids = np.arange(nodes.start, nodes.stop)
        found["left"][nodes], found["right"][nodes] = 2 * ids + 1, 2 * ids + 2
    found["value"][n_leaves - 1 :] = values.reshape(n_leaves, n_outputs)
    found["weight"][n_leaves - 1 :] = weights
    found["number"][n_leaves - 1 :] = np.arange(n_leaves)
    return found


def _empty(n: int, n_outputs: int) -> dict[str, NDArray[Any]]:
    return {
        "left": np.full(n, -1, dtype=np.int64),
        "right": np.full(n, -1, dtype=np.int64),
        "feature": np.zeros(n, dtype=np.int64),
        "border": np.zeros(n),
        "set": np.zeros(n, dtype=np.int64),
        "missing_right": np.zeros(n, dtype=np.bool_),
        "value": np.zeros((n, n_outputs)),
        "weight": np.zeros(n),
        "number": np.full(n, -1, dtype=np.int64),
    }


def _nested(root: Any, tests: _Tests, where: str, n_outputs: int) -> dict[str, NDArray[Any]]:
    """Return a tree whose branches are objects within objects."""
    nodes: list[dict[str, Any]] = []
    links: list[tuple[int, int]] = []
    waiting: list[tuple[Any, int, int]] = [(root, -1, 0)]
    while waiting:
        node, parent, side = waiting.pop()
        if not isinstance(node, dict):
            fault(where, "a node is not an object")
        number = len(nodes)
        nodes.append(node)
        links.append((-1, -1))
        if parent >= 0:
            left, right = links[parent]
            links[parent] = (left, number) if side else (number, right)
        if "split" in node:
            waiting += [(node.get("right"), number, 1), (node.get("left"), number, 0)]
    found = _empty(len(nodes), n_outputs)
    for number, node in enumerate(nodes):
        if "split" in node:
            for name, one in tests.read(node["split"], where).items():
                found[name][number] = one
            found["left"][number], found["right"][number] = links[number]
            continue
        value = node.get("value")
        of_leaf = value if isinstance(value, list) else [value]
        found["value"][number] = number_list({"value": of_leaf}, "value", where, np.float64, n_outputs)
        weight = node.get("weight", 0)
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            fault(where, "the weight of a leaf is not a number")
        found["weight"][number] = weight
    found["number"][:] = _leaf_numbers(links)
    return found


def _leaf_numbers(links: list[tuple[int, int]]) -> list[int]:
    """Return CatBoost's numbers of leaves: those right below a node come before those further down."""
    numbers, n_leaves = [-1] * len(links), 0
    if links[0][0] < 0:
        return [0]
    for children in links:  # parents first, the left branch before the right one
        for child in children:
            if child >= 0 and links[child][0] < 0:
                numbers[child], n_leaves = n_leaves, n_leaves + 1
    return numbers
