"""Page: a report laid out once, and its text and LaTeX; `treewright.reports.html` makes HTML of it.

Every number is written when the page is made, so all renderers show the same one.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

__all__ = ["Column", "Page", "Row", "Step", "Table", "page_to_latex", "page_to_text"]

TITLE_WIDTH = 68
MAX_WIDTH = 100


@dataclass(frozen=True)
class Column:
    """Heading and alignment of a column."""

    title: str
    right: bool = False


@dataclass(frozen=True)
class Row:
    """One line of a table: its cells and what stands behind them."""

    cells: tuple[str, ...]
    remark: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Table:
    """A table; its caption is for readers that do not see the page around it."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    below: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A title line (left and right), facts, tables, worked lines, formulas in LaTeX, and notes."""

    title: str
    subject: str
    facts: tuple[str, ...]
    tables: tuple[Table, ...]
    worked: tuple[str, ...] = ()
    latex: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def page_to_text(page: Page) -> str:
    """Return the page as text of fixed width."""
    lines = [f"{page.title:<{TITLE_WIDTH}} {page.subject}"]
    lines += [f"  {fact}" for fact in page.facts]
    for position, table in enumerate(page.tables):
        if page.facts or position > 0:
            lines.append("")
        lines += _text_table(table)
    if page.worked:
        lines.append("")
    for line in (*page.worked, *page.notes):
        lines += _wrapped(line)
    return "\n".join(line.rstrip() for line in lines)


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.strip(), MAX_WIDTH, initial_indent=f"  {indent}", subsequent_indent=f"  {indent}  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _text_table(table: Table) -> list[str]:
    rows = [Row(tuple(column.title for column in table.columns)), *table.rows]
    widths = [max(len(row.cells[i]) for row in rows) for i in range(len(table.columns))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column.right else cell.ljust(width)
            for cell, width, column in zip(row.cells, widths, table.columns, strict=True)
        ]
        remark = f"   {'' if row.marked else '  '}{row.remark}" if row.remark else ""
        # Where a row has nothing but its name, the remark takes the place of the numbers.
        shown = cells if any(row.cells[1:]) else cells[:1]
        lines.append(f"  {'   '.join(shown)}{remark}")
    return [*lines, *(f"  {line}" for line in table.below)]


def page_to_latex(page: Page) -> str:
    """Return the worked formulas as LaTeX, one line each (amsmath)."""
    if not page.latex:
        return ""
    lines = " \\\\\n".join(f"  {formula}" for formula in page.latex)
    return f"$$\n\\begin{{aligned}}\n{lines}\n\\end{{aligned}}\n$$"


@dataclass(frozen=True)
class Step:
    """One line of arithmetic.

    Attributes
    ----------
    name : str
        What is computed.
    text : str
        The formula with its numbers.
    latex : str
        The same in LaTeX.
    value : float
        The result, not rounded.
    """

    name: str
    text: str
    latex: str
    value: float
