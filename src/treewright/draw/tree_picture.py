"""A tree of cards as one SVG text, which brings its own page: light, or dark where the reader's system is."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from html import escape

from treewright.draw.card import SMALL, Card
from treewright.draw.colours import DARK, LIGHT
from treewright.draw.layout import Layout, Orientation, tidy
from treewright.draw.text_width import cut, text_width
from treewright.draw.words import words

__all__ = ["draw_tree"]

MARGIN = 14.0
LEAST_WIDTH = 300.0
COMFORT = 1100.0  # a wider picture does not fit on most screens
GAPS = {"down": (16.0, 34.0), "right": (9.0, 52.0)}  # between siblings, between levels
THICKEST = 9.0
FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Arial, sans-serif"
LEGEND_ROWS = 4

Legend = Sequence[tuple[str, str]]


def draw_tree(
    cards: Sequence[Card],
    parents: Sequence[int],
    *,
    title: str,
    sentence: str,
    header: str,
    legend: Legend = (),
    orientation: Orientation | None = None,
) -> str:
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
    legend_marks, top = _legend(legend, width, MARGIN + 22)
    header_mark = words("i", MARGIN, MARGIN + 12, cut(header, SMALL, width), SMALL, "start")
    edges = []
    drawn = []
    for node, card in enumerate(cards):
        if node:
            edges.append(_edge(cards, layout, parents[node], node, way, left, top))
        drawn.append(card.draw(left + layout.x[node], top + layout.y[node]))
    body = "".join([header_mark, *legend_marks, '<g fill="none">', *edges, "</g>", *drawn])
    name = "tw" + hashlib.blake2b(f"{title}{body}".encode(), digest_size=6).hexdigest()
    full_width, full_height = math.ceil(width + 2 * MARGIN), math.ceil(top + layout.height + MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" viewBox="0 0 {full_width} {full_height}" '
        f'width="{full_width}" height="{full_height}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc" font-family="{FONT}">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(sentence)}</desc>'
        f"<style>{_style(name)}</style>"
        f'<rect class="p" width="{full_width}" height="{full_height}" fill="{LIGHT["page"]}"/>'
        f"{body}</svg>"
    )


def _style(name: str) -> str:
    """Return rules for this picture alone; readers without rules see the attributes, a light page."""

    def values(colours: dict[str, str]) -> str:
        return ";".join(f"--tw-{part}:{colour}" for part, colour in colours.items())

    rules = {
        "p": "fill:var(--tw-page)",
        "k": "fill:var(--tw-card)",
        "i": "fill:var(--tw-ink)",
        "g": "fill:var(--tw-grey)",
        "n": "stroke:var(--tw-ink)",
        "l": "stroke:var(--tw-line)",
        "e": "stroke:var(--tw-edge)",
        "m": "stroke:var(--tw-mark)",
    }
    return (
        f"#{name}{{{values(LIGHT)}}}@media(prefers-color-scheme:dark){{#{name}{{{values(DARK)}}}}}"
        + "".join(f"#{name} .{part}{{{rule}}}" for part, rule in rules.items())
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


def _legend(legend: Legend, width: float, y: float) -> tuple[list[str], float]:
    """Return the marks of the legend and where the tree may begin."""
    marks: list[str] = []
    x, row = MARGIN, 0
    for number, (colour, name) in enumerate(legend):
        short = cut(name, SMALL, min(220.0, width - 16))
        step = 16 + text_width(short, SMALL) + 14
        if x + step - 14 > MARGIN + width and x > MARGIN:
            x, row = MARGIN, row + 1
        if row == LEGEND_ROWS:
            marks.append(
                words("g", MARGIN, y + 17 * row + 10, f"… {len(legend) - number} more", SMALL, "start")
            )
            break
        top = y + 17 * row
        marks.append(
            f'<path class="l" fill="{colour}" stroke="{LIGHT["line"]}" d="M{x:.1f} {top:.1f}h10v10h-10z"/>'
            f"{words('i', x + 16, top + 9.5, short, SMALL, 'start')}"
        )
        x += step
    return marks, y + (17 * (row + 1) + 4 if legend else 0)


def _edge(
    cards: Sequence[Card],
    layout: Layout,
    parent: int,
    node: int,
    way: Orientation,
    left: float,
    top: float,
) -> str:
    """Return a line that leaves the parent's level straight, so that it crosses no card, and then bends."""
    above, card = cards[parent], cards[node]
    if way == "down":
        x0, x1 = (left + layout.x[at] + cards[at].width / 2 for at in (parent, node))
        y0, y1 = top + layout.y[parent] + above.height, top + layout.y[node]
        bend = y1 - GAPS[way][1]
        half = (bend + y1) / 2
        path = f"M{x0:.1f} {y0:.1f}V{bend:.1f}C{x0:.1f} {half:.1f} {x1:.1f} {half:.1f} {x1:.1f} {y1:.1f}"
    else:
        x0, x1 = left + layout.x[parent] + above.width, left + layout.x[node]
        y0, y1 = (top + layout.y[at] + (cards[at].height + cards[at].top) / 2 for at in (parent, node))
        bend = x1 - GAPS[way][1]
        half = (bend + x1) / 2
        path = f"M{x0:.1f} {y0:.1f}H{bend:.1f}C{half:.1f} {y0:.1f} {half:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    thick = 1 + (THICKEST - 1) * math.sqrt(min(max(card.weight, 0.0), 1.0))
    name = "m" if card.is_marked else "e"
    return (
        f'<path class="{name}" stroke="{LIGHT["mark" if card.is_marked else "edge"]}" '
        f'stroke-width="{thick:.1f}" d="{path}"/>'
    )
