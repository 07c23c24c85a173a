"""Bars below each other: what candidates offer, what features add, how many trees vote; words beside each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treewright.draw.colours import BLUE, ORANGE
from treewright.draw.marks import Boxes, Lines, Mark, Picture, Words
from treewright.draw.svg import to_svg
from treewright.draw.text_width import cut, text_width

__all__ = ["Bar", "draw_bars"]

WIDTH = 640
TOP, ROW, THICK = 22.0, 22.0, 13.0
LABELS, ENDS = 300.0, 210.0  # at most so wide are the words on the left and on the right
SIZE = 12.0
MOST_BARS = 20

Kind = Literal["plain", "marked", "refused"]


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes
    ----------
    label : str
        What it stands for, on its left.
    value : float
        Its length; to the left of the line when negative.
    words : str
        What stands at its end: the number as everywhere else.
    kind : {"plain", "marked", "refused"}
        The one that was chosen, or one that could not be.
    """

    label: str
    value: float
    words: str
    kind: Kind = "plain"


def draw_bars(bars: Sequence[Bar], *, title: str, sentence: str, unit: str) -> str:
    """Return the picture as SVG; of many bars the first.

    Parameters
    ----------
    bars : sequence of Bar
        At least one.
    title, sentence : str
        What the picture is and what it says, for those who cannot see it.
    unit : str
        What the lengths are; stands above the bars.
    """
    shown = bars[:MOST_BARS]
    left = min(LABELS, max(text_width(bar.label, SIZE) for bar in shown)) + 8
    right = min(ENDS, max(text_width(bar.words, SIZE) for bar in shown)) + 10
    values = [bar.value for bar in shown]
    low, high = min(0.0, *values), max(0.0, *values)
    # The number of a negative bar stands on the right of the line too, so nothing is needed on the left.
    scale = (WIDTH - left - right) / ((high - low) or 1.0)
    zero = left - low * scale
    marks: list[Mark] = [Words(left, 14, cut(unit, SIZE, WIDTH - left), SIZE)]
    for place, bar in enumerate(shown):
        top = TOP + place * ROW
        length = max(abs(bar.value) * scale, 0.5)
        box = (zero if bar.value >= 0 else zero - length, top, length, THICK)
        base = top + THICK - 2.5
        marks.append(Words(left - 8, base, cut(bar.label, SIZE, LABELS), SIZE, anchor="end"))
        if bar.kind == "refused":
            marks.append(Boxes([box], stroke="grey", dash=(3, 2)))
        else:
            marks.append(Boxes([box], fill=ORANGE if bar.kind == "marked" else BLUE))
        marks.append(Words(max(zero, box[0] + length) + 6, base, cut(bar.words, SIZE, ENDS), SIZE))
    bottom = TOP + len(shown) * ROW
    marks.append(Lines([[(zero, TOP - 2), (zero, bottom)]], "line"))
    if len(shown) < len(bars):
        marks.append(Words(left - 8, bottom + 12, f"… {len(bars) - len(shown)} more", SIZE, anchor="end"))
        bottom += 16
    return to_svg(Picture(WIDTH, int(bottom) + 8, marks, title, sentence, shrinks=True))
