"""Marks: what pictures are made of, as plain data that SVG and matplotlib draw alike.

Places are pixels from the upper left corner. A colour is `#rrggbb` or a name of the page's colours ("ink",
"line", …), which differ between light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Anchor",
    "Area",
    "Bend",
    "Boxes",
    "Dots",
    "Group",
    "Lines",
    "Mark",
    "Picture",
    "Point",
    "Words",
    "all_marks",
]

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Words:
    """One line of words.

    Attributes
    ----------
    x, y : float
        Where its start, middle or end is, and its ground line.
    content : str
        The words.
    size : float
        Size of the letters.
    colour : str
        Their colour.
    anchor : {"start", "middle", "end"}
        What stands at x.
    bold : bool
        Whether the letters are bold.
    """

    x: float
    y: float
    content: str
    size: float
    colour: str = "ink"
    anchor: Anchor = "start"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rectangles that look the same.

    Attributes
    ----------
    boxes : sequence of (x, y, width, height)
        Where they are.
    fill, stroke : str or None
        Colours of the area and of the outline.
    thick : float
        How thick the outline is.
    dash : tuple of float
        Lengths of its dashes and gaps; empty: none.
    radius : float
        Of round corners.
    opacity : float
        Of the area.
    crisp : bool
        Whether edges are drawn without shades, so that neighbours leave no line between them.
    """

    boxes: Sequence[tuple[float, float, float, float]]
    fill: str | None = None
    stroke: str | None = None
    thick: float = 1.0
    dash: tuple[float, ...] = ()
    radius: float = 0.0
    opacity: float = 1.0
    crisp: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines through points.

    Attributes
    ----------
    lines : sequence of sequence of (x, y)
        The points of each line.
    stroke : str
        Its colour.
    thick : float
        How thick it is.
    dash : tuple of float
        Lengths of dashes and gaps; empty: none.
    opacity : float
        Of the line.
    """

    lines: Sequence[Sequence[Point]]
    stroke: str
    thick: float = 1.0
    dash: tuple[float, ...] = ()
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Bend:
    """A line that goes straight from the first point to the second and then bends to the third.

    Attributes
    ----------
    begin, straight, end : (x, y)
        The points.
    down : bool
        Whether it goes downwards, otherwise to the right.
    stroke : str
        Its colour.
    thick : float
        How thick it is.
    """

    begin: Point
    straight: Point
    end: Point
    down: bool
    stroke: str
    thick: float

    @property
    def handles(self) -> tuple[Point, Point]:
        """The two points that a Bézier curve from `straight` to `end` is drawn to."""
        (x0, y0), (x1, y1) = self.straight, self.end
        if self.down:
            half = (y0 + y1) / 2
            return (x0, half), (x1, half)
        half = (x0 + x1) / 2
        return (half, y0), (half, y1)


@dataclass(frozen=True, slots=True)
class Area:
    """A closed area.

    Attributes
    ----------
    points : sequence of (x, y)
        Its corners.
    fill : str
        Its colour.
    opacity : float
        Of the area.
    """

    points: Sequence[Point]
    fill: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Dots:
    """Round dots that look the same.

    Attributes
    ----------
    points : sequence of (x, y)
        Their middles.
    radius : float
        How large they are.
    fill, stroke : str or None
        Colours of area and outline.
    thick : float
        How thick the outline is.
    opacity : float
        Of the area.
    """

    points: Sequence[Point]
    radius: float
    fill: str | None = None
    stroke: str | None = None
    thick: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that belong together, with words for a pointer that rests on them.

    Attributes
    ----------
    marks : sequence of Mark
        What is drawn, the lowest first.
    tip : str
        The words.
    """

    marks: Sequence[Words | Boxes | Lines | Bend | Area | Dots]
    tip: str = ""


Mark = Words | Boxes | Lines | Bend | Area | Dots | Group


@dataclass(frozen=True, slots=True)
class Picture:
    """A whole picture.

    Attributes
    ----------
    width, height : int
        Its size in pixels.
    marks : sequence of Mark
        What is drawn on the page, the lowest first.
    title, sentence : str
        What somebody who cannot see the picture hears: what it is, and what it says.
    shrinks : bool
        Whether a narrower page shrinks it; otherwise it keeps its size.
    """

    width: int
    height: int
    marks: Sequence[Mark]
    title: str
    sentence: str
    shrinks: bool = False


def all_marks(marks: Sequence[Mark]) -> Iterator[Words | Boxes | Lines | Bend | Area | Dots]:
    """Iterate over marks, those of groups one by one."""
    for mark in marks:
        if isinstance(mark, Group):
            yield from mark.marks
        else:
            yield mark
