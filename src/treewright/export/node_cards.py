"""NodeCards: the nodes of a tree as cards, with as much on them as there is room for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from treewright.draw.card import HEAD, SMALL, Card
from treewright.draw.colours import class_colours
from treewright.draw.strip import ClassBar, Scale, Strip
from treewright.draw.text_width import cut, text_width
from treewright.export.excerpt import Excerpt, Shown
from treewright.export.node_facts import Hidden, NodeFacts, usual_facts
from treewright.export.node_rows import NodeRows, nodes_of_row
from treewright.model.model import Model
from treewright.model.node import Node
from treewright.model.number import format_threshold
from treewright.model.text import printable

__all__ = ["NodeCards"]

FULL, COMPACT = 31, 127  # up to so many nodes
WIDTHS = {"full": (126.0, 290.0), "compact": (78.0, 270.0), "minimal": (36.0, 230.0)}
MOST_NAME = 110.0  # width of the name of a class before its weight
BAR = {"full": 10.0, "compact": 7.0}

Detail = Literal["auto", "full", "compact", "minimal"]


class NodeCards:
    """What `export_svg` tells about the nodes that it draws; its parameters are explained there."""

    def __init__(
        self,
        model: Model,
        tree: int | None,
        *,
        detail: Detail,
        max_depth: int | None,
        max_nodes: int,
        highlight: Any,
        palette: str | Sequence[str],
        feature_names: Sequence[str] | None,
        rows: tuple[Any, Any] | None,
    ) -> None:
        if detail not in ("auto", "full", "compact", "minimal"):
            raise ValueError(f"detail must be 'auto', 'full', 'compact' or 'minimal', got {detail!r}.")
        view = model.view(tree)
        boosted = model.aggregation == "sum"
        usual = usual_facts(model)
        # Boosters grow by sums of gradients: the loss of their steps as numbers says nothing about them.
        self.facts = NodeFacts(model, view, usual if boosted else (*usual, "gain"), tree)
        self.classes = self.facts.classes
        # Trees of boosters answer with numbers, but the rows in their nodes may have classes.
        self._labels = [] if model.classes is None else [str(label) for label in model.classes.tolist()]
        self.colours = class_colours(len(self._labels), palette)
        self._marked: frozenset[int] = frozenset()
        self._row = np.zeros(0)
        if highlight is not None:
            self._marked, self._row = nodes_of_row(model, view, highlight)
        self.excerpt = Excerpt(
            view, model.names(feature_names), max_nodes=max_nodes, max_depth=max_depth, wanted=self._marked
        )
        self._detail = _detail_for(len(self.excerpt.items)) if detail == "auto" else detail
        hidden = self.excerpt.n_left_out > 0
        self._hidden = Hidden(view, self.facts, self.excerpt.shown) if hidden else None
        self._rows = None
        if rows is not None:
            self._rows = NodeRows(model, self.excerpt, *rows, self.colours)
        leaves = view.tree.value[view.tree.n_children == 0, 0, 0]
        self._low, self._high = float(leaves.min()), float(leaves.max())
        self._has_spread = not boosted and model.criterion == "squared_error"
        self._of_booster = boosted

    def cards(self) -> list[Card]:
        """Return one card per item of the excerpt."""
        return [
            self._rest(item) if item.node is None else self._card(item, item.node)
            for item in self.excerpt.items
        ]

    def legend(self) -> list[tuple[str, str]]:
        """Return the colours that stand for classes in the picture, with their names."""
        if self.classes is None and self._rows is None:
            return []
        return list(zip(self.colours, map(printable, self._labels), strict=True))

    def sentence(self) -> str:
        """Say what the picture shows, for those who cannot see it."""
        root = self.excerpt.items[0]
        assert root.node is not None, "the root is a node"
        first = (
            f"Every row is answered with {printable(self.facts.answer(root.node))}."
            if root.node.is_leaf
            else f"The root asks: {self.excerpt.test(root).rstrip('?')}?"
        )
        rest = f" {self.excerpt.n_left_out} nodes are left out." if self.excerpt.n_left_out else ""
        return f"{first} {len(self.excerpt.items)} cards, each with its own words.{rest}"

    # --- one card
    # ---------------------------------------------------------------------------------------------------

    def _card(self, item: Shown, node: Node) -> Card:
        least, most = WIDTHS[self._detail]
        cells = dict(zip(self.facts.show, map(printable, self.facts.cells(node)), strict=True))
        is_cut = self.excerpt.is_cut(item)
        below = self._hidden.describe(node) if is_cut and self._hidden is not None else ""
        if node.is_leaf or is_cut:
            head, whole = self._answer(node), self._answer(node)
            if is_cut:
                whole = f"{self.excerpt.test(item)}, would answer {whole}"
        else:
            head, whole = self._test(item, most - 20), self.excerpt.test(item)
            if node.split is not None and node.split.kind == "threshold":
                most = max(most, text_width(head, HEAD, bold=True) + 20)  # half a number would be another one
        missing = printable(node.missing_note)
        cells["n"] = self.facts.count(node)  # the note has a line of its own
        row = self._row_words(item, node)
        short = self._hidden.short(node) if is_cut and self._hidden is not None else ""
        lines = self._lines(node, cells, [missing, row, short])
        tip = [item.words, whole, f"node {node.id}", *cells.values(), missing, row, below]
        tip.append(self._rows.n_drawn(node) if self._rows is not None and not node.is_leaf else "")
        root = self.excerpt.view.root.weight
        return Card(
            head=head,
            lines=lines,
            strip=self._strip(node, is_cut),
            label=item.branch if self._detail == "full" else item.answer,
            tip="\n".join(part for part in tip if part),
            weight=node.weight / root if root > 0 else 0.0,
            swatch=self._swatch(node) if node.is_leaf or is_cut else None,
            is_leaf=node.is_leaf,
            is_cut=is_cut,
            is_marked=node.id in self._marked,
            least=least,
            most=most,
        )

    def _rest(self, item: Shown) -> Card:
        least, most = WIDTHS[self._detail]
        rows = sum(node.rows for node in item.left_out)
        root = self.excerpt.view.root.weight
        head = f"… {len(item.left_out)} branches"
        return Card(
            head=head,
            lines=[] if self._detail == "minimal" else [f"n={rows}"],
            label=item.answer,
            tip="\n".join([item.words, f"n={rows}"]),
            weight=sum(node.weight for node in item.left_out) / root if root > 0 else 0.0,
            is_cut=True,
            least=least,
            most=most,
        )

    def _answer(self, node: Node) -> str:
        answer = printable(self.facts.answer(node))
        spread = self._spread(node)
        return f"{answer} ± {format_threshold(spread, 3)}" if spread > 0 else answer

    def _spread(self, node: Node) -> float:
        if not self._has_spread or math.isnan(node.impurity):  # a forest does not keep the loss of numbers
            return 0.0
        return math.sqrt(max(node.impurity, 0.0))

    def _test(self, item: Shown, most: float) -> str:
        """Return the test; a long name is cut, so that what is asked of it stays."""
        words, name = self.excerpt.test(item), self.excerpt.name(item)
        too_much = text_width(words, HEAD, bold=True) - most
        if too_much <= 0:
            return words
        room = max(text_width(name, HEAD, bold=True) - too_much, 0.45 * most)
        return self.excerpt.test(item, cut(name, HEAD, room, bold=True))

    def _lines(self, node: Node, cells: dict[str, str], others: Sequence[str]) -> list[str]:
        if self._detail == "minimal":
            return [line for line in others[1:] if line]
        if self._detail == "compact":
            return [line for line in (cells["n"], *others) if line]
        rest = [cell for name, cell in cells.items() if name not in ("n", "value") and cell]
        if self.classes is None:
            counts = " · ".join(cell for cell in (cells["n"], cells["value"]) if cell)
            return [line for line in (counts, _that_fit(rest), *others) if line]
        weights = _counts_that_fit(cells["value"].split(" · "))
        return [line for line in (weights, _that_fit([cells["n"], *rest]), *others) if line]

    def _row_words(self, item: Shown, node: Node) -> str:
        """Return the value of the highlighted row that decides here."""
        if node.id not in self._marked:
            return ""
        if not any(child.id in self._marked for child in node.children):
            return "the row ends here"
        feature = int(node.view.tree.feature[node.id])
        value = float(self._row[feature])
        if math.isnan(value):
            return "row: missing"
        about = node.view.schema.features[feature]
        if about.categories is None:
            return f"row: {format_threshold(value)}"
        known = 1 <= int(value) <= len(about.categories)
        return f"row: {printable(str(about.categories[int(value) - 1]))}" if known else "row: a new category"

    def _swatch(self, node: Node) -> str | None:
        return None if self.classes is None else self.colours[int(np.argmax(node.value))]

    def _strip(self, node: Node, is_cut: bool) -> Strip | None:
        if self._detail == "minimal":
            return None
        if self._rows is not None and self._detail == "full" and not node.is_leaf and not is_cut:
            chart = self._rows.strip(node)
            if chart is not None:
                return chart
        height = BAR[self._detail]
        if self.classes is not None:
            return ClassBar(node.value.tolist(), self.colours, height)
        value, room = float(node.value[0]), self._high - self._low
        if self._of_booster and not node.is_leaf:
            return None
        if not 0 < room < math.inf:
            return Scale(0.5, 0.0, height)
        share = min(max((value - self._low) / room, 0.0), 1.0)
        return Scale(share, self._spread(node) / room, height)


def _counts_that_fit(parts: Sequence[str]) -> str:
    """Join classes and their weights; long names are cut before weights are left out."""
    whole = _joined(parts, len(parts))
    if text_width(whole, SMALL) <= WIDTHS["full"][1] - 20:
        return whole
    named = [part.rsplit(" ", 1) for part in parts]
    return _that_fit([" ".join([cut(name, SMALL, MOST_NAME), *weight]) for name, *weight in named])


def _that_fit(parts: Sequence[str]) -> str:
    """Join parts, without those at the end that there is no room for: half a number would be another one."""
    most = WIDTHS["full"][1] - 20
    kept = len(parts)
    while kept > 1 and text_width(_joined(parts, kept), SMALL) > most:
        kept -= 1
    return _joined(parts, kept)


def _joined(parts: Sequence[str], kept: int) -> str:
    return " · ".join([*parts[:kept], *(["…"] if kept < len(parts) else [])])


def _detail_for(n_cards: int) -> Literal["full", "compact", "minimal"]:
    if n_cards <= FULL:
        return "full"
    return "compact" if n_cards <= COMPACT else "minimal"
