"""Excerpt: the part of a tree that a picture has room for, node by node, with the words of its branches."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.export.condition import Possible, condition, narrowed
from treewright.model.node import Node, TreeView, with_missing
from treewright.model.split import Split
from treewright.model.text import printable

__all__ = ["Excerpt", "Shown"]

MAX_BRANCHES = 12  # branches of one node that are shown one by one


@dataclass(frozen=True)
class Shown:
    """One place of the excerpt.

    Attributes
    ----------
    node : Node or None
        The node; None for branches that are left out, which stand together at the end.
    parent : int
        Place of its parent in the excerpt, -1 for the root.
    branch : str
        What holds on the way here, without the feature's name and behind yes or no where that is the
        question; empty for the root.
    answer : {"yes", "no", ""}
        The same in one word, where one word says it.
    words : str
        What holds on the way here, in full.
    left_out : sequence of Node
        The nodes that `node=None` stands for.
    possible : mapping
        The categories that can still occur here.
    """

    node: Node | None
    parent: int
    branch: str = ""
    answer: str = ""
    words: str = ""
    left_out: Sequence[Node] = ()
    possible: Possible | None = None


class Excerpt:
    """The nodes of a tree that are shown: the heaviest first, until there is no more room.

    Parameters
    ----------
    view : TreeView
        The tree.
    names : sequence of str
        Names of the features.
    max_nodes : int
        How many nodes there is room for.
    max_depth : int or None
        The deepest level to show.
    wanted : collection of int
        Nodes that are shown before all others.

    Attributes
    ----------
    items : list of Shown
        The places, parents before their children, siblings in order.
    shown : ndarray of bool
        Which nodes of the tree these are.
    """

    def __init__(
        self,
        view: TreeView,
        names: Sequence[str],
        *,
        max_nodes: int,
        max_depth: int | None = None,
        wanted: Collection[int] = (),
    ) -> None:
        if max_depth is not None and max_depth < 0:
            raise ValueError(f"max_depth must be 0 or more, got {max_depth}.")
        if max_nodes < 1:
            raise ValueError(f"max_nodes must be 1 or more, got {max_nodes}.")
        self.view = view
        self.names = names
        opened = _opened(view, max_nodes, max_depth, frozenset(wanted))
        self.shown = np.zeros(len(view), dtype=bool)
        self.items: list[Shown] = []
        waiting: list[Shown] = [Shown(view.root, -1, possible={})]
        while waiting:
            item = waiting.pop()
            place = len(self.items)
            self.items.append(item)
            node = item.node
            if node is None:
                continue
            self.shown[node.id] = True
            if node.id in opened:
                waiting.extend(reversed(self._below(node, place, item.possible or {}, opened[node.id])))

    @property
    def parents(self) -> list[int]:
        """Place of the parent of each item."""
        return [item.parent for item in self.items]

    @property
    def n_left_out(self) -> int:
        """Number of nodes that are not shown."""
        return len(self.view) - int(np.count_nonzero(self.shown))

    def is_cut(self, item: Shown) -> bool:
        """Return whether a node has children of which none is shown."""
        node = item.node
        return node is not None and not node.is_leaf and not self._has_shown_child(node)

    def _has_shown_child(self, node: Node) -> bool:
        first = int(self.view.tree.first_child[node.id])
        return bool(self.shown[first : first + int(self.view.tree.n_children[node.id])].any())

    def test(self, item: Shown, name: str | None = None) -> str:
        """Return what a node asks, e.g. ``humidity ≤ 75`` or ``outlook?``; the name may be a shorter one."""
        node = item.node
        assert node is not None, "branches that are left out ask nothing"
        split = node.split
        assert split is not None, "a leaf asks nothing"
        feature = int(self.view.tree.feature[node.id])
        name = self.names[feature] if name is None else name
        if not _is_question(split):
            return f"{printable(name)}?"
        return condition(split, 0, name, (item.possible or {}).get(feature))

    def name(self, item: Shown) -> str:
        """Return the name of the feature that a node tests, as it is printed."""
        assert item.node is not None, "branches that are left out test nothing"
        return printable(self.names[int(self.view.tree.feature[item.node.id])])

    def _below(self, node: Node, place: int, possible: Possible, branches: Sequence[int]) -> list[Shown]:
        split = node.split
        assert split is not None, "only inner nodes are opened"
        feature = int(self.view.tree.feature[node.id])
        name = self.names[feature]
        children = node.children
        items = []
        for branch in branches:
            child = children[branch]
            empty = child.rows == 0
            here = possible.get(feature)
            short = condition(split, branch, "", here, empty=empty).strip()
            short = with_missing(f" {short}", child.takes_missing).strip()
            answer = ("yes", "no")[branch] if _is_question(split) else ""
            items.append(
                Shown(
                    child,
                    place,
                    f"{answer}: {short}" if answer else short,
                    answer or short,
                    with_missing(condition(split, branch, name, here, empty=empty), child.takes_missing),
                    possible=narrowed(possible, feature, split, branch),
                )
            )
        rest = [child for branch, child in enumerate(children) if branch not in set(branches)]
        if rest:
            words = f"{printable(name)}: {len(rest)} other branches"
            items.append(Shown(None, place, "other values", "other values", words, left_out=rest))
        return items


def _is_question(split: Split) -> bool:
    """Return whether a test is answered with yes and no."""
    return split.n_branches == 2 and split.kind != "multiway"


def _opened(
    view: TreeView, max_nodes: int, max_depth: int | None, wanted: frozenset[int]
) -> dict[int, list[int]]:
    """Return the nodes whose children are shown, each with the branches that are."""
    tree = view.tree
    weight: NDArray[np.float64] = tree.weighted_n_node_samples
    depths, first, count = tree.node_depths, tree.first_child, tree.n_children
    opened: dict[int, list[int]] = {}
    room = max_nodes - 1
    heap: list[tuple[bool, float, int]] = [(0 not in wanted, -float(weight[0]), 0)]
    while heap and room > 0:
        _, _, node = heapq.heappop(heap)
        n_branches = int(count[node])
        if n_branches == 0 or (max_depth is not None and depths[node] >= max_depth):
            continue
        children = range(int(first[node]), int(first[node]) + n_branches)
        kept = list(range(n_branches))
        if n_branches > MAX_BRANCHES:
            order = sorted(kept, key=lambda b: (children[b] not in wanted, -float(weight[children[b]]), b))
            kept = sorted(order[: MAX_BRANCHES - 1])
        taken = len(kept) + (len(kept) < n_branches)
        if taken > room:
            continue
        room -= taken
        opened[node] = kept
        for branch in kept:
            child = children[branch]
            heapq.heappush(heap, (child not in wanted, -float(weight[child]), child))
    return opened
