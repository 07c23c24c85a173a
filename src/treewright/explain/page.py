"""Page: a report as it is laid out, before it is known whether it becomes text, HTML or LaTeX.

Every number is written once, here, so all renderers show the same one.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Column", "Page", "Row", "Table"]


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
    worked: tuple[str, ...]
    latex: tuple[str, ...]
    notes: tuple[str, ...]
