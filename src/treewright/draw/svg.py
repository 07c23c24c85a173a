"""Pictures as SVG text: no script, no external reference; words are escaped here and nowhere else.

Every mark has its light colour as an attribute. Style rules, all of which begin with the picture's id,
replace the page's colours by variables; readers that take rules out show the light page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Final

from treewright.draw.colours import DARK, LIGHT
from treewright.draw.marks import Area, Bend, Boxes, Dots, Group, Lines, Mark, Picture, Point, Words

__all__ = ["to_svg"]

FONT: Final = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Arial, sans-serif"
# Names of the style rules, by colour of the page.
FILLS: Final = {"page": "p", "card": "k", "ink": "i", "grey": "g", "line": "a", "edge": "b", "mark": "c"}
STROKES: Final = {"page": "q", "card": "r", "ink": "n", "grey": "s", "line": "l", "edge": "e", "mark": "m"}


def to_svg(picture: Picture) -> str:
    """Return a picture as one SVG text.

    Parameters
    ----------
    picture : Picture
        What is drawn.

    Examples
    --------
    >>> from treewright.draw.marks import Picture, Words
    >>> from treewright.draw.svg import to_svg
    >>> svg = to_svg(Picture(90, 30, [Words(5, 20, "a < b", 12)], "A test", "It compares."))
    >>> svg.startswith("<svg "), "a &lt; b" in svg, "prefers-color-scheme:dark" in svg
    (True, True, True)
    """
    used: set[str] = set()
    body = _written(picture.marks, used)
    content = f"{picture.title}{picture.sentence}{body}"
    name = "tw" + hashlib.blake2b(content.encode(), digest_size=6).hexdigest()
    size = f'width="{picture.width}" height="{picture.height}"'
    shrink = ' style="max-width:100%;height:auto"' if picture.shrinks else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" viewBox="0 0 {picture.width} {picture.height}" '
        f'{size} role="img" aria-labelledby="{name}-title {name}-desc" font-family="{FONT}" fill="none"'
        f"{shrink}>"
        f'<title id="{name}-title">{escape(picture.title)}</title>'
        f'<desc id="{name}-desc">{escape(picture.sentence)}</desc>'
        f"<style>{_style(name, used)}</style>"
        f'<rect class="p" {size} fill="{LIGHT["page"]}"/>'
        f"{body}</svg>"
    )


def _style(name: str, used: set[str]) -> str:
    """Return rules for this picture alone."""

    def values(colours: dict[str, str]) -> str:
        return ";".join(f"--tw-{part}:{colour}" for part, colour in colours.items())

    rules = {"p": "fill:var(--tw-page)"}
    for kind, names in (("fill", FILLS), ("stroke", STROKES)):
        rules |= {rule: f"{kind}:var(--tw-{part})" for part, rule in names.items() if rule in used}
    return (
        f"#{name}{{{values(LIGHT)}}}@media(prefers-color-scheme:dark){{#{name}{{{values(DARK)}}}}}"
        + "".join(f"#{name} .{part}{{{rule}}}" for part, rule in rules.items())
    )


def _written(marks: Sequence[Mark], used: set[str]) -> str:
    return "".join([WRITERS[type(mark)](mark, used) for mark in marks])


def _look(
    used: set[str], fill: str | None, stroke: str | None, thick: float = 1.0, dash: tuple[float, ...] = ()
) -> str:
    """Return the attributes of colours, and the names of the rules that replace them."""
    rules, parts = [], []
    if fill is not None:
        if fill in FILLS:
            rules.append(FILLS[fill])
        parts.append(f'fill="{LIGHT.get(fill, fill)}"')
    if stroke is not None:
        if stroke in STROKES:
            rules.append(STROKES[stroke])
        parts.append(f'stroke="{LIGHT.get(stroke, stroke)}"')
        if thick != 1.0:
            parts.append(f'stroke-width="{round(thick, 2):g}"')
        if dash:
            parts.append(f'stroke-dasharray="{" ".join(f"{length:g}" for length in dash)}"')
    if rules:
        used.update(rules)
        parts.insert(0, f'class="{" ".join(rules)}"')
    return " ".join(parts)


def _words(mark: Words, used: set[str]) -> str:
    weight = ' font-weight="600"' if mark.bold else ""
    place = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
    rule = ""
    if mark.colour in FILLS:
        used.add(FILLS[mark.colour])
        rule = f'class="{FILLS[mark.colour]}" '
    return (
        f'<text {rule}x="{mark.x:.1f}" y="{mark.y:.1f}" font-size="{mark.size:g}"{weight}{place} '
        f'fill="{LIGHT.get(mark.colour, mark.colour)}">{escape(mark.content)}</text>'
    )


def _boxes(mark: Boxes, used: set[str]) -> str:
    look = _look(used, mark.fill, mark.stroke, mark.thick, mark.dash)
    if mark.opacity != 1.0:
        look += f' fill-opacity="{mark.opacity:g}"'
    if mark.crisp:
        look += ' shape-rendering="crispEdges"'
    if mark.radius:
        return "".join(
            f'<rect {look} x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'rx="{mark.radius:g}"/>'
            for x, y, width, height in mark.boxes
        )
    moves = "".join([f"M{x:.1f} {y:.1f}h{w:.1f}v{h:.1f}h{-w:.1f}z" for x, y, w, h in mark.boxes])
    return f'<path {look} d="{moves}"/>'


def _lines(mark: Lines, used: set[str]) -> str:
    look = _look(used, None, mark.stroke, mark.thick, mark.dash)
    if mark.opacity != 1.0:
        look += f' stroke-opacity="{mark.opacity:g}"'
    joint = ' stroke-linejoin="round"' if any(len(points) > 2 for points in mark.lines) else ""
    return f'<path {look}{joint} d="{"".join(map(_through, mark.lines))}"/>'


def _through(points: Sequence[Point]) -> str:
    x, y = points[0]
    parts = [f"M{x:.1f} {y:.1f}"]
    for next_x, next_y in points[1:]:
        if next_y == y:
            parts.append(f"H{next_x:.1f}")
        elif next_x == x:
            parts.append(f"V{next_y:.1f}")
        else:
            parts.append(f"L{next_x:.1f} {next_y:.1f}")
        x, y = next_x, next_y
    return "".join(parts)


def _bend(mark: Bend, used: set[str]) -> str:
    (x0, y0), (x1, y1), (x2, y2) = mark.begin, mark.straight, mark.end
    (xa, ya), (xb, yb) = mark.handles
    straight = f"V{y1:.1f}" if mark.down else f"H{x1:.1f}"
    look = _look(used, None, mark.stroke, round(mark.thick, 1))
    return (
        f'<path {look} d="M{x0:.1f} {y0:.1f}{straight}C{xa:.1f} {ya:.1f} {xb:.1f} {yb:.1f} '
        f'{x2:.1f} {y2:.1f}"/>'
    )


def _area(mark: Area, used: set[str]) -> str:
    look = _look(used, mark.fill, None)
    if mark.opacity != 1.0:
        look += f' fill-opacity="{mark.opacity:g}"'
    return f'<path {look} d="{_through(mark.points)}z"/>'


def _dots(mark: Dots, used: set[str]) -> str:
    if mark.stroke is None and mark.fill is not None:  # lines without length and with round ends: short text
        look = _look(used, None, mark.fill)
        if mark.opacity != 1.0:
            look += f' stroke-opacity="{mark.opacity:g}"'
        moves = "".join([f"M{x:.1f} {y:.1f}h0" for x, y in mark.points])
        return f'<path {look} stroke-width="{2 * mark.radius:g}" stroke-linecap="round" d="{moves}"/>'
    look = _look(used, mark.fill, mark.stroke, mark.thick)
    if mark.opacity != 1.0:
        look += f' fill-opacity="{mark.opacity:g}"'
    return "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{mark.radius:g}" {look}/>' for x, y in mark.points)


def _group(mark: Group, used: set[str]) -> str:
    tip = f"<title>{escape(mark.tip)}</title>" if mark.tip else ""
    return f"<g>{tip}{_written(mark.marks, used)}</g>"


WRITERS: Final[dict[type, Callable[[Any, set[str]], str]]] = {
    Words: _words,
    Boxes: _boxes,
    Lines: _lines,
    Bend: _bend,
    Area: _area,
    Dots: _dots,
    Group: _group,
}
