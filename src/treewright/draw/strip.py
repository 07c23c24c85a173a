"""Strips: the data of one node as a small chart that fills the width of its card.

Every area has an outline, because some colours of classes are pale on one page or the other; what a strip
shows also stands in words beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from treewright.draw.colours import OTHER, ramp
from treewright.draw.marks import Area, Bend, Boxes, Dots, Lines, Words
from treewright.draw.text_width import cut

__all__ = ["ClassBar", "Columns", "PlainMark", "Points", "Scale", "Strip"]

LEAST_SEGMENT = 0.6  # pixels below which a class joins the others
MOST_SEGMENTS = 8
WEDGE = 6.0
NAME = 9.0  # size of letters below columns

PlainMark = Words | Boxes | Lines | Bend | Area | Dots
Rectangle = tuple[float, float, float, float]


class Strip(Protocol):
    """What a card can show between its words."""

    @property
    def height(self) -> float:
        """How high it is."""

    def draw(self, x: float, y: float, width: float) -> list[PlainMark]:
        """Return its marks, from (x, y) to the right and downwards."""


@dataclass(frozen=True)
class ClassBar:
    """Shares of classes side by side; the smallest of many are drawn as one grey part.

    Attributes
    ----------
    shares : sequence of float
        One per class, with the sum 1 (or all 0).
    colours : sequence of str
        One per class.
    height : float
        How high the bar is.
    """

    shares: Sequence[float]
    colours: Sequence[str]
    height: float = 10.0

    def draw(self, x: float, y: float, width: float) -> list[PlainMark]:
        """Return the bar."""
        order = sorted(range(len(self.shares)), key=lambda k: (-self.shares[k], k))
        kept = {k for k in order[:MOST_SEGMENTS] if self.shares[k] * width >= LEAST_SEGMENT}
        marks: list[PlainMark] = []
        at = x
        for k in sorted(kept):
            part = self.shares[k] * width
            marks.append(Boxes([(at, y, part, self.height)], fill=self.colours[k]))
            at += part
        if x + width - at >= LEAST_SEGMENT and at > x:
            marks.append(Boxes([(at, y, x + width - at, self.height)], fill=OTHER))
        marks.append(Boxes([(x, y, width, self.height)], stroke="line"))
        return marks


@dataclass(frozen=True)
class Columns:
    """Stacked columns in groups: the bins of a histogram, or categories by branch.

    Attributes
    ----------
    groups : sequence of sequence of sequence of float
        Group → column → weight of each class.
    colours : sequence of str
        One per class.
    cut : float or None
        Where the threshold stands, as a share of the width; None: the groups say it.
    names : sequence of str
        What the columns stand for, one after the other; drawn below them where that fits.
    height : float
        How high the chart is, with what stands below the columns.
    """

    groups: Sequence[Sequence[Sequence[float]]]
    colours: Sequence[str]
    cut: float | None = None
    names: Sequence[str] = ()
    height: float = 44.0

    def draw(self, x: float, y: float, width: float) -> list[PlainMark]:
        """Return the columns, their ground line per group, and the wedge."""
        below = WEDGE if self.cut is not None else NAME + 3
        floor, room = y + self.height - below - 1, self.height - below - 2
        count = sum(map(len, self.groups))
        if not count:
            return []
        gap = 0.0 if len(self.groups) == 1 else min(12.0, 0.3 * width / len(self.groups))
        step = (width - gap * (len(self.groups) - 1)) / count
        thin = 0.0 if self.cut is not None else 0.12 * step
        most = max(sum(column) for group in self.groups for column in group) or 1.0
        parts: dict[str, list[Rectangle]] = {}
        outline: list[Rectangle] = []
        ground, middles, at = [], [], x
        for group in self.groups:
            ground.append([(at, floor), (at + step * len(group), floor)])
            for column in group:
                top = floor
                for weight, colour in zip(column, self.colours, strict=True):
                    high = room * weight / most
                    if high > 0:
                        top -= high
                        parts.setdefault(colour, []).append((at + thin, top, step - 2 * thin, high))
                if top < floor:
                    outline.append((at + thin, top, step - 2 * thin, floor - top))
                middles.append(at + step / 2)
                at += step
            at += gap
        marks: list[PlainMark] = [Boxes(boxes, fill=colour) for colour, boxes in parts.items()]
        marks.append(Boxes(outline, stroke="line", thick=0.5))
        marks.append(Lines(ground, "line", 2))
        if self.cut is not None:
            marks += wedge(x + self.cut * width, y, floor)
        elif step >= 2 * NAME:
            marks += [
                Words(at, floor + NAME + 2, cut(name, NAME, step - 2), NAME, "grey", "middle")
                for at, name in zip(middles, self.names, strict=False)
            ]
        return marks


@dataclass(frozen=True)
class Points:
    """Numbers over a feature, with the mean of each side of the test.

    Attributes
    ----------
    points : sequence of (float, float)
        Where each row stands, as shares of width and height (0 below).
    means : sequence of (float, float, float)
        From, to (shares of the width) and mean (share of the height).
    cut : float or None
        Where the threshold stands, as a share of the width.
    height : float
        How high the chart is, the wedge included.
    """

    points: Sequence[tuple[float, float]]
    means: Sequence[tuple[float, float, float]]
    cut: float | None = None
    height: float = 50.0

    def draw(self, x: float, y: float, width: float) -> list[PlainMark]:
        """Return the dots, the means and the wedge."""
        floor, room = y + self.height - WEDGE - 1, self.height - WEDGE - 4
        marks: list[PlainMark] = [
            Dots(
                [(x + a * width, floor - 1.5 - b * room) for a, b in self.points],
                1.5,
                fill="mark",
                opacity=0.5,
            ),
            Lines(
                [
                    [(x + a * width, floor - 1.5 - mean * room), (x + b * width, floor - 1.5 - mean * room)]
                    for a, b, mean in self.means
                ],
                "ink",
                2,
            ),
            Lines([[(x, floor), (x + width, floor)]], "line"),
        ]
        if self.cut is not None:
            marks += wedge(x + self.cut * width, y, floor)
        return marks


@dataclass(frozen=True)
class Scale:
    """A number on the scale of all leaves of the tree, with its spread.

    Attributes
    ----------
    share : float
        Where it stands, from 0 to 1.
    spread : float
        Half of the whisker's length as a share of the scale; 0: none.
    height : float
        How high the strip is.
    """

    share: float
    spread: float = 0.0
    height: float = 10.0

    def draw(self, x: float, y: float, width: float) -> list[PlainMark]:
        """Return the scale, the whisker and the dot."""
        middle = y + self.height / 2
        inside = width - 8
        at = x + 4 + inside * self.share
        low = max(x, at - self.spread * inside)
        high = min(x + width, at + self.spread * inside)
        marks: list[PlainMark] = [Lines([[(x, middle), (x + width, middle)]], "line")]
        if self.spread > 0:
            marks.append(Lines([[(low, middle), (high, middle)]], "ink", 2))
        marks.append(Dots([(at, middle)], 4, fill=ramp(self.share), stroke="ink"))
        return marks


def wedge(at: float, top: float, floor: float) -> list[PlainMark]:
    """Return the mark of a threshold: a line through the chart and a wedge below it."""
    return [
        Lines([[(at, top), (at, floor)]], "ink", dash=(3, 2)),
        Area([(at, floor), (at - 4, floor + WEDGE), (at + 4, floor + WEDGE)], "ink"),
    ]
