"""Long lists in lines of about 100 characters."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["wrapped"]

WIDTH = 100


def wrapped(begin: str, items: Iterable[str], end: str, indent: str = "    ") -> str:
    """Return items between brackets; in one line if they fit."""
    lines: list[str] = []
    line: list[str] = []
    length = 0
    for item in items:
        if line and length + len(item) > WIDTH:
            lines.append(", ".join(line) + ",")
            line, length = [], 0
        line.append(item)
        length += len(item) + 2
    if not lines:
        return f"{begin}{', '.join(line)}{end}"
    lines.append(", ".join(line))
    return f"{begin}\n{indent}" + f"\n{indent}".join(lines) + f"\n{end}"
