"""A chart as a picture: axes, legend and notes around what its layers draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

from treewright.draw.chart import Band, Bars, Cells, Chart, Line, Note, Points, Rule
from treewright.draw.colours import on_colour
from treewright.draw.legend import draw_legend
from treewright.draw.marks import Area, Boxes, Dots, Lines, Mark, Picture, Point, Words
from treewright.draw.scale import Scale
from treewright.draw.text_width import cut, text_width

__all__ = ["draw_chart"]

MARGIN: Final = 14.0
HEAD, SMALL = 13.0, 11.0
LINE: Final = 16.0  # height of a line of words
LEAST_WIDTH: Final = 440.0  # so that words above the chart have room
MOST_LABEL: Final = 200.0  # width of the words beside the y axis
LEAST_TICK: Final = 22.0  # pixels between the words below the x axis, at least
DASH: Final = (5.0, 4.0)
MOST_DOTS_ALONE: Final = 2000  # a picture with more is thinned evenly


def draw_chart(chart: Chart) -> Picture:
    """Return the picture of a chart.

    Parameters
    ----------
    chart : Chart
        What is drawn.
    """
    labels = [words for _, words in Scale(chart.y, 0, 1).ticks]
    beside = min(max([text_width(words, SMALL) for words in labels], default=0.0), MOST_LABEL)
    left = MARGIN + beside + 8
    right = left + chart.width
    # Words behind the ends of bars may go beyond the last of them.
    full_width = max(right + _room_behind(chart) + MARGIN + 8, LEAST_WIDTH)
    marks: list[Mark] = []
    y = MARGIN
    for words, size, colour in ((chart.title, HEAD, "ink"), (chart.remark, SMALL, "grey")):
        for line in _wrapped(words, size, full_width - 2 * MARGIN, bold=colour == "ink"):
            marks.append(Words(MARGIN, y + 12, line, size, colour, bold=colour == "ink"))
            y += LINE + (2 if colour == "ink" else 0)
    y += 6
    legend, y = draw_legend(chart.legend, MARGIN, y, full_width - 2 * MARGIN, math.inf)
    marks += legend
    if chart.y.name:
        marks.append(Words(MARGIN, y + 10, cut(chart.y.name, SMALL, full_width - 2 * MARGIN), SMALL, "grey"))
        y += LINE
    notes = [layer for layer in chart.layers if isinstance(layer, Note)]
    top = y + LINE * len(notes) + 6
    bottom = top + chart.height
    x_scale, y_scale = Scale(chart.x, left, right), Scale(chart.y, bottom, top)
    for layer in chart.layers:
        if not isinstance(layer, Note):
            marks += DRAWERS[type(layer)](layer, x_scale, y_scale)
    marks += _frame(chart, x_scale, y_scale, beside)
    for number, note in enumerate(sorted(notes, key=lambda note: x_scale(note.x))):
        marks += _note(note, x_scale, y_scale, y + LINE * number, full_width)
    y = bottom + 22
    if chart.x.name:
        name = cut(chart.x.name, SMALL, full_width - 2 * MARGIN)
        half = text_width(name, SMALL) / 2
        middle = min(max((left + right) / 2, MARGIN + half), full_width - MARGIN - half)
        marks.append(Words(middle, y + 12, name, SMALL, "grey", "middle"))
        y += LINE
    return Picture(
        math.ceil(full_width), math.ceil(y + MARGIN), marks, chart.title, chart.sentence, shrinks=True
    )


def _wrapped(words: str, size: float, most: float, *, bold: bool) -> list[str]:
    """Return words in as many lines as they need; a single word that is too long is cut."""
    lines: list[str] = []
    for word in words.split(" ") if words else []:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold=bold) <= most:
            lines[-1] = longer
        else:
            lines.append(cut(word, size, most, bold=bold))
    return lines


def _room_behind(chart: Chart) -> float:
    bars = [layer for layer in chart.layers if isinstance(layer, Bars) and layer.lying]
    return max((text_width(words, SMALL) + 6 for layer in bars for words in layer.words), default=0.0)


def _frame(chart: Chart, x: Scale, y: Scale, beside: float) -> list[Mark]:
    """Return both axes with their ticks and words."""
    left, right, bottom, top = x.begin, x.end, y.begin, y.end
    marks: list[Mark] = [Lines([[(left, top), (left, bottom), (right, bottom)]], "line")]
    small: list[list[Point]] = []
    taken = math.inf
    for value, words in sorted(y.ticks, key=lambda tick: -y(tick[0])):
        place = y(value)
        if taken - place < 11:  # as many words as there is room for
            continue
        small.append([(left - 4, place), (left, place)])
        short = cut(words, SMALL, beside + 0.5)
        marks.append(Words(left - 8, place + 4, short, SMALL, "grey", "end"))
        taken = place
    small += _below(x, bottom, marks, right)
    marks.append(Lines(small, "line"))
    return marks


def _below(x: Scale, bottom: float, marks: list[Mark], right: float) -> list[list[Point]]:
    """Add the words below the x axis; return the small lines that lead to them."""
    places = sorted((x(value), words) for value, words in x.ticks)
    if not places:
        return []
    gaps = [b[0] - a[0] for a, b in pairwise(places)]
    room = max(min(gaps, default=x.end - x.begin), LEAST_TICK) - 6
    named = x.axis.ticks is not None and not x.axis.log
    small, taken = [], -math.inf
    last = len(places) - 1
    for number, (place, words) in enumerate(places):
        short = cut(words, SMALL, room) if named else words
        half = text_width(short, SMALL) / 2
        ends = places[last][0] - text_width(places[last][1], SMALL) / 2
        in_the_way = x.axis.log and number < last and place + half + 6 > ends
        if place - half < taken or in_the_way:
            continue
        small.append([(place, bottom), (place, bottom + 4)])
        at = min(max(place, half + 2), right + MARGIN + 6 - half)
        marks.append(Words(at, bottom + 16, short, SMALL, "grey", "middle"))
        taken = at + half + 6
    return small


# --- layers
# -----------------------------------------------------------------------------------------------------------


def _line(layer: Line, x: Scale, y: Scale) -> list[Mark]:
    pieces: list[list[Point]] = [[]]
    for at, value in zip(layer.x, layer.y, strict=True):
        if math.isnan(value) or math.isnan(at):
            pieces.append([])
            continue
        if layer.stepped and pieces[-1]:
            pieces[-1].append((x(at), pieces[-1][-1][1]))
        pieces[-1].append((x(at), y(value)))
    drawn = [piece for piece in pieces if len(piece) > 1]
    alone = [piece[0] for piece in pieces if len(piece) == 1]
    marks: list[Mark] = []
    if drawn:
        marks.append(Lines(drawn, layer.colour, layer.thick, DASH if layer.dashed else ()))
    if alone:
        marks.append(Dots(alone, layer.thick, fill=layer.colour))
    return marks


def _band(layer: Band, x: Scale, y: Scale) -> list[Mark]:
    known = [
        (at, low, high)
        for at, low, high in zip(layer.x, layer.low, layer.high, strict=True)
        if math.isfinite(at + low + high)
    ]
    if len(known) < 2:
        return []
    outline = [(x(at), y(high)) for at, _, high in known] + [(x(at), y(low)) for at, low, _ in known[::-1]]
    return [Area(outline, layer.colour, 0.18)]


def _points(layer: Points, x: Scale, y: Scale) -> list[Mark]:
    count = len(layer.x)
    chosen: Sequence[int] = range(count)
    if count > MOST_DOTS_ALONE:
        chosen = [number * count // MOST_DOTS_ALONE for number in range(MOST_DOTS_ALONE)]
    by_colour: dict[str, list[Point]] = {}
    for number in chosen:
        at, value = layer.x[number], layer.y[number]
        if math.isfinite(at) and math.isfinite(value):
            colour = layer.colours[number if len(layer.colours) > 1 else 0]
            by_colour.setdefault(colour, []).append((x(at), y(value)))
    return [
        Dots(points, layer.radius, colour, layer.outline, 0.7, layer.opacity)
        for colour, points in by_colour.items()
    ]


def _bars(layer: Bars, x: Scale, y: Scale) -> list[Mark]:
    along, across = (x, y) if layer.lying else (y, x)
    marks: list[Mark] = []
    for number, (at, begin, end) in enumerate(zip(layer.at, layer.begin, layer.end, strict=True)):
        near, far = sorted((along(begin), along(end)))
        one, other = sorted((across(at - layer.thick / 2), across(at + layer.thick / 2)))
        colour = layer.colours[number if len(layer.colours) > 1 else 0]
        box = (near, one, far - near, other - one) if layer.lying else (one, near, other - one, far - near)
        marks.append(Boxes([box], fill=colour, stroke="line", thick=0.5))
        middle, reach = across(at), max(near, far) if layer.lying else min(near, far)
        if layer.spread and all(map(math.isfinite, layer.spread[number])):
            low, high = sorted(map(along, layer.spread[number]))
            reach = max(reach, high) if layer.lying else min(reach, low)
            cap = min(4.0, (other - one) / 3)
            pieces = [
                [(low, middle), (high, middle)],
                [(low, middle - cap), (low, middle + cap)],
                [(high, middle - cap), (high, middle + cap)],
            ]
            if not layer.lying:
                pieces = [[(b, a) for a, b in piece] for piece in pieces]
            marks.append(Lines(pieces, "ink"))
        if layer.words and layer.words[number]:
            where = (reach + 6, middle + 4) if layer.lying else (middle, reach - 4)
            anchor: Any = "start" if layer.lying else "middle"
            marks.append(Words(*where, layer.words[number], SMALL, "grey", anchor))
    return marks


def _cells(layer: Cells, x: Scale, y: Scale) -> list[Mark]:
    """Return one mark per colour; neighbours of one colour in a row are one box."""
    by_colour: dict[str, list[tuple[float, float, float, float]]] = {}
    marks: list[Mark] = []
    for row, colours in enumerate(layer.colours):
        one, other = sorted((y(layer.y[row]), y(layer.y[row + 1])))
        column = 0
        while column < len(colours):
            colour, begin = colours[column], column
            column += 1
            while not layer.outlined and column < len(colours) and colours[column] == colour:
                column += 1
            if colour is None:
                continue
            near, far = sorted((x(layer.x[begin]), x(layer.x[column])))
            by_colour.setdefault(colour, []).append((near, one, far - near, other - one))
    for colour, boxes in by_colour.items():
        stroke = "page" if layer.outlined else None
        marks.append(
            Boxes(boxes, fill=colour, stroke=stroke, opacity=layer.opacity, crisp=not layer.outlined)
        )
    for row, words in enumerate(layer.words):
        for column, content in enumerate(words):
            filled = layer.colours[row][column]
            if not content or filled is None:
                continue
            near, far = sorted((x(layer.x[column]), x(layer.x[column + 1])))
            if text_width(content, SMALL) > far - near - 2:
                continue
            middle = (y(layer.y[row]) + y(layer.y[row + 1])) / 2 + 4
            marks.append(Words((near + far) / 2, middle, content, SMALL, on_colour(filled), "middle"))
    return marks


def _rule(layer: Rule, x: Scale, y: Scale) -> list[Mark]:
    dash = DASH if layer.dashed else ()
    if layer.lying:
        return [Lines([[(x.begin, y(layer.at)), (x.end, y(layer.at))]], layer.colour, dash=dash)]
    return [Lines([[(x(layer.at), y.begin), (x(layer.at), y.end)]], layer.colour, dash=dash)]


def _note(note: Note, x: Scale, y: Scale, top: float, width: float) -> list[Mark]:
    at, value = x(note.x), y(note.y)
    words = cut(note.words, SMALL, width - 2 * MARGIN)
    length = text_width(words, SMALL)
    # To the right of its line, unless it would leave the picture there.
    left = at + 5 if at + 5 + length <= width - MARGIN else max(at - 5 - length, MARGIN)
    return [
        Lines([[(at, top + 4), (at, value - 5)]], "line", dash=(2, 3)),
        Dots([(at, value)], 5, stroke=note.colour, thick=2),
        Words(left, top + 12, words, SMALL),
    ]


DRAWERS: Final[dict[type, Callable[[Any, Scale, Scale], list[Mark]]]] = {
    Line: _line,
    Band: _band,
    Points: _points,
    Bars: _bars,
    Cells: _cells,
    Rule: _rule,
}
