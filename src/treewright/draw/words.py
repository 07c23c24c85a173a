"""Words in a picture of a tree: ink or grey, escaped here and nowhere else."""

from __future__ import annotations

from html import escape

from treewright.draw.colours import LIGHT

__all__ = ["words"]


def words(
    name: str, x: float, y: float, content: str, size: float, anchor: str, *, bold: bool = False
) -> str:
    """Return words in ink ("i") or grey ("g") that start, end or have their middle at x."""
    fill = LIGHT["ink" if name == "i" else "grey"]
    weight = ' font-weight="600"' if bold else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return (
        f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{weight}{place} fill="{fill}">'
        f"{escape(content)}</text>"
    )
