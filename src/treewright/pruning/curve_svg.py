"""The pruning curve as SVG text: cross-validated error against leaves, its band, the 1-SE limit, the choice.

No script, no external reference; colours follow the page, and every mark has words beside it.
"""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from treewright.pruning.report import PruningReport

__all__ = ["curve_svg"]

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 50
MOST_POINTS = 400  # a longer curve is thinned: nobody can see the difference
FONT = 'font-family="system-ui, -apple-system, \'Segoe UI\', sans-serif" font-size="12"'
BLUE, ORANGE = "#0072b2", "#d55e00"  # Okabe and Ito


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


def curve_svg(report: PruningReport) -> str:
    """Return the picture of a report; without cross-validation it shows the risk R(T)."""
    values, errors = _values(report)
    scale = _scale(report, values, errors)
    prefix = f"tw{zlib.crc32(json.dumps(report.to_dict(), sort_keys=True).encode()):08x}"
    name = "R(T)" if report.measure is None else f"cross-validated {report.measure}"
    title = f"Pruning of {report.algorithm}: {name} by number of leaves"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" aria-labelledby="{prefix}-title {prefix}-desc" fill="none" '
        f'stroke="currentColor" {FONT} style="max-width:100%;height:auto">',
        f'<title id="{prefix}-title">{escape(title)}</title>',
        f'<desc id="{prefix}-desc">{escape(report.why)}</desc>',
        *_axes(report, scale, name),
        *_curve(report, scale, values, errors),
        *_limit(report, scale),
        *_marks(report, scale, values),
        "</svg>",
    ]
    return "".join(parts)


def _values(report: PruningReport) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if report.measure is None:
        return np.array([row.risk for row in report.rows]), np.zeros(len(report.rows))
    means = np.array([row.cv_mean for row in report.rows], dtype=np.float64)
    return means, np.nan_to_num(np.array([row.cv_se for row in report.rows], dtype=np.float64))


def _scale(report: PruningReport, values: NDArray[np.float64], errors: NDArray[np.float64]) -> _Scale:
    low, high = float(np.nanmin(values - errors)), float(np.nanmax(values + errors))
    if report.limit is not None:
        low, high = min(low, report.limit), max(high, report.limit)
    # A curve of errors stands on 0 unless that would flatten it.
    if 0 <= low < 0.5 * high:
        low = 0.0
    if high <= low:
        low, high = low - 0.5, high + 0.5
    return _Scale(max(row.leaves for row in report.rows), low, high + 0.05 * (high - low))


def _axes(report: PruningReport, scale: _Scale, name: str) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [f'<path d="M{LEFT} {TOP}V{bottom}H{right}" stroke-opacity="0.6"/>']
    for tick in _ticks(scale.low, scale.high):
        y = scale.y(tick)
        parts.append(f'<path d="M{LEFT - 4} {y:.1f}h4" stroke-opacity="0.6"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{tick:.6g}", "end"))
    taken = -math.inf
    for leaves in sorted({row.leaves for row in report.rows}, reverse=True):
        x = scale.x(leaves)
        if x - taken < 26 and leaves != 1:
            continue
        if leaves == 1 and x - taken < 26:
            parts.pop()  # the root is worth more than its neighbour
            parts.pop()
        parts += [f'<path d="M{x:.1f} {bottom}v4" stroke-opacity="0.6"/>', _text(x, bottom + 18, str(leaves))]
        taken = x
    parts.append(_text((LEFT + right) / 2, HEIGHT - 10, "leaves (smaller trees to the right)"))
    parts.append(_text(LEFT, TOP - 22, name, "start"))
    return parts


def _curve(
    report: PruningReport, scale: _Scale, values: NDArray[np.float64], errors: NDArray[np.float64]
) -> list[str]:
    places = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).astype(int))
    places = places[np.isfinite(values[places])]
    xs = [scale.x(report.rows[i].leaves) for i in places]
    parts = []
    if report.measure is not None:
        upper = [f"{x:.1f},{scale.y(values[i] + errors[i]):.1f}" for x, i in zip(xs, places, strict=True)]
        lower = [f"{x:.1f},{scale.y(values[i] - errors[i]):.1f}" for x, i in zip(xs, places, strict=True)]
        band = " ".join(upper + lower[::-1])
        parts.append(f'<polygon points="{band}" fill="{BLUE}" fill-opacity="0.18" stroke="none"/>')
    line = " ".join(f"{x:.1f},{scale.y(values[i]):.1f}" for x, i in zip(xs, places, strict=True))
    parts.append(f'<polyline points="{line}" stroke="{BLUE}" stroke-width="2"/>')
    if len(places) <= 60:
        parts += [
            f'<circle cx="{x:.1f}" cy="{scale.y(values[i]):.1f}" r="2.5" fill="{BLUE}" stroke="none"/>'
            for x, i in zip(xs, places, strict=True)
        ]
    return parts


def _limit(report: PruningReport, scale: _Scale) -> list[str]:
    if report.limit is None:
        return []
    y = scale.y(report.limit)
    return [
        f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{ORANGE}" stroke-dasharray="5 4"/>',
        _text(WIDTH - RIGHT, y - 6, f"1-SE limit {report.limit:.4g}", "end"),
    ]


def _marks(report: PruningReport, scale: _Scale, values: NDArray[np.float64]) -> list[str]:
    best = "highest" if report.greater_is_better else "lowest"
    marks: dict[int, list[str]] = {}
    if report.index_min is not None:
        marks.setdefault(report.index_min, []).append(best)
    if report.selected is not None:
        marks.setdefault(report.selected, []).append("chosen")
    parts = []
    for row, (index, words) in enumerate(sorted(marks.items())):
        x, y = scale.x(report.rows[index].leaves), scale.y(float(values[index]))
        leaves = report.rows[index].leaves
        label = f"{' and '.join(words)}: {leaves} {'leaf' if leaves == 1 else 'leaves'}"
        top = TOP - 6 + 14 * row
        anchor = "start" if x < (LEFT + WIDTH) / 2 else "end"
        parts.append(f'<path d="M{x:.1f} {top + 3}V{y:.1f}" stroke-opacity="0.4" stroke-dasharray="2 3"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" stroke="{ORANGE}" stroke-width="2"/>')
        parts.append(_text(x + (4 if anchor == "start" else -4), top, label, anchor))
    return parts


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two values."""
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    while (high - low) / step > 6:
        step *= 2 if (high - low) / (2 * step) <= 6 else 2.5
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor" stroke="none">'
        f"{escape(words)}</text>"
    )
