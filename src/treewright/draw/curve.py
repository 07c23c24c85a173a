"""A curve over tree sizes: values by number of leaves, a band around them, a limit and marked trees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.draw.svg import BLUE, ORANGE, circle, line, path, picture, polygon, text

__all__ = ["Curve", "draw_curve"]

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 50
MOST_POINTS = 400  # a longer curve is thinned: nobody can see the difference
MOST_DOTS = 60  # more of them would hide the line
THIN = 'stroke-opacity="0.6"'


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


@dataclass(frozen=True)
class _Scale:
    """Where leaves and values stand on the picture; large trees left, by logarithm."""

    most_leaves: int
    low: float
    high: float

    def x(self, leaves: float) -> float:
        span = math.log(self.most_leaves) or 1.0
        return LEFT + (WIDTH - LEFT - RIGHT) * (1 - math.log(leaves) / span)

    def y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)


def draw_curve(curve: Curve, content: Any) -> str:
    """Return the picture; `content` is the data behind it, see `picture`."""
    scale = _scale(curve)
    marks = [*_axes(curve, scale), *_line(curve, scale), *_limit(curve, scale), *_marked_trees(curve, scale)]
    return picture(WIDTH, HEIGHT, marks, title=curve.title, words=curve.words, content=content)


def _scale(curve: Curve) -> _Scale:
    band = 0.0 if curve.band is None else curve.band
    low, high = float(np.nanmin(curve.values - band)), float(np.nanmax(curve.values + band))
    if curve.limit is not None:
        low, high = min(low, curve.limit), max(high, curve.limit)
    # A curve of errors stands on 0 unless that would flatten it.
    if 0 <= low < 0.5 * high:
        low = 0.0
    if high <= low:
        low, high = low - 0.5, high + 0.5
    return _Scale(max(curve.leaves), low, high + 0.05 * (high - low))


def _axes(curve: Curve, scale: _Scale) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [path(f"M{LEFT} {TOP}V{bottom}H{right}", THIN)]
    for tick in round_numbers(scale.low, scale.high):
        y = scale.y(tick)
        parts += [path(f"M{LEFT - 4} {y:.1f}h4", THIN), text(LEFT - 8, y + 4, f"{tick:.6g}", "end")]
    taken = -math.inf
    for leaves in sorted(set(curve.leaves), reverse=True):
        x = scale.x(leaves)
        if x - taken < 26 and leaves != 1:
            continue
        if leaves == 1 and x - taken < 26:
            del parts[-2:]  # the root is worth more than its neighbour
        parts += [path(f"M{x:.1f} {bottom}v4", THIN), text(x, bottom + 18, str(leaves))]
        taken = x
    parts.append(text((LEFT + right) / 2, HEIGHT - 10, "leaves (smaller trees to the right)"))
    parts.append(text(LEFT, TOP - 22, curve.name, "start"))
    return parts


def _line(curve: Curve, scale: _Scale) -> list[str]:
    n_values = len(curve.values)
    places = np.unique(np.linspace(0, n_values - 1, min(n_values, MOST_POINTS)).astype(int))
    places = places[np.isfinite(curve.values[places])]

    def points(heights: NDArray[np.float64]) -> list[tuple[float, float]]:
        return [(scale.x(curve.leaves[i]), scale.y(heights[i])) for i in places]

    parts = []
    if curve.band is not None:
        upper, lower = points(curve.values + curve.band), points(curve.values - curve.band)
        parts.append(polygon(upper + lower[::-1], BLUE))
    parts.append(line(points(curve.values), BLUE))
    if len(places) <= MOST_DOTS:
        parts += [circle(x, y, 2.5, f'fill="{BLUE}" stroke="none"') for x, y in points(curve.values)]
    return parts


def _limit(curve: Curve, scale: _Scale) -> list[str]:
    if curve.limit is None:
        return []
    y = scale.y(curve.limit)
    return [
        path(f"M{LEFT} {y:.1f}H{WIDTH - RIGHT}", f'stroke="{ORANGE}" stroke-dasharray="5 4"'),
        text(WIDTH - RIGHT, y - 6, f"{curve.limit_words} {curve.limit:.4g}", "end"),
    ]


def _marked_trees(curve: Curve, scale: _Scale) -> list[str]:
    parts = []
    for place, (index, words) in enumerate(sorted((curve.marks or {}).items())):
        leaves = curve.leaves[index]
        x, y = scale.x(leaves), scale.y(float(curve.values[index]))
        label = f"{words}: {leaves} {'leaf' if leaves == 1 else 'leaves'}"
        top = TOP - 6 + 14 * place
        anchor = "start" if x < (LEFT + WIDTH) / 2 else "end"
        parts.append(path(f"M{x:.1f} {top + 3}V{y:.1f}", 'stroke-opacity="0.4" stroke-dasharray="2 3"'))
        parts.append(circle(x, y, 5, f'stroke="{ORANGE}" stroke-width="2"'))
        parts.append(text(x + (4 if anchor == "start" else -4), top, label, anchor))
    return parts


def round_numbers(low: float, high: float) -> list[float]:
    """Return about five round numbers between two values."""
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    while (high - low) / step > 6:
        step *= 2 if (high - low) / (2 * step) <= 6 else 2.5
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]
