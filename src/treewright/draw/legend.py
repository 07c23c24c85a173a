"""The legend of a picture: colours and what they stand for, row by row."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.draw.marks import Boxes, Mark, Words
from treewright.draw.text_width import cut, text_width

__all__ = ["Legend", "draw_legend"]

SIZE = 11.0
ROW = 17.0
MOST_ROWS = 4
MOST_WIDTH = 220.0

Legend = Sequence[tuple[str, str]]


def draw_legend(
    legend: Legend, left: float, top: float, width: float, most: float = MOST_WIDTH
) -> tuple[list[Mark], float]:
    """Return the marks of a legend, and where it ends.

    Parameters
    ----------
    legend : sequence of (str, str)
        Colours and names.
    left, top : float
        Where it begins.
    width : float
        How wide it may be.
    most : float
        How wide one name may be.
    """
    marks: list[Mark] = []
    x, row = left, 0
    for number, (colour, name) in enumerate(legend):
        short = cut(name, SIZE, min(most, width - 16))
        step = 16 + text_width(short, SIZE) + 14
        if x + step - 14 > left + width and x > left:
            x, row = left, row + 1
        y = top + ROW * row
        if row == MOST_ROWS:
            marks.append(Words(left, y + 10, f"… {len(legend) - number} more", SIZE, "grey"))
            break
        marks.append(Boxes([(x, y, 10, 10)], fill=colour, stroke="line"))
        marks.append(Words(x + 16, y + 9.5, short, SIZE))
        x += step
    return marks, top + (ROW * (row + 1) + 4 if legend else 0)
