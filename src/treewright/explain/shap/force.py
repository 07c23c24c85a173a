"""The force of features on one answer as text: what pushes it up, what pulls it down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.argument import check_count
from treewright.explain.shap.one_class import one_output
from treewright.explain.words import number, row_words, signed
from treewright.model.text import printable

if TYPE_CHECKING:
    from treewright.explain.shap.report import ShapReport

__all__ = ["force_text"]

LONGEST_NAME = 40


def force_text(report: ShapReport, row: int, label: Any, top: int, width: int) -> str:
    """Return lines of arrows, as long as what features add.

    Parameters
    ----------
    report : ShapReport
        The report.
    row : int
        The row.
    label : object
        The class; None: the most probable one.
    top : int
        How many features have a line.
    width : int
        Letters of the longest arrow.
    """
    check_count("row", row, 0)
    check_count("top", top, 1)
    check_count("width", width, 1)
    if row >= len(report):
        raise ValueError(f"row={row} does not exist: there are {len(report)} rows, counted from 0.")
    values, base, meaning = one_output(report, label, row)
    own, start = values[row], float(base[row])
    order = np.argsort(-np.abs(own), kind="stable")
    shown = [int(f) for f in order[:top] if own[f] != 0]
    words = row_words(report._features, report.data[row])
    lines = [(f"{printable(report.feature_names[f])} = {words[f]}", float(own[f])) for f in shown]
    rest = float(own.sum() - sum(value for _, value in lines))
    n_rest = int(np.count_nonzero(own)) - len(shown)
    if n_rest:
        lines.append((f"{n_rest} other {'feature' if n_rest == 1 else 'features'}", rest))
    name_width = min(max((len(name) for name, _ in lines), default=0), LONGEST_NAME)
    longest = max((abs(value) for _, value in lines), default=1.0) or 1.0
    answer = start + float(own.sum())
    found = [f"{meaning[0].upper()}{meaning[1:]} for row {row}: {number(start)} → {number(answer)}"]
    for way, arrow, sign in (("up", "▶", 1.0), ("down", "◀", -1.0)):
        pushing = [(name, value) for name, value in lines if sign * value > 0]
        total = sum(value for _, value in pushing)
        found.append(f"  {way:<4} {signed(total) if pushing else '0'}")
        for name, value in pushing:
            short = name if len(name) <= name_width else f"{name[: name_width - 1]}…"
            length = max(1, round(width * abs(value) / longest))
            found.append(f"    {short:<{name_width}}  {signed(value):>9}  {arrow * length}")
    return "\n".join(found)
