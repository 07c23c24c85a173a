"""Pictures read back: boxes, words and lines of an SVG text, for tests of where things stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from treewright.draw.text_width import text_width

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Box) -> bool:
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.bottom <= other.top or other.bottom <= self.top)

    def holds(self, other: Box, slack: float = 0.6) -> bool:
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )


def words_box(text: ElementTree.Element) -> Box:
    """Return the room that words take, by the estimate of their width."""
    size = float(text.get("font-size", "12"))
    width = text_width(text.text or "", size, bold=text.get("font-weight") is not None)
    x, y = float(text.get("x", 0)), float(text.get("y", 0))
    left = x - width * {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor", ""), 0.0)
    return Box(left, y - 0.8 * size, left + width, y + 0.2 * size)


def card_box(rect: ElementTree.Element) -> Box:
    x, y, width, height = (float(rect.get(name, 0)) for name in ("x", "y", "width", "height"))
    return Box(x, y, x + width, y + height)


class Drawn:
    """One picture."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        _, _, width, height = map(float, self.root.get("viewBox", "").split())
        self.view = Box(0, 0, width, height)
        self.groups = [group for group in self.root.iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
        self.cards = [card_box(group.find(f"{SVG}rect")) for group in self.groups]  # type: ignore[arg-type]
        self.tips = [group.findtext(f"{SVG}title") or "" for group in self.groups]
        self.words = [text.text or "" for text in self.root.iter(f"{SVG}text")]

    def check(self) -> None:
        """Assert that nothing overlaps, leaves its box or leaves the picture."""
        labels = []
        for group, card in zip(self.groups, self.cards, strict=True):
            assert self.view.holds(card)
            for text in group.iter(f"{SVG}text"):
                box = words_box(text)
                if box.bottom <= card.top + 1:
                    labels.append(box)
                else:
                    assert card.holds(box), text.text
        everything = self.cards + labels
        for i, one in enumerate(everything):
            for other in everything[:i]:
                assert not one.touches(other)
        for text in self.root.iter(f"{SVG}text"):
            assert self.view.holds(words_box(text)), text.text
        for path in self.root.iter(f"{SVG}path"):
            for x, y in re.findall(r"M(-?[\d.]+) (-?[\d.]+)", path.get("d", "")):
                assert self.view.holds(Box(float(x), float(y), float(x), float(y)))
