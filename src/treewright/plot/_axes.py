"""Charts on axes of matplotlib, with matplotlib's own lines, bars, ticks and legends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import NullLocator

from treewright.draw.chart import Axis, Band, Bars, Cells, Chart, Line, Note, Points, Rule
from treewright.draw.colours import on_colour
from treewright.draw.scale import Scale
from treewright.draw.text_width import cut, text_width, wrap
from treewright.plot._look import families_for, page_of, plain

__all__ = ["draw_axes"]

POINT: Final = 0.72  # of matplotlib's points in a pixel of a chart
PIXELS: Final = 100
LEAST_WIDTH: Final = 560  # pixels of a figure, so that its title fits
MOST_NAMES: Final = 12  # of a legend
TITLE: Final = 10.0  # size of the letters of a title
NARROWEST: Final = 110.0  # points of a line of it
Y_LABELS: Final = 60.0  # pixels that the y axis takes
PATCH: Final = 60.0  # pixels of a colour in a legend and of what is around it
LABEL_WIDTH: Final = 200.0  # pixels of words beside an axis
SMALL: Final = 9.0
APART: Final = {"x": 0.055, "y": 0.03}  # of the axis: ticks that stand nearer are left out

Page = dict[str, str]


def draw_axes(chart: Chart, ax: Any = None) -> tuple[Any, list[Any]]:
    """Draw a chart; return the axes and the artists.

    Parameters
    ----------
    chart : Chart
        What is drawn.
    ax : matplotlib Axes or None
        Where; None: on a new figure.
    """
    own = ax is None
    if ax is None:
        size = (max(chart.width + 180, LEAST_WIDTH) / PIXELS, (chart.height + 150) / PIXELS)
        _, ax = plt.subplots(figsize=size, layout="constrained")
    page = page_of(ax)
    family = families_for(_all_words(chart))
    words: dict[str, Any] = {} if family is None else {"fontfamily": family}
    artists: list[Any] = []
    _set_axis(ax, "x", chart.x, _x_room(chart, ax, own), words)
    _set_axis(ax, "y", chart.y, chart.height, words)
    for order, layer in enumerate(layer for layer in chart.layers if not isinstance(layer, Note)):
        artists += DRAWERS[type(layer)](layer, ax, page, 1 + 0.05 * order)
    notes = [layer for layer in chart.layers if isinstance(layer, Note)]
    notes.sort(key=lambda note: Scale(chart.x, 0, 1)(note.x), reverse=True)
    for number, note in enumerate(notes):
        artists += _note(note, chart, ax, page, number, words)
    _title(chart, ax, own, 6 + 13 * len(notes), words)
    if chart.legend:
        _legend(chart, ax, family)
    return ax, artists


def _x_room(chart: Chart, ax: Any, own: bool) -> float:
    """Return about how many pixels the x axis will have beside a legend."""
    figure = ax.figure.get_figwidth() * PIXELS
    beside = Y_LABELS + max(
        (text_width(name, SMALL) / POINT + PATCH for name in _legend_names(chart)), default=0
    )
    if own:
        return min(chart.width, figure - beside) if _legend_beside(chart) else chart.width
    return float(figure * ax.get_position().width)


def _title(chart: Chart, ax: Any, own: bool, pad: float, words: dict[str, Any]) -> None:
    """Write title and remark in as many lines as they need: over a figure of our own, or over the axes."""
    figure = ax.figure
    inches = figure.get_figwidth() * (1.0 if own else ax.get_position().width)
    most = max(NARROWEST, 0.9 * inches * 72)  # boxes for signs that no font has are wider than any letter
    lines = [line for part in (chart.title, chart.remark) for line in wrap(part, TITLE, most)]
    content = plain("\n".join(lines))
    if own:
        figure.suptitle(content, x=0.01, ha="left", fontsize=TITLE, **words)
    else:
        ax.set_title(content, loc="left", pad=pad, fontsize=TITLE, **words)


def _all_words(chart: Chart) -> list[str]:
    found = [chart.title, chart.remark, chart.x.name, chart.y.name, *(name for _, name in chart.legend)]
    for axis in (chart.x, chart.y):
        found += [name for _, name in axis.ticks or ()]
    found += [layer.words for layer in chart.layers if isinstance(layer, Note)]
    return found


def _set_axis(ax: Any, which: str, axis: Axis, length: float, words: dict[str, Any]) -> None:
    if axis.log:
        getattr(ax, f"set_{which}scale")("log")
    ends = (axis.high, axis.low) if axis.reverse else (axis.low, axis.high)
    getattr(ax, f"set_{which}lim")(*ends)
    getattr(ax, f"set_{which}label")(plain(cut(axis.name, TITLE, POINT * length)), **words)
    if axis.ticks is None:
        return
    scale = Scale(axis, 0.0, 1.0)
    kept: list[tuple[float, str]] = []
    places = sorted(scale.ticks, key=lambda tick: scale(tick[0]))
    for value, name in places:
        if kept and scale(value) - scale(kept[-1][0]) < APART[which]:
            if value != places[-1][0]:
                continue
            kept.pop()  # the last is worth more than its neighbour
        kept.append((value, name))
    most = LABEL_WIDTH if which == "y" else POINT * length / max(len(kept), 1)
    names = [plain(cut(name, 10, most)) for _, name in kept]
    getattr(ax, f"set_{which}ticks")([value for value, _ in kept], labels=names, **words)
    getattr(ax, f"{which}axis").set_minor_locator(NullLocator())


def _legend_names(chart: Chart) -> list[str]:
    return [cut(name, 10, 300) for _, name in chart.legend[:MOST_NAMES]]


def _legend_beside(chart: Chart) -> bool:
    """Return whether the legend stands beside the axes, because nothing on them is free."""
    return any(isinstance(layer, Cells | Bars) for layer in chart.layers)


def _legend(chart: Chart, ax: Any, family: list[str] | None) -> None:
    page = page_of(ax)
    names = _legend_names(chart)
    handles: list[Any] = [
        Patch(facecolor=page.get(colour, colour), edgecolor=page["line"], label=plain(name))
        for (colour, _), name in zip(chart.legend, names, strict=False)
    ]
    if len(names) < len(chart.legend):
        handles.append(Patch(facecolor="none", label=f"… {len(chart.legend) - len(names)} more"))
    beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
    place: dict[str, Any] = beside if _legend_beside(chart) else {"loc": "best"}
    legend = ax.legend(handles=handles, fontsize=SMALL, framealpha=0.85, **place)
    if family is not None:
        for text in legend.get_texts():
            text.set_fontfamily(family)


# --- layers
# -----------------------------------------------------------------------------------------------------------


def _line(layer: Line, ax: Any, page: Page, order: float) -> list[Any]:
    made: list[Any] = ax.plot(
        layer.x,
        layer.y,
        color=page.get(layer.colour, layer.colour),
        linewidth=layer.thick * POINT,
        linestyle="--" if layer.dashed else "-",
        drawstyle="steps-post" if layer.stepped else "default",
        zorder=order,
    )
    return made


def _band(layer: Band, ax: Any, page: Page, order: float) -> list[Any]:
    colour = page.get(layer.colour, layer.colour)
    return [
        ax.fill_between(layer.x, layer.low, layer.high, color=colour, alpha=0.18, linewidth=0, zorder=order)
    ]


def _points(layer: Points, ax: Any, page: Page, order: float) -> list[Any]:
    outline = "none" if layer.outline is None else page.get(layer.outline, layer.outline)
    colours = [page.get(colour, colour) for colour in layer.colours]
    return [
        ax.scatter(
            layer.x,
            layer.y,
            c=colours if len(colours) == len(layer.x) else colours[:1] * len(layer.x),
            s=(2 * layer.radius * POINT) ** 2,
            alpha=layer.opacity,
            edgecolors=outline,
            linewidths=0.5,
            zorder=order,
        )
    ]


def _bars(layer: Bars, ax: Any, page: Page, order: float) -> list[Any]:
    lengths = np.subtract(layer.end, layer.begin)
    colours = [page.get(colour, colour) for colour in layer.colours]
    look = {"color": colours, "edgecolor": page["line"], "linewidth": 0.5, "zorder": order}
    made: list[Any]
    if layer.lying:
        made = [ax.barh(layer.at, lengths, left=layer.begin, height=layer.thick, **look)]
    else:
        made = [ax.bar(layer.at, lengths, bottom=layer.begin, width=layer.thick, **look)]
    if layer.words:
        ax.spines[["right", "top"]].set_visible(False)  # words may go beyond them
    reach = np.maximum(layer.begin, layer.end).astype(np.float64)
    if layer.spread:
        low, high = np.array(layer.spread, dtype=np.float64).T
        middle = (low + high) / 2
        half = (high - low) / 2
        whisker = {"fmt": "none", "ecolor": page["ink"], "capsize": 3, "linewidth": 1, "zorder": order + 0.01}
        if layer.lying:
            made.append(ax.errorbar(middle, layer.at, xerr=half, **whisker))
        else:
            made.append(ax.errorbar(layer.at, middle, yerr=half, **whisker))
        reach = np.fmax(reach, high)
    for at, end, content in zip(layer.at, reach, layer.words or (), strict=False):
        place, offset = ((end, at), (4, 0)) if layer.lying else ((at, end), (0, 3))
        made.append(
            ax.annotate(
                plain(content),
                place,
                offset,
                textcoords="offset points",
                color=page["grey"],
                fontsize=SMALL,
                va="center" if layer.lying else "bottom",
                ha="left" if layer.lying else "center",
                annotation_clip=False,
            )
        )
    return made


def _cells(layer: Cells, ax: Any, page: Page, order: float) -> list[Any]:
    colours = np.zeros((len(layer.colours), len(layer.x) - 1, 4))
    for row, line in enumerate(layer.colours):
        for column, colour in enumerate(line):
            if colour is not None:
                colours[row, column] = matplotlib.colors.to_rgba(page.get(colour, colour), layer.opacity)
    edge = {"edgecolor": page["page"], "linewidth": 1} if layer.outlined else {"edgecolor": "none"}
    made: list[Any] = [ax.pcolormesh(layer.x, layer.y, colours, zorder=order, **edge)]
    for row, words in enumerate(layer.words):
        for column, content in enumerate(words):
            filled = layer.colours[row][column]
            if content and filled is not None:
                middle = (
                    (layer.x[column] + layer.x[column + 1]) / 2,
                    (layer.y[row] + layer.y[row + 1]) / 2,
                )
                ink = on_colour(page.get(filled, filled))
                text = ax.text(*middle, plain(content), ha="center", va="center", color=ink, fontsize=SMALL)
                text.set_clip_on(True)
                made.append(text)
    return made


def _rule(layer: Rule, ax: Any, page: Page, order: float) -> list[Any]:
    draw = ax.axhline if layer.lying else ax.axvline
    style = "--" if layer.dashed else "-"
    colour = page.get(layer.colour, layer.colour)
    return [draw(layer.at, color=colour, linestyle=style, linewidth=1, zorder=order)]


def _note(note: Note, chart: Chart, ax: Any, page: Page, number: int, words: dict[str, Any]) -> list[Any]:
    on_the_left = Scale(chart.x, 0, 1)(note.x) < 0.6
    colour = page.get(note.colour, note.colour)
    look = {"markersize": 8, "markerfacecolor": "none", "markeredgecolor": colour, "markeredgewidth": 1.5}
    ring = ax.plot([note.x], [note.y], marker="o", linestyle="none", zorder=3, clip_on=False, **look)
    text = ax.annotate(
        plain(note.words),
        (note.x, 1.0),
        (4 if on_the_left else -4, 4 + 13 * number),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        color=page["ink"],
        fontsize=SMALL,
        ha="left" if on_the_left else "right",
        annotation_clip=False,
        **words,
    )
    line = ax.vlines(note.x, note.y, max(ax.get_ylim()), colors=page["line"], linestyles=":", linewidth=1)
    return [*ring, text, line]


DRAWERS: Final[dict[type, Callable[[Any, Any, Page, float], list[Any]]]] = {
    Line: _line,
    Band: _band,
    Points: _points,
    Bars: _bars,
    Cells: _cells,
    Rule: _rule,
}
