"""The way of one row: after each test the shares of the classes, or the mean on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treewright.draw.colours import BLUE, ORANGE, OTHER, class_colours
from treewright.draw.marks import Boxes, Dots, Lines, Mark, Picture, Words
from treewright.draw.svg import to_svg
from treewright.draw.text_width import cut, text_width

__all__ = ["Stop", "draw_way"]

WIDTH = 640
TOP, ROW, THICK = 8.0, 26.0, 14.0
LABELS, ENDS = 270.0, 180.0
SIZE = 12.0
MOST_CLASSES = 8


@dataclass(frozen=True)
class Stop:
    """One node on the way.

    Attributes
    ----------
    label : str
        The test that led here.
    values : tuple of float
        Share of each class, or one number.
    words : str
        What stands on the right.
    is_end : bool
        Whether the row ends here.
    """

    label: str
    values: tuple[float, ...]
    words: str
    is_end: bool = False


def draw_way(stops: Sequence[Stop], *, classes: Sequence[str] | None, title: str, sentence: str) -> str:
    """Return the picture as SVG.

    Parameters
    ----------
    stops : sequence of Stop
        From the root on.
    classes : sequence of str or None
        What the values are shares of; None: each stop has one number.
    title, sentence : str
        What the picture is and what it says, for those who cannot see it.
    """
    left = min(LABELS, max(text_width(stop.label, SIZE) for stop in stops)) + 26
    width = WIDTH - left - min(ENDS, max(text_width(stop.words, SIZE) for stop in stops)) - 12
    middles = [TOP + place * ROW + THICK / 2 for place in range(len(stops))]
    links = [[(10.0, y - ROW + 5), (10.0, y - 5)] for y in middles[1:]]
    marks: list[Mark] = [Lines(links, "line")] if links else []
    for stop, y in zip(stops, middles, strict=True):
        fill, stroke = (ORANGE, ORANGE) if stop.is_end else (None, "line")
        marks.append(Dots([(10.0, y)], 4.5, fill, stroke))
        marks.append(Words(22, y + 4, cut(stop.label, SIZE, LABELS), SIZE))
        marks.append(Words(left + width + 8, y + 4, cut(stop.words, SIZE, ENDS), SIZE))
    bottom = TOP + len(stops) * ROW
    if classes is None:
        marks += _numbers(stops, middles, left, width)
    else:
        shown = _shown(stops, classes)
        colours = class_colours(len(classes))
        marks += _shares(stops, shown, colours, left, width)
        bottom += 20
        marks += _legend([(colours[k], classes[k]) for k in shown], bottom - 6)
    return to_svg(Picture(WIDTH, int(bottom) + 4, marks, title, sentence, shrinks=True))


def _shown(stops: Sequence[Stop], classes: Sequence[str]) -> list[int]:
    """Return the classes that matter most on the way, in their own order."""
    weight = [max(stop.values[k] for stop in stops) for k in range(len(classes))]
    most = sorted(range(len(classes)), key=lambda k: -weight[k])[:MOST_CLASSES]
    return sorted(k for k in most if weight[k] > 0)


def _shares(
    stops: Sequence[Stop], shown: Sequence[int], colours: Sequence[str], left: float, width: float
) -> list[Mark]:
    marks: list[Mark] = []
    for place, stop in enumerate(stops):
        top, at = TOP + place * ROW, left
        whole = sum(stop.values) or 1.0
        for k in shown:
            part = width * stop.values[k] / whole
            if part >= 0.5:
                marks.append(Boxes([(at, top, part, THICK)], fill=colours[k]))
                at += part
        if left + width - at >= 0.5 and at > left:
            marks.append(Boxes([(at, top, left + width - at, THICK)], fill=OTHER))
        marks.append(Boxes([(left, top, width, THICK)], stroke="line"))
    return marks


def _legend(entries: Sequence[tuple[str, str]], base: float) -> list[Mark]:
    marks: list[Mark] = []
    at = 22.0
    for place, (colour, name) in enumerate(entries):
        words = cut(name, SIZE, 140)
        needed = text_width(words, SIZE) + 30
        if at + needed > WIDTH - 70:
            marks.append(Words(at, base, f"… {len(entries) - place} more", SIZE))
            break
        marks.append(Boxes([(at, base - 9, 10, 10)], fill=colour, stroke="line"))
        marks.append(Words(at + 15, base, words, SIZE))
        at += needed
    return marks


def _numbers(stops: Sequence[Stop], middles: Sequence[float], left: float, width: float) -> list[Mark]:
    values = [stop.values[0] for stop in stops]
    low, high = min(values), max(values)
    shares = [(value - low) / (high - low) if high > low else 0.5 for value in values]
    points = [(left + 6 + (width - 12) * share, y) for share, y in zip(shares, middles, strict=True)]
    marks: list[Mark] = [Lines([[(left, y), (left + width, y)] for y in middles], "line")]
    marks.append(Lines([points], BLUE, 2.0))
    for stop, point in zip(stops, points, strict=True):
        marks.append(Dots([point], 5, ORANGE if stop.is_end else BLUE))
    return marks
