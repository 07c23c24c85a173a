"""A tree of cards as one picture: lines, cards, a header and a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence

from treewright.draw.card import SMALL, Card
from treewright.draw.layout import Layout, Orientation, tidy
from treewright.draw.legend import Legend, draw_legend
from treewright.draw.marks import Bend, Mark, Picture, Words
from treewright.draw.text_width import cut

__all__ = ["draw_tree"]

MARGIN = 14.0
LEAST_WIDTH = 300.0
COMFORT = 1100.0  # a wider picture does not fit on most screens
GAPS = {"down": (16.0, 34.0), "right": (9.0, 52.0)}  # between siblings, between levels
THICKEST = 9.0


def draw_tree(
    cards: Sequence[Card],
    parents: Sequence[int],
    *,
    title: str,
    sentence: str,
    header: str,
    legend: Legend = (),
    orientation: Orientation | None = None,
) -> Picture:
    """Return a picture of a tree.

    Parameters
    ----------
    cards : sequence of Card
        The nodes.
    parents : sequence of int
        Parent of each, -1 for the first; parents before their children, siblings in order.
    title, sentence : str
        What somebody who cannot see the picture hears: what it is, and what it says.
    header : str
        One line above the tree.
    legend : sequence of (str, str)
        Colours and what they stand for.
    orientation : {"down", "right"} or None
        Where the tree grows to; None: downwards if that fits on a screen, else where it is narrower.
    """
    way, layout = _placed(cards, parents, orientation)
    width = max(layout.width, LEAST_WIDTH)
    left = MARGIN + (width - layout.width) / 2
    legend_marks, top = draw_legend(legend, MARGIN, MARGIN + 22, width)
    marks: list[Mark] = [Words(MARGIN, MARGIN + 12, cut(header, SMALL, width), SMALL), *legend_marks]
    # The way of a highlighted row lies above the others where they begin together.
    order = sorted(range(1, len(cards)), key=lambda node: cards[node].is_marked)
    marks += [_edge(cards, layout, parents[node], node, way, left, top) for node in order]
    marks += [card.draw(left + layout.x[node], top + layout.y[node]) for node, card in enumerate(cards)]
    return Picture(
        math.ceil(width + 2 * MARGIN), math.ceil(top + layout.height + MARGIN), marks, title, sentence
    )


def _placed(
    cards: Sequence[Card], parents: Sequence[int], orientation: Orientation | None
) -> tuple[Orientation, Layout]:
    widths, heights = [card.width for card in cards], [card.height for card in cards]

    def place(way: Orientation) -> Layout:
        between, level = GAPS[way]
        return tidy(parents, widths, heights, sibling_gap=between, level_gap=level, orientation=way)

    if orientation is not None:
        return orientation, place(orientation)
    down = place("down")
    if down.width <= COMFORT:
        return "down", down
    right = place("right")
    return ("right", right) if right.width < down.width else ("down", down)


def _edge(
    cards: Sequence[Card],
    layout: Layout,
    parent: int,
    node: int,
    way: Orientation,
    left: float,
    top: float,
) -> Bend:
    """Return a line that leaves the parent's level straight, so that it crosses no card, and then bends."""
    above, card = cards[parent], cards[node]
    if way == "down":
        x0, x1 = (left + layout.x[at] + cards[at].width / 2 for at in (parent, node))
        y0, y1 = top + layout.y[parent] + above.height, top + layout.y[node]
        straight = (x0, y1 - GAPS[way][1])
    else:
        x0, x1 = left + layout.x[parent] + above.width, left + layout.x[node]
        y0, y1 = (top + layout.y[at] + (cards[at].height + cards[at].top) / 2 for at in (parent, node))
        straight = (x1 - GAPS[way][1], y0)
    thick = 1 + (THICKEST - 1) * math.sqrt(min(max(card.weight, 0.0), 1.0))
    return Bend((x0, y0), straight, (x1, y1), way == "down", "mark" if card.is_marked else "edge", thick)
