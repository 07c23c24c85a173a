"""Values round by round: one line each, as a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from treewright.draw.chart import Axis, Chart, Layer, Line, Points
from treewright.draw.chart_picture import draw_chart
from treewright.draw.colours import class_colours
from treewright.draw.scale import axis_around
from treewright.draw.svg import to_svg

__all__ = ["draw_series"]

MOST_POINTS = 400  # a longer line is thinned: nobody can see the difference
MOST_DOTS = 60  # more of them would hide the line


def draw_series(lines: Mapping[str, Sequence[float]], *, title: str, sentence: str, unit: str) -> str:
    """Return the picture as SVG.

    Parameters
    ----------
    lines : mapping of str to sequence of float
        Name → one value per round, NaN where there is none.
    title, sentence : str
        What the picture is and what it says, for those who cannot see it.
    unit : str
        What is counted below, e.g. ``round``.
    """
    colours = class_colours(len(lines))
    layers: list[Layer] = []
    count = max(len(values) for values in lines.values())
    for colour, values in zip(colours, lines.values(), strict=True):
        places = np.unique(
            np.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).astype(int)
        ).tolist()
        x, y = [float(place) for place in places], [float(values[place]) for place in places]
        layers.append(Line(x, y, colour))
        if len(places) <= MOST_DOTS:
            known = [place for place, value in enumerate(y) if np.isfinite(value)]
            layers.append(Points([x[i] for i in known], [y[i] for i in known], [colour], 2.5))
    ticks = sorted({round(place) for place in np.linspace(0, count - 1, min(count, 6)).tolist()})
    return to_svg(
        draw_chart(
            Chart(
                title=title,
                sentence=sentence,
                x=Axis(
                    unit, 0.0, float(max(count - 1, 1)), ticks=[(float(place), str(place)) for place in ticks]
                ),
                y=axis_around("", [value for values in lines.values() for value in values], from_zero=True),
                layers=layers,
                legend=list(zip(colours, lines, strict=True)),
                height=180.0,
            )
        )
    )
