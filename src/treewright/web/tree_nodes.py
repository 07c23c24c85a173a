"""The nodes of a tree as plain values: the heaviest ones first, never more than the page can draw."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.grower import Grower
from treewright.grower.looking import rows_to_grow_on
from treewright.model.model import Model
from treewright.model.node import TreeView

__all__ = ["MOST_NODES", "grown_tree", "model_tree", "tree_error"]

MOST_NODES = 400

Floats = NDArray[np.float64]


def _selected(
    root: int, children: Callable[[int], Sequence[int]], priority: Callable[[int], float], most: int
) -> list[int]:
    """Return the nodes to send: a node's children all together, those of the greatest priority first."""
    chosen = [root]
    waiting = [(-priority(root), root)]
    while waiting:
        _, node = heapq.heappop(waiting)
        below = children(node)
        if not below or len(chosen) + len(below) > most:
            continue
        chosen += below
        for child in below:
            heapq.heappush(waiting, (-priority(child), child))
    return chosen


def _value(value: Floats, is_class: bool) -> Any:
    return [round(float(share), 6) for share in value] if is_class else float(value[0])


def grown_tree(grower: Grower, root: int = 0, most: int = MOST_NODES) -> dict[str, Any]:
    """Return the nodes of a tree that is grown by hand, under the numbers that the Grower gives them.

    Parameters
    ----------
    grower : Grower
        The tree.
    root : int
        The node to start at.
    most : int
        Most nodes.
    """
    nodes = grower.nodes
    if root not in nodes:
        root = 0
    below = {key: 0 for key in nodes}
    for key in reversed(list(nodes)):  # children come after their parents
        node = nodes[key]
        if node.parent >= 0:
            below[node.parent] += 1 + below[key]
    names = class_names(grower)
    chosen = _selected(root, lambda k: nodes[k].children, lambda k: nodes[k].weight, most)
    sent = set(chosen)
    found = []
    for key in chosen:
        node = nodes[key]
        found.append(
            {
                "id": key,
                "parent": node.parent if node.parent in sent else -1,
                "depth": node.depth,
                "kids": [child for child in node.children if child in sent],
                "below": below[key],
                "words": node.condition[-1] if node.condition else "",
                "test": _test([nodes[child].condition[-1] for child in node.children], grower, key),
                "feature": None if node.test is None else grower.feature_names[node.test.feature],
                "n": len(node.rows.rows),
                "weight": node.weight,
                "impurity": node.loss / node.weight if node.weight > 0 else 0.0,
                "value": _value(node.value, names is not None),
                "hand": node.by_hand,
            }
        )
    return {
        "root": root,
        "path": _path_of(root, lambda k: nodes[k].parent, lambda k: nodes[k].condition[-1]),
        "nodes": found,
        "total": len(nodes),
        "leaves": len(grower.leaves),
        "depth": max(node.depth for node in nodes.values()),
        "classes": None if names is None else list(names),
    }


def class_names(grower: Grower) -> tuple[str, ...] | None:
    """Return the classes in the order of the nodes' values; None for numbers."""
    return rows_to_grow_on(grower).class_names


def _test(conditions: list[str], grower: Grower, key: int) -> str:
    test = grower.nodes[key].test
    if test is None:
        return ""
    return conditions[0] if len(conditions) == 2 else grower.feature_names[test.feature]


def _path_of(node: int, parent: Callable[[int], int], words: Callable[[int], str]) -> list[dict[str, Any]]:
    way = []
    while node > 0:
        way.append({"id": node, "words": words(node)})
        node = parent(node)
    way.append({"id": 0, "words": "all rows"})
    return way[::-1]


def model_tree(
    model: Model,
    *,
    tree: int | None = None,
    root: int = 0,
    alphas: Floats | None = None,
    wanted: Sequence[int] = (),
    most: int = MOST_NODES,
) -> dict[str, Any]:
    """Return the nodes of a fitted tree, under its own numbers.

    Parameters
    ----------
    model : Model
        The model.
    tree : int or None
        Which of its trees.
    root : int
        The node to start at.
    alphas : ndarray or None
        For each node the price from which on it is not split: the nodes that stay longest are sent first.
    wanted : sequence of int
        Nodes to send in any case, with those above them.
    most : int
        Most nodes.
    """
    view: TreeView = model.view(tree)
    first, count = view.tree.first_child.tolist(), view.tree.n_children.tolist()
    if not 0 <= root < len(count):
        root = 0
    sizes = _below(first, count)
    weights = view.tree.weighted_n_node_samples
    asked = set(wanted)
    heaviest = float(weights[0]) if len(weights) else 1.0

    def priority(node: int) -> float:
        if node in asked:
            return float("inf")
        return float(weights[node]) / max(heaviest, 1e-300) if alphas is None else float(alphas[node])

    chosen = _selected(root, lambda k: range(first[k], first[k] + count[k]), priority, most)
    sent = set(chosen)
    is_class = model.classes is not None and view.tree.n_values > 1
    found = []
    for key in chosen:
        node = view[key]
        kids = [child.id for child in node.children if child.id in sent]
        split = node.split
        found.append(
            {
                "id": key,
                "parent": int(view.parents[key]) if int(view.parents[key]) in sent else -1,
                "depth": node.depth,
                "kids": kids,
                "below": sizes[key],
                "words": node.condition,
                "test": "" if split is None else str(split),
                "feature": None if split is None else split.feature.name,
                "n": node.rows,
                "weight": node.weight,
                "impurity": node.impurity,
                "value": _value(node.value, is_class),
                "hand": False,
                "alpha": None if alphas is None else float(alphas[key]),
            }
        )
    return {
        "root": root,
        "path": _path_of(root, lambda k: int(view.parents[k]), lambda k: view[k].condition),
        "nodes": found,
        "total": len(count),
        "leaves": view.tree.n_leaves,
        "depth": view.tree.max_depth,
        "classes": [str(label) for label in model.classes.tolist()]
        if is_class and model.classes is not None
        else None,
    }


def _below(first: list[int], count: list[int]) -> list[int]:
    sizes = [0] * len(count)
    for node in range(len(count) - 1, -1, -1):
        if count[node]:
            sizes[node] = count[node] + sum(sizes[first[node] : first[node] + count[node]])
    return sizes


def tree_error(model: Model) -> float | None:
    """Return the share of training weight that the leaves of a tree get wrong, or their mean loss."""
    tree = model.trees[0]
    leaf = tree.n_children == 0
    weight = tree.weighted_n_node_samples[leaf]
    if not weight.sum() > 0:
        return None
    if model.classes is None:
        return float(tree.loss[leaf].sum() / weight.sum())
    return float(np.average(1 - tree.value[leaf, 0].max(axis=1), weights=weight))
