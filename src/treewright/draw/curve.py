"""A curve over tree sizes: values by number of leaves, a band around them, a limit and marked trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.draw.chart import Axis, Band, Chart, Layer, Line, Note, Points, Rule
from treewright.draw.chart_picture import draw_chart
from treewright.draw.colours import BLUE, ORANGE
from treewright.draw.scale import axis_around
from treewright.draw.svg import to_svg

__all__ = ["Curve", "chart_of_curve", "draw_curve"]

MOST_POINTS = 400  # a longer curve is thinned: nobody can see the difference
MOST_DOTS = 60  # more of them would hide the line


@dataclass(frozen=True)
class Curve:
    """What is drawn.

    Attributes
    ----------
    title, words : str
        What the picture is and what it says, for those who cannot see it.
    name : str
        What the values are.
    leaves : list of int
        Sizes of the trees, the largest first.
    values : ndarray of shape (n_trees,)
        One value per tree; NaN is left out.
    band : ndarray of shape (n_trees,) or None
        How far the band goes above and below each value.
    limit : float or None
        A level that is drawn across the picture.
    limit_words : str
        What it is.
    marks : dict of int to str
        Words at the trees with these positions.
    """

    title: str
    words: str
    name: str
    leaves: list[int]
    values: NDArray[np.float64]
    band: NDArray[np.float64] | None = None
    limit: float | None = None
    limit_words: str = ""
    marks: dict[int, str] | None = None


def draw_curve(curve: Curve) -> str:
    """Return the picture of a curve as SVG."""
    return to_svg(draw_chart(chart_of_curve(curve)))


def chart_of_curve(curve: Curve) -> Chart:
    """Return a curve as a chart, the large trees left."""
    n_values = len(curve.values)
    places = np.unique(np.linspace(0, n_values - 1, min(n_values, MOST_POINTS)).astype(int))
    places = places[np.isfinite(curve.values[places])]
    x = [float(curve.leaves[place]) for place in places]
    values = curve.values[places]
    layers: list[Layer] = []
    legend: list[tuple[str, str]] = []
    inside = [*values.tolist()]
    if curve.band is not None:
        low, high = values - curve.band[places], values + curve.band[places]
        inside += [*low.tolist(), *high.tolist()]
        layers.append(Band(x, low.tolist(), high.tolist(), BLUE))
        legend.append((BLUE, f"{curve.name}, ± one standard error"))
    layers.append(Line(x, values.tolist(), BLUE))
    if len(places) <= MOST_DOTS:
        layers.append(Points(x, values.tolist(), [BLUE], 2.5))
    if curve.limit is not None:
        inside.append(curve.limit)
        layers.append(Rule(curve.limit, lying=True, colour=ORANGE))
        legend.append((ORANGE, f"{curve.limit_words} {curve.limit:.4g}"))
    for index, words in sorted((curve.marks or {}).items()):
        leaves = curve.leaves[index]
        label = f"{words}: {leaves} {'leaf' if leaves == 1 else 'leaves'}"
        layers.append(Note(float(leaves), float(curve.values[index]), label, ORANGE))
    return Chart(
        title=curve.title,
        sentence=curve.words,
        x=_leaves_axis(curve.leaves),
        y=axis_around(curve.name, inside, from_zero=True),
        layers=layers,
        legend=legend,
    )


def _leaves_axis(leaves: list[int]) -> Axis:
    most = max(max(leaves), 2)
    sizes = sorted(set(leaves), reverse=True)
    return Axis(
        "leaves (smaller trees to the right)",
        1.0,
        float(most),
        log=True,
        reverse=True,
        ticks=[(float(size), str(size)) for size in sizes],
    )
