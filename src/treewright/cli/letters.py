"""Texts in plain ASCII letters; reports are put into columns afterwards, so that they stay aligned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from treewright.reports.page import Column, Page, Row, Table, page_to_text

__all__ = ["plain_text", "report_text"]

#: Sign → letters. Names keep the letters that they have.
LETTERS: Final = {
    " · ": ", ", "·": "*", "≤": "<=", "≥": ">=", "−": "-", "–": "-", "…": "...", "→": "->", "←": "<-",
    "±": "+/-", "²": "^2", "½": "1/2", "Σ": "sum", "α": "alpha", "β": "beta", "γ": "gamma", "λ": "lambda",
    "∞": "inf", "×": "x", "✗": "x", "├─": "|-", "└─": "`-", "│": "|", "─": "-",
}  # fmt: skip


def plain_text(text: str) -> str:
    """Return a text with signs as letters."""
    for sign, letters in LETTERS.items():
        text = text.replace(sign, letters)
    return text


def report_text(report: Any, plain: bool) -> str:
    """Return a report as text, in plain letters if asked for."""
    if not plain:
        return f"{report}"
    if not hasattr(report, "steps") and not hasattr(report, "_frame"):
        return plain_text(f"{report}")  # has no cells whose signs differ in width
    return page_to_text(_plain_page(report._page()))


def _plain_page(page: Page) -> Page:
    def plain(lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(plain_text, lines))

    tables = [
        Table(
            plain_text(table.caption),
            tuple(Column(plain_text(column.title), column.right) for column in table.columns),
            tuple(Row(plain(row.cells), plain_text(row.remark), row.marked) for row in table.rows),
            plain(table.below),
        )
        for table in page.tables
    ]
    return replace(
        page,
        title=plain_text(page.title),
        subject=plain_text(page.subject),
        facts=plain(page.facts),
        tables=tuple(tables),
        worked=plain(page.worked),
        notes=plain(page.notes),
    )
