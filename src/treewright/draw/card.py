"""Card: one node as a small box with words and a strip, and the words on the way to it above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from treewright.draw.marks import Boxes, Group, Words
from treewright.draw.strip import PlainMark, Strip
from treewright.draw.text_width import cut, text_width

__all__ = ["Card"]

PAD = 9.0
LABEL = 17.0  # height of the words above a card
HEAD, SMALL = 13.0, 11.0  # sizes of letters
SWATCH = 16.0
SLACK = 0.01  # so that words which made the card as wide as it is are not cut for the last bit of a sum


@dataclass(frozen=True)
class Card:
    """What is told about one node.

    Attributes
    ----------
    head : str
        The test or the answer.
    lines : sequence of str
        Small words below.
    strip : Strip or None
        A chart between them.
    label : str
        The branch that leads here; stands above the card.
    tip : str
        Everything in full, for a pointer that rests on the card and for those who hear the picture.
    weight : float
        Share of all rows that come here; makes the line to it thick.
    swatch : str or None
        Colour of the answer, drawn before it.
    is_leaf : bool
        Whether the head is an answer.
    is_cut : bool
        Whether something below is left out.
    is_marked : bool
        Whether the highlighted row comes here.
    least, most : float
        Bounds of the card's width.
    """

    head: str
    lines: Sequence[str] = ()
    strip: Strip | None = None
    label: str = ""
    tip: str = ""
    weight: float = 1.0
    swatch: str | None = None
    is_leaf: bool = False
    is_cut: bool = False
    is_marked: bool = False
    least: float = 96.0
    most: float = 240.0

    @cached_property
    def width(self) -> float:
        """How wide the card is."""
        swatch = SWATCH if self.swatch else 0.0
        wanted = [text_width(self.head, HEAD, bold=True) + swatch, text_width(self.label, SMALL) - 2 * PAD]
        wanted += [text_width(line, SMALL) for line in self.lines]
        return min(max(*wanted, self.least - 2 * PAD), self.most - 2 * PAD) + 2 * PAD

    @cached_property
    def height(self) -> float:
        """How high it is, with the words above."""
        strip = 0.0 if self.strip is None else self.strip.height + 6
        return self.top + 2 * 7.0 + 15.0 + strip + 15.0 * len(self.lines)

    @property
    def top(self) -> float:
        """Where the card itself begins."""
        return LABEL if self.label else 0.0

    def draw(self, x: float, y: float) -> Group:
        """Return the card and the words above it."""
        width, inside = self.width, self.width - 2 * PAD + SLACK
        marks: list[PlainMark] = []
        if self.label:
            label = cut(self.label, SMALL, width + SLACK)
            marks.append(Words(x + width / 2, y + LABEL - 5, label, SMALL, "grey", "middle"))
        y += self.top
        marks.append(
            Boxes(
                [(x, y, width, self.height - self.top)],
                fill="card",
                stroke="mark" if self.is_marked else "line",
                thick=3 if self.is_marked else 1,
                dash=(5, 3) if self.is_cut else (),
                radius=11 if self.is_leaf else 4,
            )
        )
        left, y = x + PAD, y + 7
        swatch = 0.0
        if self.swatch:
            swatch = SWATCH
            marks.append(Boxes([(left, y + 2, 10, 10)], fill=self.swatch, stroke="line"))
        head = cut(self.head, HEAD, inside - swatch, bold=True)
        marks.append(Words(left + swatch, y + 12, head, HEAD, bold=True))
        y += 15
        if self.strip is not None:
            marks += self.strip.draw(left, y + 4, inside)
            y += self.strip.height + 6
        for line in self.lines:
            y += 15
            marks.append(Words(left, y - 3, cut(line, SMALL, inside), SMALL, "grey"))
        return Group(marks, self.tip)
