"""A page as static HTML: tables with captions and scoped headers, the picture, long parts to unfold.

No script, no reference, at most `MOST_BYTES` however long a report is; what has no room is counted.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final

from treewright.reports.page import Column, Page, Row, Table
from treewright.reports.style import REPORT_STYLE

__all__ = ["page_to_html"]

MOST_BYTES: Final = 140_000
FIRST_ROWS: Final = 12  # of a table; more are unfolded
MOST_CELL: Final = 160  # letters of a name in a table
MOST_LINE: Final = 3000  # letters of a sentence or formula
EM_SPACE: Final = "\u2003"


def page_to_html(page: Page, picture: str = "", *, with_style: bool = True) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    page : Page
        The report, laid out.
    picture : str
        Its picture as SVG; empty: none.
    with_style : bool, default=True
        Whether the style comes along; a file of several reports has it once.
    """
    budget = _Budget(MOST_BYTES - len(REPORT_STYLE) - len(picture.encode()))
    parts = [
        '<div class="tw-report">',
        *([f"<style>{REPORT_STYLE}</style>"] if with_style else []),
        f'<p class="tw-title"><strong>{_safe(page.title)}</strong> · {_safe(page.subject)}</p>',
        *_lines(page.facts, budget),
    ]
    if picture:
        parts.append(f'<div class="tw-picture" hidden="">{picture}</div>')
    for position, table in enumerate(page.tables):
        made = _table(table, budget)
        if position > 0:  # what a reader looks for stands in the first one
            made = [f"<details><summary>{_safe(table.caption)}</summary>", *made, "</details>"]
        parts += made
    if page.worked:
        lines = "\n".join(_short(line.rstrip(), budget) for line in page.worked)
        parts.append(f'<details open=""><summary>Worked out</summary><pre>{lines}</pre></details>')
    parts += _lines(page.notes, budget)
    return "\n".join([*parts, "</div>"])


class _Budget:
    """Counts the bytes that are left."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, text: str) -> bool:
        """Take the bytes of a text; False when they are not there."""
        self.left -= len(text.encode())
        return self.left >= 0


def _safe(text: str) -> str:
    """Return words for HTML."""
    return html.escape(_divided(text)[:MOST_LINE])


def _divided(text: str) -> str:
    """Return a line in which the gaps between its parts are dots: HTML would close them."""
    return re.sub(r"\s{3,}", " · ", text.strip())


def _short(text: str, budget: _Budget) -> str:
    shown = html.escape(text if len(text) <= MOST_LINE else f"{text[: MOST_LINE - 1]}…")
    return shown if budget.take(shown) else "…"


def _lines(lines: Iterable[str], budget: _Budget) -> Iterator[str]:
    for line in lines:
        yield f"<p>{_short(_divided(line), budget)}</p>"


def _table(table: Table, budget: _Budget) -> list[str]:
    has_remarks = any(row.remark for row in table.rows)
    rows, left_out = [], 0
    for place, row in enumerate(table.rows):
        text = _row(row, table.columns, has_remarks)
        if not budget.take(text):
            left_out = len(table.rows) - place
            break
        rows.append(text)
    first, more = (rows, []) if len(rows) <= FIRST_ROWS + 4 else (rows[:FIRST_ROWS], rows[FIRST_ROWS:])
    parts = _one_table(table, first, has_remarks, table.caption)
    if more:
        parts += [
            f"<details><summary>{len(more)} more</summary>",
            *_one_table(table, more, has_remarks, f"{table.caption}, continued"),
            "</details>",
        ]
    if left_out:
        parts.append(f"<p>… {left_out} more have no room here; to_frame() has them all.</p>")
    return [*parts, *_lines(table.below, budget)]


def _one_table(table: Table, rows: list[str], has_remarks: bool, caption: str) -> list[str]:
    heads = [
        f'<th scope="col"{_aligned(column)}>{_safe(column.title)}</th>' if column.title else "<td></td>"
        for column in table.columns
    ]
    heads += ["<td></td>"] if has_remarks else []
    return [
        f"<table><caption>{_safe(caption)}</caption>",
        f"<thead><tr>{''.join(heads)}</tr></thead>",
        f"<tbody>{''.join(rows)}</tbody></table>",
    ]


def _aligned(column: Column) -> str:
    # GitHub takes styles out and leaves the attribute; a rule repeats it, because notebooks have their own.
    return ' align="right"' if column.right else ' align="left"'


def _row(row: Row, columns: Iterable[Column], has_remarks: bool) -> str:
    cells = []
    for position, (cell, column) in enumerate(zip(row.cells, columns, strict=True)):
        text = _cell(cell)
        if row.marked:
            text = f"<strong>{text}</strong>"
        tag, scope = ("th", ' scope="row"') if position == 0 else ("td", "")
        cells.append(f"<{tag}{scope}{_aligned(column)}>{text}</{tag}>")
    if has_remarks:
        cells.append(f'<td class="tw-remark" align="left">{_cell(row.remark)}</td>')
    marked = ' class="tw-marked"' if row.marked else ""
    return f"<tr{marked}>{''.join(cells)}</tr>"


def _cell(text: str) -> str:
    """Return a cell; names are not filled up with spaces here, but steps of a way stay indented."""
    words = text.strip()
    indent = EM_SPACE * ((len(text) - len(text.lstrip())) // 2) if words else ""
    words = re.sub(r"\s+", " ", words)
    return html.escape(indent + (words if len(words) <= MOST_CELL else f"{words[: MOST_CELL - 1]}…"))
