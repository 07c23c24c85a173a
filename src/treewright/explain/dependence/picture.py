"""The chart of a dependence: lines over a number, dots over categories, a map over two features."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.draw.chart import Axis, Cells, Chart, Layer, Line, Points, Rule
from treewright.draw.colours import BLUE, class_colours, heat
from treewright.draw.scale import axis_around, round_numbers
from treewright.explain.words import number, number_words
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.dependence.report import DependenceReport

__all__ = ["dependence_chart"]

Floats = NDArray[np.float64]
MOST_LINES = 60  # rows that are drawn one by one
MOST_CLASSES = 8
MOST_CATEGORIES = 40
SHADES = 5  # of a map, in its legend
MISSING = "missing"


def dependence_chart(report: DependenceReport, label: str | None = None, *, centred: bool = False) -> Chart:
    """Return what is drawn as plain data.

    Parameters
    ----------
    report : DependenceReport
        The numbers.
    label : str, optional
        The class that is drawn alone; by default all of them, the second of two, and the last on a map.
    centred : bool, default=False
        Whether every line begins at 0, so that shapes can be compared.
    """
    shown = _shown_classes(report, label)
    if len(report.features) == 2:
        return _map(report, shown[-1])
    return _lines(report, shown, centred) if report._numeric[0] else _dots(report, shown, centred)


def _shown_classes(report: DependenceReport, label: str | None) -> list[int]:
    if report.classes is None:
        if label is not None:
            raise ValueError("A value has one number here and not one for each class: leave label out.")
        return [0]
    if label is not None:
        if str(label) not in report.classes:
            raise ValueError(f"label={label!r} is none of the classes: {', '.join(report.classes)}.")
        return [report.classes.index(str(label))]
    return [1] if len(report.classes) == 2 else list(range(min(len(report.classes), MOST_CLASSES)))


def _parts(report: DependenceReport, shown: list[int], centred: bool) -> tuple[Floats, Floats | None]:
    """Return averages by class, and the rows that are drawn one by one, of the only class drawn."""
    average = report.average if report.classes is not None else report.average[:, np.newaxis]
    rows: Floats | None = None
    if report.individual is not None and len(shown) == 1:
        rows = report.individual if report.classes is None else report.individual[:, :, shown[0]]
        if len(rows) > MOST_LINES:
            rows = rows[np.linspace(0, len(rows) - 1, MOST_LINES).astype(np.intp)]
    if centred:
        average = average - average[:1]
        rows = None if rows is None else rows - rows[:, :1]
    return average, rows


def _words(report: DependenceReport, shown: list[int]) -> tuple[str, str, list[str]]:
    """Return the title, the name of the axis of answers and colours."""
    title, meaning = report.title, report.meaning
    if report.classes is not None and len(shown) == 1:
        title = f"{title} of {printable(report.classes[shown[0]])}"
        meaning = f"{meaning} of {printable(report.classes[shown[0]])}"
    colours = [BLUE] if len(shown) == 1 else class_colours(len(report.classes or ()))
    return title, meaning, colours


def _remark(report: DependenceReport, rows: Floats | None, dropped: int) -> str:
    found = []
    if rows is not None:
        every = len(report.individual) if report.individual is not None else 0
        found.append(f"Thin: {len(rows)} of {every} rows." if len(rows) < every else "Thin: single rows.")
    if dropped > 0:
        found.append(f"{dropped} more classes are not drawn.")
    if report.deciles and report.deciles[0]:
        found.append("Marks below: deciles of the rows.")
    return " ".join(found)


def _sentence(report: DependenceReport, average: Floats, shown: list[int]) -> str:
    parts = []
    for k in shown[:3]:
        name = "" if report.classes is None else f"{printable(report.classes[k])}: "
        own = average[:, k]
        parts.append(f"{name}from {number(float(own.min()))} to {number(float(own.max()))}")
    return f"The average goes {', '.join(parts)}."


def _lines(report: DependenceReport, shown: list[int], centred: bool) -> Chart:
    average, rows = _parts(report, shown, centred)
    title, meaning, colours = _words(report, shown)
    at = np.array([np.nan if value is None else value for value in report.values[0]], dtype=np.float64)
    known = np.flatnonzero(np.isfinite(at))
    known = known[np.argsort(at[known], kind="stable")]
    missing = np.flatnonzero(np.isnan(at))
    x_axis = axis_around(printable(report.features[0]), at[known].tolist())
    aside = x_axis.high + 0.05 * (x_axis.high - x_axis.low)
    if len(missing):  # beside the numbers, because it is none of them
        ticks = [*_ticks(x_axis), (aside, MISSING)]
        x_axis = Axis(x_axis.name, x_axis.low, 2 * aside - x_axis.high, ticks=ticks)
    layers: list[Layer] = []
    drawn = [average[:, shown]]
    if rows is not None:
        drawn.append(rows)
        layers += [Line(at[known].tolist(), row[known].tolist(), "edge", thick=0.7) for row in rows]
        if len(missing):
            layers.append(Points([aside] * len(rows), rows[:, missing[0]].tolist(), ["edge"], 1.5))
    for k in shown:
        colour = colours[k if len(colours) > 1 else 0]
        layers.append(Line(at[known].tolist(), average[known, k].tolist(), colour, thick=2.5))
        if len(missing) or len(known) == 1:
            lone = known if len(known) == 1 else missing
            places = at[known].tolist() if len(known) == 1 else [aside]
            layers.append(Points(places[:1], [float(average[lone[0], k])], [colour], 4.0))
    y_axis = axis_around(meaning, np.concatenate([part.ravel() for part in drawn]).tolist(), room=0.08)
    if report.method == "accumulated":
        layers.insert(0, Rule(0.0, lying=True))
    if report.deciles and report.deciles[0]:
        inside = [value for value in report.deciles[0] if x_axis.low <= value <= x_axis.high]
        floor, tip = y_axis.low, y_axis.low + 0.03 * (y_axis.high - y_axis.low)
        layers += [Line([value, value], [floor, tip], "grey", thick=1.0) for value in inside]
    return Chart(
        title=title,
        sentence=_sentence(report, average, shown),
        x=x_axis,
        y=y_axis,
        layers=layers,
        legend=_legend(report, shown, colours),
        remark=_remark(report, rows, len(report.classes or ()) - len(shown) if len(shown) > 1 else 0),
    )


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    return [(value, number_words(value)) for value in round_numbers(axis.low, axis.high)]


def _legend(report: DependenceReport, shown: list[int], colours: list[str]) -> list[tuple[str, str]]:
    if report.classes is None or len(shown) == 1:
        return []
    return [(colours[k], printable(report.classes[k])) for k in shown]


def _kept_categories(average: Floats) -> list[int]:
    """Return the places of categories that are drawn: all, or those with the lowest and highest averages."""
    if len(average) <= MOST_CATEGORIES:
        return list(range(len(average)))
    order = np.argsort(average, kind="stable")
    half = MOST_CATEGORIES // 2
    return sorted(int(place) for place in (*order[:half], *order[-half:]))


def _dots(report: DependenceReport, shown: list[int], centred: bool) -> Chart:
    average, rows = _parts(report, shown, centred)
    title, meaning, colours = _words(report, shown)
    kept = _kept_categories(average[:, shown[0]])
    average, rows = average[kept], None if rows is None else rows[:, kept]
    names = [MISSING if report.values[0][at] is None else _short(report.values[0][at]) for at in kept]
    hidden = len(report.values[0]) - len(kept)
    dropped = f" {hidden} values between are not drawn." if hidden else ""
    places, name = list(range(len(names))), printable(report.features[0])
    layers: list[Layer] = []
    if rows is not None:
        wiggle = np.linspace(-0.25, 0.25, max(len(rows), 2))[: len(rows)]
        for place in places:
            layers.append(Points(rows[:, place].tolist(), (place + wiggle).tolist(), ["edge"], 1.6))
    for k in shown:
        colour = colours[k if len(colours) > 1 else 0]
        layers.append(Points(average[:, k].tolist(), [float(p) for p in places], [colour], 4.5))
    drawn = [average[:, shown].ravel()] + ([] if rows is None else [rows.ravel()])
    if report.method == "accumulated":
        layers.insert(0, Rule(0.0, lying=False))
    return Chart(
        title=title,
        sentence=_sentence(report, average, shown),
        x=axis_around(meaning, np.concatenate(drawn).tolist()),
        y=Axis(name, -0.6, len(names) - 0.4, reverse=True, ticks=list(enumerate(names))),
        layers=layers,
        legend=_legend(report, shown, colours),
        remark=_remark(report, rows, len(report.classes or ()) - len(shown) if len(shown) > 1 else 0)
        + dropped,
        height=max(60.0, 22.0 * len(names)),
        width=420.0,
    )


def _map(report: DependenceReport, k: int) -> Chart:
    numbers = report.average if report.classes is None else report.average[:, :, k]
    of_class = "" if report.classes is None else f" of {printable(report.classes[k])}"
    axes, orders = zip(*(_map_axis(report, place) for place in (0, 1)), strict=True)
    numbers = numbers[np.ix_(orders[0], orders[1])]
    low, high = float(numbers.min()), float(numbers.max())
    span = high - low if high > low else 1.0
    shades = np.clip(((numbers - low) / span * 40).round() / 40, 0, 1)
    colours = [[heat(float(shades[i, j])) for i in range(shades.shape[0])] for j in range(shades.shape[1])]
    steps = np.linspace(0, 1, SHADES)
    what = "effect of both together" if report.method == "accumulated" else "average"
    return Chart(
        title=f"{report.title}{of_class}",
        sentence=f"The {what} goes from {number(low)} to {number(high)}.",
        x=axes[0][0],
        y=axes[1][0],
        layers=[Cells(axes[0][1], axes[1][1], colours)],
        legend=[(heat(float(step)), number(low + float(step) * (high - low))) for step in steps],
        height=340.0,
        width=420.0,
    )


def _map_axis(report: DependenceReport, place: int) -> tuple[tuple[Axis, list[float]], NDArray[Any]]:
    """Return an axis of a map with the edges of its cells, and the values in their order on it."""
    values, name = report.values[place], printable(report.features[place])
    at = np.array([np.nan if value is None else value for value in values] if report._numeric[place] else [])
    if len(at) < 2 or not np.isfinite(at).all():
        names = [MISSING if value is None else _short(value) for value in values]
        edges = [float(edge) - 0.5 for edge in range(len(values) + 1)]
        return (Axis(name, edges[0], edges[-1], ticks=list(enumerate(names))), edges), np.arange(len(values))
    at, order = np.unique(at, return_index=True)
    if len(at) < 2:
        return (axis_around(name, at.tolist()), [float(at[0]) - 0.5, float(at[0]) + 0.5]), order
    middles = [(a + b) / 2 for a, b in pairwise(at.tolist())]
    edges = [2 * at[0] - middles[0], *middles, 2 * at[-1] - middles[-1]]
    return (Axis(name, float(edges[0]), float(edges[-1])), [float(edge) for edge in edges]), order


def _short(value: Any) -> str:
    return number_words(value) if isinstance(value, float) else printable(str(value))
