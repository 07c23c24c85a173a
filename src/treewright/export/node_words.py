"""NodeWords: the nodes of an excerpt as lines of words, for languages that draw boxes themselves."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.export.excerpt import Excerpt, Shown
from treewright.export.node_facts import Hidden, NodeFacts
from treewright.export.tree_words import header_of
from treewright.model.model import Model
from treewright.model.text import printable

__all__ = ["NodeWords"]


class NodeWords:
    """What is told about each node; the parameters are those of the exporters.

    Attributes
    ----------
    items : list of Shown
        The nodes, parents before their children, siblings in order.
    header : str
        One line about the whole tree.
    """

    def __init__(
        self,
        model: Model,
        tree: int | None,
        max_depth: int | None,
        max_nodes: int,
        feature_names: Sequence[str] | None,
        target_name: str | None,
    ) -> None:
        view = model.view(tree)
        self._excerpt = Excerpt(view, model.names(feature_names), max_nodes=max_nodes, max_depth=max_depth)
        self._facts = NodeFacts(model, view, None, tree)
        self._hidden = Hidden(view, self._facts, self._excerpt.shown)
        self.items = self._excerpt.items
        target = target_name if target_name is not None else model.target_name
        self.header = header_of(model, self._excerpt, tree, target)

    def name(self, place: int) -> str:
        """Return ``n`` and the number of the node at a place; ``rest`` and the place for what is left out."""
        node = self.items[place].node
        return f"rest{place}" if node is None else f"n{node.id}"

    def is_leaf(self, item: Shown) -> bool:
        """Return whether a place holds a leaf of the tree."""
        return item.node is not None and item.node.is_leaf

    def is_cut(self, item: Shown) -> bool:
        """Return whether something is left out at a place."""
        return item.node is None or self._excerpt.is_cut(item)

    def lines(self, item: Shown) -> list[str]:
        """Return the test or the answer, what is told about the node, and what is left out below it."""
        node = item.node
        if node is None:
            rows = sum(left.rows for left in item.left_out)
            return [f"… {len(item.left_out)} branches", f"n={rows}"]
        head = self._facts.answer(node) if node.is_leaf else self._excerpt.test(item)
        below = self._hidden.describe(node) if self._excerpt.is_cut(item) else ""
        return [printable(line) for line in (head, *self._facts.cells(node), below) if line]
