"""Lines of a text tree in columns: words on the left, answers joined to them by a rule, then cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Line", "render"]

MAX_LEFT = 60  # a longer left part pushes its own line to the right, not all of them
ASCII = {"├─": "|-", "└─": "`-", "│": "|", "─": "-", "≤": "<=", " · ": ", ", "…": "...", "∞": "inf", "−": "-"}


class Line(NamedTuple):
    """One node: words, the answer of a leaf, and the cells of the columns."""

    left: str
    answer: str
    cells: tuple[str, ...]


def render(lines: Sequence[Line], *, ascii: bool) -> str:
    """Put lines into columns.

    Examples
    --------
    >>> from treewright.export.layout import Line, render
    >>> print(render([Line("all rows", "", ("n=3",)), Line("└─ x ≤ 1", "yes", ("n=2",))], ascii=False))
    all rows            n=3
    └─ x ≤ 1 ─── yes    n=2
    """
    left = min(max(len(line.left) for line in lines if line.cells or line.answer), MAX_LEFT) + 4
    answers = max(len(line.answer) for line in lines)
    n_cells = max(len(line.cells) for line in lines)
    widths = [max((len(line.cells[i]) for line in lines if line.cells), default=0) for i in range(n_cells)]
    texts = []
    for line in lines:
        start = f"{line.left} ".ljust(left, "─") + f" {line.answer}" if line.answer else line.left
        cells = "   ".join(cell.ljust(width) for cell, width in zip(line.cells, widths, strict=False))
        texts.append(f"{start.ljust(left + 1 + answers)}    {cells}".rstrip())
    text = "\n".join(texts)
    if ascii:
        for sign, plain in ASCII.items():
            text = text.replace(sign, plain)
    return text
