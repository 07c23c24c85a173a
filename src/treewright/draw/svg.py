"""The marks of a picture as SVG text: the frame around them, lines, areas, circles and words.

No script, no external reference; colours follow the page, and words are escaped here and nowhere else.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from html import escape
from typing import Any

__all__ = ["BLUE", "ORANGE", "circle", "line", "path", "picture", "polygon", "text"]

FONT = 'font-family="system-ui, -apple-system, \'Segoe UI\', sans-serif" font-size="12"'
BLUE, ORANGE = "#0072b2", "#d55e00"  # Okabe and Ito: told apart by every eye

Point = tuple[float, float]


def picture(width: int, height: int, marks: Iterable[str], *, title: str, words: str, content: Any) -> str:
    """Return a whole picture.

    Parameters
    ----------
    width, height : int
        Its size in pixels; a narrower page shrinks it.
    marks : iterable of str
        What is drawn, the lowest first.
    title, words : str
        What somebody who cannot see the picture hears: what it is, and what it says.
    content : any value that JSON can hold
        What the picture shows; names the picture, so that several of them fit on one page.
    """
    name = f"tw{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="{name}-title {name}-desc" fill="none" '
        f'stroke="currentColor" {FONT} style="max-width:100%;height:auto">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(words)}</desc>'
        f"{''.join(marks)}</svg>"
    )


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    """Return words that start, end or have their middle at x."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor" stroke="none">'
        f"{escape(words)}</text>"
    )


def path(commands: str, style: str) -> str:
    """Return a line given by SVG's commands."""
    return f'<path d="{commands}" {style}/>'


def line(points: Iterable[Point], colour: str) -> str:
    """Return a line through points."""
    return f'<polyline points="{_listed(points)}" stroke="{colour}" stroke-width="2"/>'


def polygon(points: Iterable[Point], colour: str) -> str:
    """Return a pale area."""
    return f'<polygon points="{_listed(points)}" fill="{colour}" fill-opacity="0.18" stroke="none"/>'


def circle(x: float, y: float, radius: float, style: str) -> str:
    """Return a circle."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" {style}/>'


def _listed(points: Iterable[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
